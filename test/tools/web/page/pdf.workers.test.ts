// PDFs in workerd, with the patched pdf.js that ships: texts, and documents that would exhaust an isolate.
import { describe, expect, it } from "vitest";
import { zlibSync } from "fflate";
import { readPdf } from "../../../../core/tools/web/page/pdf.ts";
import { type PdfObject, makePagePdf, makePdf, makeTextPdf } from "../../../support/web/make-pdf.ts";

const read = async (pdf: Uint8Array, maxChars = 1_000_000) => {
  const result = await readPdf(pdf, maxChars, new AbortController().signal);
  return result.ok ? result.value : result.failure.code;
};

describe("readPdf", () => {
  it("reads the lines of each page, compressed or not", async () => {
    const pages = [["First line", "second line"], ["Page two"]];
    const text = "## Page 1\n\nFirst line\nsecond line\n\n## Page 2\n\nPage two";
    expect(await read(makeTextPdf(pages))).toEqual({ title: "", text, isCut: false });
    expect(await read(makeTextPdf(pages, { deflate: true }))).toEqual({ title: "", text, isCut: false });
  });

  it("reads several documents that are asked for at once", async () => {
    const texts = await Promise.all([1, 2, 3].map((n) => read(makeTextPdf([[`Document ${n}`]]))));
    expect(texts.map((text) => (typeof text === "string" ? text : text.text))).toEqual(
      [1, 2, 3].map((n) => `Document ${n}`),
    );
  });

  it("never runs the document's JavaScript", async () => {
    const extra = "/OpenAction << /S /JavaScript /JS (globalThis.wasRun = true; app.alert\\(1\\)) >>";
    expect(await read(makeTextPdf([["text"]], { extra }))).toMatchObject({ text: "text" });
    expect("wasRun" in globalThis).toBe(false);
  });

  it("finds the objects of a document whose table is wrong", async () => {
    const latin1 = new TextDecoder("latin1").decode(makeTextPdf([["still here"]]));
    const wrong = Uint8Array.from(latin1.replace(/startxref\n\d+/, "startxref\n7"), (char) => char.charCodeAt(0));
    expect(await read(wrong)).toMatchObject({ text: "still here" });
  });

  it("ends at the given length, and says so", async () => {
    const cut = await read(makeTextPdf(Array.from({ length: 50 }, () => ["x".repeat(100)])), 1_000);
    expect(cut).toMatchObject({ text: expect.stringMatching(/^.{1000}$/s), isCut: true });
  });

  it.each<[string, () => Uint8Array, string]>([
    ["nothing but its header", () => new TextEncoder().encode("%PDF-1.7\n"), "pdf_broken"],
    ["a part of a document", () => makeTextPdf([["x"]]).slice(0, 300), "pdf_broken"],
    ["megabytes of rubbish", () => new TextEncoder().encode(`%PDF-1.7\n${"x".repeat(4_000_000)}`), "pdf_broken"],
    [
      "half a million objects that begin",
      () => new TextEncoder().encode(`%PDF-1.7\n${"1 0 obj\n".repeat(500_000)}`),
      "pdf_broken",
    ],
    [
      "no pages",
      () => makePdf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"]),
      "pdf_no_text",
    ],
    [
      "a tree of pages that contains itself",
      () => makePdf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R] /Count 5 >>"]),
      "pdf_no_text",
    ],
    [
      "100,000 pages",
      () =>
        makePdf([
          "<< /Type /Catalog /Pages 2 0 R >>",
          `<< /Type /Pages /Kids [${"3 0 R ".repeat(100_000)}] /Count 100000 >>`,
          "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1 1] >>",
        ]),
      "pdf_no_text",
    ],
    ["100,000 levels of arrays", () => makePagePdf({ stream: `BT ${"[".repeat(100_000)} ET` }), "pdf_no_text"],
    [
      "100 MB in 100 KB",
      () => makePagePdf({ stream: new Uint8Array(100_000_000).fill(32), deflate: true }),
      "pdf_too_complex",
    ],
    [
      "a bomb in a bomb",
      () => makePagePdf({ dict: " /Filter [/FlateDecode /FlateDecode]", stream: bombInBomb() }),
      "pdf_too_complex",
    ],
    [
      "millions of operators",
      () => makePagePdf({ stream: "q Q ".repeat(2_000_000), deflate: true }),
      "pdf_too_complex",
    ],
    ["widths of two thousand million characters", () => makeFontPdf({ widths: "0 2000000000 500" }), "pdf_too_complex"],
    ["widths below zero", () => makeFontPdf({ widths: "-2000000000 5 500" }), "pdf_too_complex"],
    [
      "states saved six million times",
      () => makePagePdf({ stream: "q ".repeat(6_000_000), deflate: true }),
      "pdf_too_complex",
    ],
    [
      "a page of half a million streams",
      () => {
        const contents = `[${"3 0 R ".repeat(500_000)}]`;
        return makePdf([
          "<< /Type /Catalog /Pages 2 0 R >>",
          "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
          { stream: "q Q" },
          `<< /Type /Page /Parent 2 0 R /Contents ${contents} >>`,
        ]);
      },
      "pdf_too_complex",
    ],
    [
      "a string of fifteen million characters",
      () => makePagePdf({ stream: `BT /F1 12 Tf (${"a".repeat(15_000_000)}) Tj ET`, deflate: true }),
      "pdf_too_complex",
    ],
    [
      "a line of eight million characters",
      () => new TextEncoder().encode(`%PDF-1.7\n${"1 0 obj ".repeat(1_000_000)}`),
      "pdf_broken",
    ],
    [
      "a form that draws itself",
      () => makePagePdf({ stream: "/N Do" }, "/XObject << /N 6 0 R >>", [form("/N Do", 6)]),
      "pdf_no_text",
    ],
  ])("answers within seconds to %s", { timeout: 60_000 }, async (_what, make, code) => {
    expect(await read(make())).toBe(code);
  });

  it.each([
    ["sixteen million codes", "<000000> <fffffe> <0041>"],
    ["the same codes 50,000 times", Array.from({ length: 50_000 }, () => "<0000> <ffff> <0041>").join("\n")],
    ["long texts for each code", `<0000> <ffff> <${"0041".repeat(20_000)}>`],
  ])("reads the text of a font whose map has %s, and says that something is missing", async (_what, ranges) => {
    expect(await read(makeFontPdf({ ranges }))).toMatchObject({ isCut: true });
  });

  it.each([
    ["widths", "/Widths 3 0 R", `[${"1 ".repeat(200_000)}]`],
    ["names of characters", "/Encoding 3 0 R", `<< /Differences [0 ${"/a ".repeat(200_000)}] >>`],
  ])("ends at 3,000 fonts that share 200,000 %s, and says so", async (_what, entry, shared) => {
    expect(await read(makeSharingPdf(entry, shared))).toMatchObject({ isCut: true });
  });

  it("reads a font that maps every code to text", async () => {
    expect(await read(makeFontPdf({ ranges: "<0000> <ffff> <0000>" }))).toEqual({
      title: "",
      text: "AB",
      isCut: false,
    });
  });

  it("never reads metadata in XML, however much it holds", async () => {
    const pdf = makePdf([
      "<< /Type /Catalog /Pages 2 0 R /Metadata 6 0 R >>",
      "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      "<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
      { stream: "BT /F1 12 Tf (text) Tj ET" },
      { dict: " /Type /Metadata /Subtype /XML", stream: "<a>".repeat(6_000_000), deflate: true },
    ]);
    expect(await read(pdf)).toEqual({ title: "", text: "text", isCut: false });
  });

  it("answers within seconds to forms that draw each other twice, forty levels deep", { timeout: 60_000 }, async () => {
    const forms = Array.from({ length: 40 }, (_, i) => form("/N Do /N Do", 7 + i));
    const last = form("BT /F1 12 Tf (x) Tj ET", 0);
    const pdf = makePagePdf({ stream: "/N Do" }, "/XObject << /N 6 0 R >>", [...forms, last]);
    expect(["pdf_too_complex", true]).toContain(
      await read(pdf).then((value) => (typeof value === "string" ? value : value.isCut)),
    );
  });

  it("reads the next document after one that was refused", async () => {
    await read(makePagePdf({ stream: new Uint8Array(50_000_000), deflate: true }));
    expect(await read(makeTextPdf([["fine"]]))).toMatchObject({ text: "fine" });
  });
});

function form(stream: string, next: number): PdfObject {
  const resources = `/Resources << /Font << /F1 3 0 R >> /XObject << /N ${next} 0 R >> >>`;
  return { dict: ` /Type /XObject /Subtype /Form /BBox [0 0 1 1] ${resources}`, stream };
}

/** A page with the codes 0041 and 0042. `widths`: of characters, as in `/W`. `ranges`: of codes and their text, as in a ToUnicode map. */
function makeFontPdf({ widths = "", ranges = "" }: { widths?: string; ranges?: string }): Uint8Array {
  const map = `begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange ${ranges} endbfrange endcmap`;
  const toUnicode = ranges === "" ? "" : "/ToUnicode 9 0 R";
  return makePdf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>",
    "<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F1 6 0 R >> >> >>",
    { stream: "BT /F1 12 Tf <00410042> Tj ET" },
    `<< /Type /Font /Subtype /Type0 /BaseFont /Foo /Encoding /Identity-H /DescendantFonts [7 0 R] ${toUnicode} >>`,
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Foo /CIDSystemInfo 3 0 R /FontDescriptor 8 0 R /W [${widths}] >>`,
    "<< /Type /FontDescriptor /FontName /Foo /Flags 4 >>",
    { stream: map, deflate: true },
  ]);
}

/** A page that uses 3,000 fonts, each with this entry, which refers to object 3. */
function makeSharingPdf(entry: string, shared: string): Uint8Array {
  const fonts = Array.from({ length: 3_000 }, (_, i) => `/F${i} ${6 + i} 0 R`);
  return makePdf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    shared,
    `<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << ${fonts.join(" ")} >> >> >>`,
    { stream: fonts.map((_, i) => `BT /F${i} 1 Tf (a) Tj ET`).join("\n") },
    ...fonts.map(() => `<< /Type /Font /Subtype /Type1 /BaseFont /Foo /FontDescriptor << /Flags 4 >> ${entry} >>`),
  ]);
}

/** 60 MB of spaces, compressed twice. */
function bombInBomb(): Uint8Array {
  return zlibSync(zlibSync(new Uint8Array(60_000_000).fill(32), { level: 9 }));
}
