// The headers of a tar file with plain files and short names: how an exported profile is packed. Used by the terminal, which writes the
// file on disk, and by the page, which hands it to the browser. Pure.

/** Bytes of a header; contents are filled up to a multiple of it, and two empty ones end the archive. */
export const BLOCK = 512;
/** Entries of one archive: its parts, the manifest, and some room. */
export const MAX_ENTRIES = 30_000;

/** The names of the entries of an exported profile. */
export const MANIFEST_ENTRY = "manifest.json";
export const partEntry = (sha256: string) => `parts/${sha256}.jsonl`;

/** What makes an archive unreadable, in a sentence. */
export class TarError extends Error {
  override name = "TarError";
}

/** Of a plain file with a short name. `size`: in bytes. */
export function toTarHeader(name: string, size: number): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const put = (text: string, at: number) => header.set(new TextEncoder().encode(text), at);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  put(name, 0);
  put(octal(0o600, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(size, 11), 124);
  put(octal(0, 11), 136);
  put("0", 156);
  put("ustar\x0000", 257);
  put(`${checksumOf(header).toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** Throws a TarError. */
export function readTarHeader(header: Uint8Array): { name: string; bytes: number } {
  const text = (from: number, length: number) => {
    const field = header.subarray(from, from + length);
    const end = field.indexOf(0);
    return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end)).trim();
  };
  const [size, sum] = [text(124, 12), text(148, 8)];
  const isSound = /^[0-7]{1,12}$/.test(size) && Number.parseInt(sum, 8) === checksumOf(header);
  if (!isSound) throw new TarError("The file is not a tar, or is damaged.");
  const type = header[156];
  if (type !== 0 && type !== 0x30) throw new TarError("The archive has an entry that is not a plain file.");
  return { name: text(0, 100), bytes: Number.parseInt(size, 8) };
}

/** The sum of the header's bytes, with its own field read as blanks. */
function checksumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}
