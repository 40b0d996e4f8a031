// Reads files and folders below the root, in bounded pieces: read, stat, list. Called by routes.ts. Opens regular files only, so
// that a FIFO or a device cannot block or be touched. Changes nothing.
import { type Stats, closeSync, constants, fstatSync, opendirSync, openSync, readSync } from "node:fs";
import { LIMITS } from "../limits.ts";
import { Problem } from "../problem.ts";
import { type Place, type Root, look, toPath, withPlace } from "./walk.ts";

export type Kind = "file" | "folder" | "link" | "other";

export interface FileStat {
  path: string;
  kind: Kind;
  size: number;
  /** Permission bits, such as 0o644. */
  mode: number;
  modifiedMs: number;
}

export interface Piece {
  path: string;
  /** Of the whole file. */
  size: number;
  offset: number;
  bytes: Buffer;
}

export function statFile(root: Root, path: string): FileStat {
  return withPlace(root, path, (place) => toStat(place.path, place.stats));
}

/** At most `length` bytes from `offset` on; fewer at the end. A hole of a sparse file reads as zeros. */
export function readPiece(root: Root, path: string, offset: number, length: number): Piece {
  return withPlace(root, path, (place) =>
    withFile(place, (fd) => {
      const { size } = fstatSync(fd);
      return { path: place.path, size, offset, bytes: readAt(fd, offset, length) };
    }),
  );
}

/** The entries of a folder by name, those after `after`. `truncated`: the folder has more than are looked at. */
export function listFolder(
  root: Root,
  path: string,
  { after, limit }: { after: string; limit: number },
): { path: string; entries: (Omit<FileStat, "path"> & { name: string })[]; next?: string; truncated: boolean } {
  return withPlace(root, path, (place) => {
    if (!place.stats.isDirectory()) throw new Problem("not_a_folder", `'${place.path}' is not a folder. Read it.`);
    const { names, truncated } = readNames(place.fd);
    const later = names.filter((name) => name > after).sort();
    const page = later.slice(0, limit);
    const entries = page.flatMap((name) => {
      const stat = lookAt(place, name);
      return stat ? [{ ...stat, name }] : [];
    });
    return { path: place.path, entries, ...(later.length > limit && { next: page.at(-1)! }), truncated };
  });
}

/** Opens a regular file that was found. The descriptor is closed after `use`. */
export function withFile<T>({ fd, stats, path }: Place, use: (fd: number) => T, flags = constants.O_RDONLY): T {
  if (stats.isDirectory()) throw new Problem("not_a_file", `'${path}' is a folder.`);
  if (!stats.isFile()) throw new Problem("not_a_file", `'${path}' is a device, a pipe or a socket, not a file.`);
  const open = openSync(toPath(fd), flags | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    return use(open);
  } finally {
    closeSync(open);
  }
}

export function readAt(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let got = 0;
  while (got < length) {
    const n = readSync(fd, bytes, got, length - got, offset + got);
    if (n === 0) break;
    got += n;
  }
  return bytes.subarray(0, got);
}

/** Names of a folder's entries, at most `LIMITS.scannedEntries`. */
export function readNames(fd: number): { names: string[]; truncated: boolean } {
  const folder = opendirSync(toPath(fd), { bufferSize: 256 });
  const names: string[] = [];
  try {
    for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
      if (names.length === LIMITS.scannedEntries) return { names, truncated: true };
      names.push(entry.name);
    }
    return { names, truncated: false };
  } finally {
    folder.closeSync();
  }
}

/** `null`: the entry has gone, or its name is not UTF-8 and cannot be opened by it. */
function lookAt(folder: Place, name: string): Omit<FileStat, "path"> | null {
  const found = look(folder.fd, name, name);
  if (!found) return null;
  closeSync(found.fd);
  const { path: _, ...stat } = toStat(name, found.stats);
  return stat;
}

function toStat(path: string, stats: Stats): FileStat {
  return {
    path,
    kind: toKind(stats),
    size: stats.size,
    mode: stats.mode & 0o7777,
    modifiedMs: Math.floor(stats.mtimeMs),
  };
}

function toKind(stats: Stats): Kind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "link" : "other";
}
