// Files readable by this user only, written atomically and durably. Used for everything that scripts store.
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** Adds the path to a system error of `work`: errors of reads and writes do not name the file. */
export function withPathInError<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path: (error as NodeJS.ErrnoException).path ?? path });
  }
}

/** `null` when the file does not exist; throws when it exists and cannot be read. */
export function readIfThere(file: string): string | null {
  try {
    return withPathInError(file, () => readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

export function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  rmSync(next, { force: true }); // `mode` applies to new files only
  try {
    const open = openSync(next, "wx", 0o600);
    try {
      withPathInError(file, () => {
        writeSync(open, text);
        fsyncSync(open);
      });
    } finally {
      closeSync(open);
    }
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

/** Keeps the present contents under `<file>.old-<n>`, with the first free `n`; returns that name. */
export function copyAside(file: string): string {
  for (let n = 1; ; n += 1) {
    const aside = `${file}.old-${n}`;
    try {
      linkSync(file, aside);
      return aside;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function syncFolder(folder: string): void {
  const open = openSync(folder, "r");
  try {
    fsyncSync(open);
  } catch {
    // this file system does not support fsync on folders
  } finally {
    closeSync(open);
  }
}
