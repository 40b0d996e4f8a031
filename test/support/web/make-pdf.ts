// Builds small PDFs for tests, object by object, with a correct cross-reference table.
import { zlibSync } from "fflate";

/** An object's body, or a stream with its dictionary entries. */
export type PdfObject = string | { dict?: string; stream: string | Uint8Array; deflate?: boolean };

const encode = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

/** `objects[0]` is object 1, the catalog. */
export function makePdf(objects: PdfObject[]): Uint8Array {
  const pieces: Uint8Array[] = [encode("%PDF-1.7\n")];
  let size = pieces[0]!.length;
  const add = (piece: Uint8Array) => {
    pieces.push(piece);
    size += piece.length;
  };
  const places = objects.map((object, i) => {
    const at = size;
    add(encode(`${i + 1} 0 obj\n`));
    if (typeof object === "string") add(encode(object));
    else {
      const raw = typeof object.stream === "string" ? encode(object.stream) : object.stream;
      const data = object.deflate ? zlibSync(raw, { level: 9 }) : raw;
      const filter = object.deflate ? " /Filter /FlateDecode" : "";
      add(encode(`<< /Length ${data.length}${filter}${object.dict ?? ""} >>\nstream\n`));
      add(data);
      add(encode("\nendstream"));
    }
    add(encode("\nendobj\n"));
    return at;
  });
  const xref = size;
  const rows = places.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  add(encode(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`));
  add(encode(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF`));
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

const FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

/** A document whose pages show these lines. `extra` entries go into the catalog. */
export function makeTextPdf(pages: string[][], options: { extra?: string; deflate?: boolean } = {}): Uint8Array {
  const kids = pages.map((_, i) => `${4 + i * 2} 0 R`).join(" ");
  return makePdf([
    `<< /Type /Catalog /Pages 2 0 R ${options.extra ?? ""} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    FONT,
    ...pages.flatMap((lines, i): PdfObject[] => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${5 + i * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      {
        stream: `BT /F1 12 Tf 14 TL 50 700 Td ${lines.map((line) => `(${line}) Tj T*`).join(" ")} ET`,
        ...(options.deflate && { deflate: true }),
      },
    ]),
  ]);
}

/** A page with this content stream; object 5 is the content, further objects follow from 6 on. */
export function makePagePdf(content: PdfObject, resources = "", more: PdfObject[] = []): Uint8Array {
  return makePdf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    FONT,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> ${resources} >> >>`,
    content,
    ...more,
  ]);
}
