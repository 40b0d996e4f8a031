// Files for this user's eyes only, written whole or not at all, also when the power fails. Used by what scripts keep.
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

/** The system names no file in an error of a read or a write: the error gets the path. */
export function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path: (error as NodeJS.ErrnoException).path ?? path });
  }
}

/** `null` when there is none; a file that is there and cannot be read is an error. */
export function readIfThere(file: string): string | null {
  try {
    return naming(file, () => readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

export function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  rmSync(next, { force: true }); // a mode is given only to a file that is new
  try {
    const open = openSync(next, "wx", 0o600);
    try {
      naming(file, () => {
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

/** A second name for what is there now, which no later one takes; returns it. */
export function keepAside(file: string): string {
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
    // a file system that cannot do this for folders
  } finally {
    closeSync(open);
  }
}
