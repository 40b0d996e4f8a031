// Files of this machine that a message names with `@`: images go along with the message, every other file is sent to the workspace first.
// The text of a file never becomes part of the message: what the person wrote is theirs, what a file says is content. Used by
// run-command.ts.
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, extname, resolve } from "node:path";
import type { Client } from "../../connection/client.ts";
import { ProblemError } from "../../connection/client.ts";
import { type AttachedImage, isImagePath, readImageFile } from "../../image-file.ts";

/** The folder of the workspace that files are sent to. */
const FOLDER = "uploads";
const MAX_BYTES = 20_000_000;
const MAX_NAMES = 100;

export interface FoundFiles {
  images: AttachedImage[];
  /** Paths of this machine, each once. */
  files: string[];
  /** A sentence for each file that cannot be sent. */
  refusals: string[];
}

/** A name after `@` that is no file stays text: it may be a person's, or a decorator. */
export async function findFiles(text: string, folder: string): Promise<FoundFiles> {
  const found: FoundFiles = { images: [], files: [], refusals: [] };
  const names = [...text.matchAll(/(?:^|\s)@(?:"([^"\n]+)"|(\S+))/g)].map(([, quoted, plain]) => (quoted ?? plain)!);
  for (const name of new Set(names)) {
    const path = await findPath(name, folder);
    if (path === null || found.files.includes(path)) continue;
    if (isImagePath(path)) {
      const read = await readImageFile(path);
      if ("image" in read) found.images.push(read.image);
      else found.refusals.push(read.refusal);
    } else {
      const { size } = await stat(path);
      if (size <= MAX_BYTES) found.files.push(path);
      else found.refusals.push(`(${basename(path)} has ${size} bytes, and a file may have ${MAX_BYTES})`);
    }
  }
  return found;
}

/** `@notes.md, please`: punctuation at the end is not part of the name, unless the file is called so. */
async function findPath(name: string, folder: string): Promise<string | null> {
  for (const one of [name, withoutMarks(name)]) {
    if (one === "") continue;
    const path = resolve(folder, one.replace(/^~(?=\/)/, homedir()));
    if (
      await stat(path).then(
        (found) => found.isFile(),
        () => false,
      )
    )
      return path;
  }
  return null;
}

function withoutMarks(name: string): string {
  let end = name.length;
  while (end > 0 && ".,;:!?)]}'\"".includes(name[end - 1]!)) end--;
  return name.slice(0, end);
}

/** Sends the files to the workspace and says in the message where each of them is. Repeated, it sends nothing twice. */
export async function sendFiles(
  client: Pick<Client, "getFile" | "putFile">,
  session: string,
  text: string,
  files: string[],
): Promise<string> {
  const lines: string[] = [];
  for (const file of files) {
    const bytes = new Uint8Array(await readFile(file));
    const path = await place(client, session, basename(file), bytes);
    lines.push(`${basename(file)} is ${path} in the workspace (${bytes.length} bytes)`);
  }
  return lines.length === 0 ? text : `${text}\n\n[Files sent with this message: ${lines.join("; ")}]`;
}

/** The first free name. A file that is there already with the same content is used again. */
async function place(
  client: Pick<Client, "getFile" | "putFile">,
  session: string,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let n = 1; n <= MAX_NAMES; n++) {
    const path = `${FOLDER}/${n === 1 ? name : `${stem}-${n}${extension}`}`;
    const there = await readThere(client, session, path);
    if (there === null) await client.putFile(session, path, bytes);
    if (there === null || Buffer.compare(there, bytes) === 0) return path;
  }
  throw new Error(`There are ${MAX_NAMES} files named ${name} in ${FOLDER}/ already: rename yours, or delete some.`);
}

async function readThere(client: Pick<Client, "getFile">, session: string, path: string): Promise<Uint8Array | null> {
  try {
    return await client.getFile(session, path);
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 404) return null;
    throw error;
  }
}
