// Reads an image file of this machine for a message, as a data URL. Used by orders.ts. The server decides whether it is an image that it
// takes. The size and the first bytes are checked here, so that the person learns of a wrong file at once.
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";

export interface AttachedImage {
  data: string;
  name: string;
}

/** A message with images has at most 8 MiB (`FIXED.messageBytes`), as Base64. */
const MAX_BYTES = 5_900_000;

/** How a PNG, JPEG, GIF or WebP begins, as Latin-1. */
const SIGNATURE = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF[^]{4}WEBP)/;

/** Whether a line is nothing but the path of an image, as a terminal types it when a file is dropped on it. */
export function isImagePath(line: string): boolean {
  return /^["']?(?:~|\.{0,2})\/[^\n]*\.(?:png|jpe?g|gif|webp)["']?$/i.test(line) && existsSync(toPath(line));
}

/** A dropped file comes in quotes, or with a backslash before each space. */
function toPath(typed: string): string {
  const plain = typed.trim().replace(/^(["'])(.*)\1$/s, "$2");
  const path = resolve(plain.replace(/^~(?=\/)/, homedir()));
  const unescaped = path.replace(/\\(.)/g, "$1");
  return existsSync(path) || !existsSync(unescaped) ? path : unescaped;
}

/** `typed`: a path, perhaps in quotes or with `~`. `refusal`: a sentence for the person. */
export async function readImageFile(typed: string): Promise<{ image: AttachedImage } | { refusal: string }> {
  const path = toPath(typed);
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) {
      return { refusal: `(${basename(path)} has ${size} bytes, and an image may have ${MAX_BYTES}. Make it smaller.)` };
    }
    const bytes = await readFile(path);
    if (!SIGNATURE.test(bytes.subarray(0, 12).toString("latin1"))) {
      return { refusal: `(${basename(path)} is not a PNG, JPEG, WebP or GIF image.)` };
    }
    return {
      image: { data: `data:application/octet-stream;base64,${bytes.toString("base64")}`, name: basename(path) },
    };
  } catch {
    return { refusal: `(There is no file ${path} that can be read.)` }; // it is absent, a folder, or not readable
  }
}
