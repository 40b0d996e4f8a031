// Decodes the bytes of a page to text: by its byte order mark, else by the HTTP header, else by what the document declares, else as
// UTF-8. Pure. A label that the runtime does not know counts as absent.

/** A declaration must be within the first 1,024 bytes (HTML standard); some pages are late. */
const DECLARED_WITHIN = 4_096;

/** Broken sequences become U+FFFD. `contentType`: the whole header, or "". */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const decoder =
    readMark(bytes) ??
    toDecoder(/;\s{0,20}charset\s{0,20}=\s{0,20}["']?([\w.:-]{1,40})/i.exec(contentType)?.[1]) ??
    readDeclaration(bytes) ??
    new TextDecoder();
  return decoder.decode(bytes);
}

function readMark([a, b, c]: Uint8Array): TextDecoder | null {
  if (a === 0xef && b === 0xbb && c === 0xbf) return new TextDecoder();
  if (a === 0xfe && b === 0xff) return toDecoder("utf-16be");
  return a === 0xff && b === 0xfe ? toDecoder("utf-16le") : null;
}

/** `<meta charset="x">`, `<meta … content="text/html; charset=x">`, `<?xml … encoding="x"?>`. */
function readDeclaration(bytes: Uint8Array): TextDecoder | null {
  const head = new TextDecoder("windows-1252").decode(bytes.subarray(0, DECLARED_WITHIN));
  const xml = /^\s{0,100}<\?xml[^>]{0,200}?\sencoding\s{0,20}=\s{0,20}["']([\w.:-]{1,40})/.exec(head)?.[1];
  const metas = head.match(/<meta\s[^<>]{1,500}>/gi) ?? [];
  const label =
    xml ??
    metas.flatMap(
      (meta) => /\scharset\s{0,20}=\s{0,20}["']?([\w.:-]{1,40})/i.exec(meta.replaceAll(";", " "))?.[1] ?? [],
    )[0];
  // A document that was readable up to here is not in UTF-16, whatever it says.
  return label && /^utf-?16/i.test(label) ? null : toDecoder(label);
}

function toDecoder(label: string | undefined): TextDecoder | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null; // not the label of an encoding
  }
}
