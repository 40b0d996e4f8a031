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
const Mark = z.object({ v: z.literal(1), program: z.string(), files: z.record(z.string(), z.string()) });

export interface OutFolder {
  root: string;
  /** Puts a file in place. False: somebody else's is there, which is noted. */
  put(path: string, body: FileBody): boolean;
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
  const isOurs = (inner: string) =>
    before?.files[inner] !== undefined && before.files[inner] === hashOf(join(root, inner));

  function put(inner: string, body: FileBody): boolean {
    const target = join(root, inner);
    if (existsSync(target) && !isOurs(inner)) {
      notes.push({
        kind: "refused",
        what: quotePath(inner),
        why: "it was changed there since it was written; it stays as it is",
      });
      if (before?.files[inner]) written[inner] = before.files[inner];
      return false;
    }
    mkdirSync(dirname(target), { recursive: true });
    const folder = realpathSync(dirname(target));
    if (folder !== root && !folder.startsWith(root + sep))
      throw new UsageError(`${inner} is behind a link out of ${path}.`);
    const bytes = toBytes(body);
    const partial = `${target}.partial`;
    rmSync(partial, { force: true });
    writeFileSync(partial, bytes, { flag: "wx", mode: 0o600 });
    renameSync(partial, target);
    written[inner] = createHash("sha256").update(bytes).digest("hex");
    return true;
  }

  return {
    ...{ root, put },
    end() {
      for (const inner of Object.keys(before?.files ?? {})) {
        if (written[inner] === undefined && isOurs(inner)) rmSync(join(root, inner), { force: true });
      }
      const mark: z.infer<typeof Mark> = { v: 1, program, files: written };
      writeFileSync(join(root, MARK), `${JSON.stringify(mark, null, 2)}\n`);
    },
  };
}

function readMark(root: string, program: string): z.infer<typeof Mark> | null {
  const text = existsSync(join(root, MARK)) ? readFileSync(join(root, MARK), "utf8") : null;
  if (text === null) return null;
  let mark: z.infer<typeof Mark> | undefined;
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
  return existsSync(path) ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
}
