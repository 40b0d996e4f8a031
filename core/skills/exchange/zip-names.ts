// How names stand in a zip: UTF-8 where a flag or Info-ZIP's extra field says so or the bytes are such, else code page 437, as
// the format has it from DOS. Pure.
import { crc32 } from "./crc32.ts";

/** The upper half of code page 437. */
const CP437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/** Null when the flag promises UTF-8 and the bytes are none. */
export function decodeName(bytes: Uint8Array, isUtf8: boolean, unicodePath: Uint8Array | null): string | null {
  const better = isUtf8 ? null : readUnicodePath(bytes, unicodePath);
  const text = better ?? readUtf8(bytes);
  if (text !== null || isUtf8) return text;
  return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : CP437[byte - 128]!)).join("");
}

/** Version 1, the CRC-32 of the plain name it stands for, and the name. Of another name it is stale. */
function readUnicodePath(plain: Uint8Array, field: Uint8Array | null): string | null {
  if (!field || field.length < 5 || field[0] !== 1) return null;
  const view = new DataView(field.buffer, field.byteOffset, field.length);
  return view.getUint32(1, true) === crc32(plain) ? readUtf8(field.subarray(5)) : null;
}

function readUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // No UTF-8.
    return null;
  }
}
