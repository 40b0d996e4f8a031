// A tar file on disk, written entry by entry and read by the places of its entries, so that an archive of gigabytes needs no memory.
// Plain files with short names only. Used by export-profile.ts and import-profile.ts.
import type { FileHandle } from "node:fs/promises";
import { BLOCK, MAX_ENTRIES, TarError, readTarHeader, toTarHeader } from "./tar-header.ts";

export interface TarEntry {
  name: string;
  /** Where its bytes begin. */
  at: number;
  bytes: number;
}

/** Writes one entry at `at`. Returns where the next one begins. */
export async function writeTarEntry(file: FileHandle, at: number, name: string, body: Uint8Array): Promise<number> {
  const padded = new Uint8Array(BLOCK + Math.ceil(body.length / BLOCK) * BLOCK);
  padded.set(toTarHeader(name, body.length));
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
    const { name, bytes } = readTarHeader(header);
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
