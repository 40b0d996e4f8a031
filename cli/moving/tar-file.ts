// A tar file on disk, written entry by entry and read by the places of its entries, so that an archive of gigabytes needs no memory.
// Plain files with short names only. Used by export-profile.ts and import-profile.ts.
import type { FileHandle } from "node:fs/promises";

const BLOCK = 512;
/** Entries of one archive: its parts, the manifest, and some room. */
const MAX_ENTRIES = 30_000;

export interface TarEntry {
  name: string;
  /** Where its bytes begin. */
  at: number;
  bytes: number;
}

/** What makes an archive unreadable, in a sentence. */
export class TarError extends Error {
  override name = "TarError";
}

/** Writes one entry at `at`. Returns where the next one begins. */
export async function writeTarEntry(file: FileHandle, at: number, name: string, body: Uint8Array): Promise<number> {
  const padded = new Uint8Array(BLOCK + Math.ceil(body.length / BLOCK) * BLOCK);
  padded.set(toHeader(name, body.length));
  padded.set(body, BLOCK);
  await file.write(padded, 0, padded.length, at);
  return at + padded.length;
}

/** The end of the archive: two empty blocks. */
export async function endTar(file: FileHandle, at: number): Promise<void> {
  await file.write(new Uint8Array(2 * BLOCK), 0, 2 * BLOCK, at);
  await file.truncate(at + 2 * BLOCK);
}

/** Reads headers only. Throws a TarError. */
export async function listTarEntries(file: FileHandle): Promise<TarEntry[]> {
  const { size } = await file.stat();
  const entries: TarEntry[] = [];
  const header = new Uint8Array(BLOCK);
  for (let at = 0; at + BLOCK <= size;) {
    await readFully(file, header, at);
    if (header.every((byte) => byte === 0)) return entries;
    const { name, bytes } = readHeader(header);
    if (at + BLOCK + bytes > size) throw new TarError("The archive is cut off: export the profile again.");
    if (entries.length >= MAX_ENTRIES)
      throw new TarError("The archive has too many entries: it is not an exported profile.");
    entries.push({ name, at: at + BLOCK, bytes });
    at += BLOCK + Math.ceil(bytes / BLOCK) * BLOCK;
  }
  throw new TarError("The archive has no end: it is cut off, or not a tar. Export the profile again.");
}

export async function readTarEntry(file: FileHandle, { at, bytes }: TarEntry): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(bytes);
  await readFully(file, body, at);
  return body;
}

async function readFully(file: FileHandle, into: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < into.length;) {
    const { bytesRead } = await file.read(into, done, into.length - done, at + done);
    if (bytesRead === 0) throw new TarError("The archive became shorter while it was read.");
    done += bytesRead;
  }
}

function toHeader(name: string, size: number): Uint8Array {
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

function readHeader(header: Uint8Array): { name: string; bytes: number } {
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
