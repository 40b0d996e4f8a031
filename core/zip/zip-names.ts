// Decodes names in a zip: as UTF-8 if a flag or Info-ZIP's extra field says so or the bytes are valid UTF-8, else as
// code page 437, the format's default. Pure.
import { crc32 } from "./crc32.ts";

/** The upper half of code page 437. */
const CP437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/** Null when the flag says UTF-8 and the bytes are invalid. */
export function decodeName(bytes: Uint8Array, isUtf8: boolean, unicodePath: Uint8Array | null): string | null {
  const better = isUtf8 ? null : readUnicodePath(bytes, unicodePath);
  const text = better ?? readUtf8(bytes);
  if (text !== null || isUtf8) return text;
  return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : CP437[byte - 128]!)).join("");
}

/**
 * Version 1, the CRC-32 of the plain name, and the Unicode name. A CRC of another name means that the field is stale.
 */
function readUnicodePath(plain: Uint8Array, field: Uint8Array | null): string | null {
  if (!field || field.length < 5 || field[0] !== 1) return null;
  const view = new DataView(field.buffer, field.byteOffset, field.length);
  return view.getUint32(1, true) === crc32(plain) ? readUtf8(field.subarray(5)) : null;
}

function readUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8.
    return null;
  }
}
