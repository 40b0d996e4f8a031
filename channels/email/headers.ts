// Reads the header of an e-mail. Called by channels/email.ts. Linear, and the one reader for who wrote a message: a second one could disagree.

/** Name in lower case, and the value with folded lines joined, in the message's order. */
export type Header = [name: string, value: string];

/** [own] Of a header. */
const MAX_BYTES = 256 * 1024;

/** `raw`: the message, one character a byte. `null`: it has no header, or one that is not well formed. */
export function readHeaders(raw: string): Header[] | null {
  const head = raw.slice(0, MAX_BYTES);
  const headers: Header[] = [];
  for (let at = 0; at < head.length;) {
    const end = head.indexOf("\n", at);
    if (end < 0) return null;
    const line = head.slice(at, head[end - 1] === "\r" ? end - 1 : end);
    at = end + 1;
    if (line === "") return headers.length > 0 ? headers : null;
    // A single CR, or NUL, is a line end to some readers and not to others.
    if (/[\r\0]/.test(line)) return null;
    if (line.startsWith(" ") || line.startsWith("\t")) {
      const last = headers.at(-1);
      if (!last) return null;
      last[1] += ` ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(":");
    if (colon <= 0 || !/^[!-9;-~]{1,200}$/.test(line.slice(0, colon))) return null;
    headers.push([line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]);
  }
  return null;
}

export function valuesOf(headers: readonly Header[], name: string): string[] {
  return headers.filter(([each]) => each === name).map(([, value]) => value);
}

export interface Mailbox {
  /** Lower case. */
  address: string;
  domain: string;
}

const ADDRESS = /^[^\s@<>"(),:;\\[\]]{1,64}@([a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?)$/;

/** One plain address in ASCII. `null`: anything that two readers could understand differently, such as bytes of a letter in UTF-8. */
export function readAddress(text: string): Mailbox | null {
  const trimmed = text.trim();
  if (!/^[!-~]{3,320}$/.test(trimmed)) return null;
  const address = trimmed.toLowerCase();
  const domain = ADDRESS.exec(address)?.[1];
  return domain === undefined || domain.includes("..") ? null : { address, domain };
}

/** The author: one `From` with one address. */
export function readAuthor(headers: readonly Header[]): Mailbox | null {
  const values = valuesOf(headers, "from");
  const value = values[0];
  if (values.length !== 1 || value === undefined) return null;
  if (!value.includes("<")) return readAddress(value);
  // A name in quotes may contain anything; one without quotes may not contain what divides addresses.
  const found = /^(?:"(?:[^"\\]|\\.){0,1000}"|[^"<>,;:@()]{0,1000})\s{0,100}<([^<>]{3,320})>$/.exec(value);
  return found ? readAddress(found[1]!) : null;
}

/** The ids `<…@…>` in a header. */
export function readIds(headers: readonly Header[], name: string): string[] {
  return valuesOf(headers, name).flatMap((value) => value.match(/<[^<>\s]{1,900}>/g) ?? []);
}
