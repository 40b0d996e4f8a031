// Writes a home for another program into a folder that is empty, or that an earlier export has made. A file that somebody has changed since,
// or that is not ours, is never replaced.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";
import * as z from "zod";
import type { MoveNote } from "../../../core/moving/foreign/foreign-home.ts";
import { type FileBody, toBytes } from "../../../core/schemas/file-body.ts";
import { quotePath } from "../../../core/moving/foreign/for-clients.ts";
import { UsageError } from "../../connection/connection.ts";

/** Says which files an export wrote, with the SHA-256 of each. */
const MARK = ".talaria-export.json";
/** `next`: of files that were about to be written when the export was cut off. */
const Hashes = z.record(z.string(), z.string());
const Mark = z.object({ v: z.literal(1), program: z.string(), files: Hashes, next: Hashes.optional() });
type Mark = z.infer<typeof Mark>;

export interface OutFolder {
  root: string;
  /** Puts files in place. Where somebody else's is, it stays, which is noted. Returns the paths that were written. */
  put(files: ReadonlyMap<string, FileBody>): string[];
  /** Removes what an earlier export wrote and this one did not, and writes down what is there. */
  end(): void;
}

/** Throws a UsageError for a folder that holds what this program has not written. */
export function openOutFolder(path: string, program: string, notes: MoveNote[]): OutFolder {
  mkdirSync(path, { recursive: true });
  const root = realpathSync(path);
  const before = readMark(root, program);
  if (!before && readdirSync(root).length > 0) {
    throw new UsageError(`${path} is not empty. Name an empty folder, or one that this command has made.`);
  }
  const written: Record<string, string> = {};
  let known: Mark = before ?? { v: 1, program, files: {} };
  const writeMark = (mark: Mark) => {
    writeFileSync(join(root, `${MARK}.partial`), `${JSON.stringify(mark, null, 2)}\n`);
    renameSync(join(root, `${MARK}.partial`), join(root, MARK));
    known = mark;
  };
  const isOurs = (inner: string) => {
    const hash = hashOf(join(root, inner));
    return hash !== "" && (known.files[inner] === hash || known.next?.[inner] === hash);
  };

  function putOne(inner: string, bytes: Uint8Array): boolean {
    const target = join(root, inner);
    if (existsSync(target) && !isOurs(inner)) {
      const why = "it was changed there since it was written; it stays as it is";
      notes.push({ kind: "refused", what: quotePath(inner), why });
      if (known.files[inner] !== undefined) written[inner] = known.files[inner];
      return false;
    }
    mkdirSync(dirname(target), { recursive: true });
    const folder = realpathSync(dirname(target));
    if (folder !== root && !folder.startsWith(root + sep))
      throw new UsageError(`${inner} is behind a link out of ${path}.`);
    const partial = `${target}.partial`;
    rmSync(partial, { force: true });
    writeFileSync(partial, bytes, { flag: "wx", mode: 0o600 });
    renameSync(partial, target);
    written[inner] = sha256Of(bytes);
    return true;
  }

  function put(files: ReadonlyMap<string, FileBody>): string[] {
    const bytes = new Map([...files].map(([inner, body]) => [inner, toBytes(body)]));
    // What is about to be written is noted first: an export that was cut off knows its own files again.
    const next = Object.fromEntries([...bytes].map(([inner, one]) => [inner, sha256Of(one)]));
    writeMark({ ...known, next: { ...known.next, ...next } });
    return [...bytes].flatMap(([inner, one]) => (putOne(inner, one) ? [inner] : []));
  }

  return {
    ...{ root, put },
    end() {
      for (const inner of Object.keys(before?.files ?? {})) {
        if (written[inner] === undefined && isOurs(inner)) rmSync(join(root, inner), { force: true });
      }
      writeMark({ v: 1, program, files: written });
    },
  };
}

function readMark(root: string, program: string): Mark | null {
  const text = existsSync(join(root, MARK)) ? readFileSync(join(root, MARK), "utf8") : null;
  if (text === null) return null;
  let mark: Mark | undefined;
  try {
    mark = Mark.safeParse(JSON.parse(text)).data;
  } catch {
    // Not JSON: refused below.
  }
  if (mark?.program === program) return mark;
  throw new UsageError(`${root} was written for another program. Name another folder.`);
}

/** An empty text: there is no such file. */
function hashOf(path: string): string {
  return existsSync(path) ? sha256Of(readFileSync(path)) : "";
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
