// Reads an image file of this machine for a message, as a data URL. Used by orders.ts. The server decides whether it is an image that it
// takes; only the size is checked here, so that a large file is not read for nothing.
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";

export interface AttachedImage {
  data: string;
  name: string;
}

/** A message with images has at most 8 MiB (`FIXED.messageBytes`), as Base64. */
const MAX_BYTES = 5_900_000;

/** `typed`: a path, perhaps in quotes or with `~`. `refusal`: a sentence for the person. */
export async function readImageFile(typed: string): Promise<{ image: AttachedImage } | { refusal: string }> {
  const plain = typed.trim().replace(/^(["'])(.*)\1$/s, "$2");
  const path = resolve(plain.replace(/^~(?=\/)/, homedir()));
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) {
      return { refusal: `(${basename(path)} has ${size} bytes, and an image may have ${MAX_BYTES}. Make it smaller.)` };
    }
    const bytes = await readFile(path);
    return {
      image: { data: `data:application/octet-stream;base64,${bytes.toString("base64")}`, name: basename(path) },
    };
  } catch {
    return { refusal: `(There is no file ${path} that can be read.)` }; // it is absent, a folder, or not readable
  }
}
