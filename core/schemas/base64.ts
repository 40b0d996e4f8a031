// Bytes as Base64 and as Latin-1 text, in both directions. Pure.

/** Throws for text that is not Base64. */
export function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  return fromLatin1(atob(base64));
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(toLatin1(bytes));
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const DIGITS = Uint8Array.from(ALPHABET, (char) => char.charCodeAt(0));
const PAD = 0x3d;

/** Characters of the Base64 form of this many bytes. */
export function base64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

/** Writes the Base64 form as ASCII into `target` and returns where it ends. Makes no string: images have megabytes. */
export function writeBase64(bytes: Uint8Array, target: Uint8Array, at: number): number {
  const whole = bytes.length - (bytes.length % 3);
  let to = at;
  for (let from = 0; from < whole; from += 3) {
    const three = (bytes[from]! << 16) | (bytes[from + 1]! << 8) | bytes[from + 2]!;
    target[to++] = DIGITS[three >> 18]!;
    target[to++] = DIGITS[(three >> 12) & 63]!;
    target[to++] = DIGITS[(three >> 6) & 63]!;
    target[to++] = DIGITS[three & 63]!;
  }
  if (whole === bytes.length) return to;
  const hasTwo = whole + 2 === bytes.length;
  const rest = (bytes[whole]! << 16) | (hasTwo ? bytes[whole + 1]! << 8 : 0);
  target[to++] = DIGITS[rest >> 18]!;
  target[to++] = DIGITS[(rest >> 12) & 63]!;
  target[to++] = hasTwo ? DIGITS[(rest >> 6) & 63]! : PAD;
  target[to++] = PAD;
  return to;
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
