// Bytes as Base64 and as Latin-1 text, in both directions. Pure.

/** Throws for text that is not Base64. */
export function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  return fromLatin1(atob(base64));
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(toLatin1(bytes));
}

/** One byte a character: the low eight bits of its code unit. */
export function fromLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Arguments of one call; some engines refuse many more. */
const CHUNK = 8_192;

/** One character a byte. */
export function toLatin1(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) {
    // Spreading the bytes into a call instead takes five times as long.
    pieces.push(Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + CHUNK)));
  }
  return pieces.join("");
}
