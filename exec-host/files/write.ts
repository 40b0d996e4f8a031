// Writes files below the root: replaced as a whole, by a rename, or appended to. Called by routes.ts. Never writes through a link,
// symbolic or hard, and leaves the old file untouched when it fails.
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { LIMITS } from "../limits.ts";
import { Problem } from "../problem.ts";
import { readAt, withFile } from "./read.ts";
import { type Place, type Root, look, toPath, withParent } from "./walk.ts";

export interface Write {
  path: string;
  bytes: Buffer;
  append: boolean;
  /** SHA-256 of the content that the writer has seen; `null`: the file must not exist; absent: whatever is there. */
  expect?: string | null;
}
export interface Written {
  path: string;
  size: number;
  created: boolean;
}

export function writeFile(root: Root, write: Write): Written {
  return withParent(root, write.path, (parent, name) => {
    const path = parent.path === "" ? name : `${parent.path}/${name}`;
    const found = look(parent.fd, name, path);
    if (!found) {
      if (write.expect) throw changed(path);
      return replaceFile(parent, name, { path, bytes: write.bytes, mode: null });
    }
    const place: Place = { ...found, path };
    try {
      checkExpected(place, write.expect);
      if (write.append) return appendTo(place, write.bytes);
      return replaceFile(parent, name, { path, bytes: write.bytes, mode: found.stats.mode & 0o777 });
    } finally {
      closeSync(found.fd);
    }
  });
}

function checkExpected(place: Place, expect: string | null | undefined): void {
  if (!place.stats.isFile()) return withFile(place, () => undefined); // throws what it is
  if (expect === undefined) return;
  if (expect === null || hashFile(place) !== expect) throw changed(place.path);
}

function hashFile(place: Place): string {
  return withFile(place, (fd) => {
    const hash = createHash("sha256");
    for (let offset = 0; offset <= LIMITS.writeBytes;) {
      const piece = readAt(fd, offset, LIMITS.readBytes);
      if (piece.length === 0) break;
      hash.update(piece);
      offset += piece.length;
    }
    return hash.digest("hex");
  });
}

/** `mode`: of the file that is replaced; `null`: a new file. */
function replaceFile(
  parent: Place,
  name: string,
  { path, bytes, mode }: { path: string; bytes: Buffer; mode: number | null },
): Written {
  const next = toPath(parent.fd, `.exec-host-${randomBytes(8).toString("hex")}`);
  const fd = openSync(next, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o666);
  try {
    try {
      if (mode !== null) fchmodSync(fd, mode);
      writeAll(fd, bytes);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(next, toPath(parent.fd, name));
  } catch (error) {
    unlinkSync(next);
    throw error;
  }
  return { path, size: bytes.length, created: mode === null };
}

/** A file with a second name may lie outside the folder as well, so it is not changed in place. */
function appendTo(place: Place, bytes: Buffer): Written {
  return withFile(
    place,
    (fd) => {
      const { nlink } = fstatSync(fd);
      if (nlink > 1) {
        throw new Problem("hard_linked", `'${place.path}' has other hard links. Write its whole content instead.`);
      }
      writeAll(fd, bytes);
      return { path: place.path, size: fstatSync(fd).size, created: false };
    },
    constants.O_WRONLY | constants.O_APPEND,
  );
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

function changed(path: string): Problem {
  return new Problem("file_changed", `'${path}' has changed since it was read. Read it again, then write.`);
}
