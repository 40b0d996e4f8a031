// Reads the folder of another program within limits. Anyone may have made it: no link is followed, only regular files are opened, files with
// secrets are never opened, and a folder without end is cut off. Writes nothing.
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, opendirSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { ForeignFiles, MoveNote } from "../../../core/moving/foreign/foreign-home.ts";
import { isSecret, noteSecrets } from "../../../core/moving/foreign/leftovers.ts";
import { NOT_OF_A_SKILL } from "../../../core/moving/foreign/skill-folders.ts";
import type { ForeignProgram } from "../../../core/schemas/sessions/transcript.ts";
import { quotePath } from "../../../core/moving/foreign/for-clients.ts";
import { UsageError } from "../../connection/connection.ts";

/** [own] Entries that are looked at; a home has a few thousand. */
const MAX_ENTRIES = 50_000;
const MAX_DEPTH = 12;
const MAX_NAMED = 20;
/** [own] Names at the top of a home that are remembered. */
const MAX_TOP = 1_000;

/** What is looked into. The rest of a home may be large and is of no use elsewhere. */
const LOOKED_INTO: Record<ForeignProgram, string[]> = {
  hermes: ["skills", "memories", "cron", "skill-bundles", "SOUL.md", "config.yaml"],
  openclaw: ["workspace", "skills", "agents", "cron", "openclaw.json"],
  claude: ["skills", "commands", "projects", "CLAUDE.md", "settings.json"],
};

/** `notes`: what was not read, and why. Also grows while files are read. */
export interface HomeFolder extends ForeignFiles {
  root: string;
  notes: MoveNote[];
}

/** Throws a UsageError for what is not a folder. */
export function openHome(path: string, program: ForeignProgram, maxEntries = MAX_ENTRIES): HomeFolder {
  const root = toRoot(path);
  const notes: MoveNote[] = [];
  const skipped: string[] = [];
  const secrets: string[] = [];
  const paths: string[] = [];
  let left = maxEntries;

  function walk(folder: string, depth: number): void {
    for (const { name, kind } of listFolder(join(root, folder), () => left--)) {
      const inner = `${folder}/${name}`;
      if (NOT_OF_A_SKILL.test(name)) continue;
      if (isSecret(name, kind === "folder")) secrets.push(inner);
      else if (kind === "file") paths.push(inner);
      else if (kind === "folder" && depth < MAX_DEPTH) walk(inner, depth + 1);
      else skipped.push(inner);
    }
  }

  const top = listFolder(root, () => MAX_TOP).map(({ name }) => name);
  for (const name of LOOKED_INTO[program]) {
    const kind = kindOf(join(root, name));
    if (kind === "file") paths.push(name);
    else if (kind === "folder") walk(name, 1);
    else if (kind !== null) skipped.push(name);
  }
  if (skipped.length > 0) {
    const shown = skipped.slice(0, MAX_NAMED).map(quotePath).join(", ");
    const more = skipped.length > MAX_NAMED ? ` and ${skipped.length - MAX_NAMED} more` : "";
    notes.push({
      kind: "refused",
      what: `${shown}${more}`,
      why: "links, devices and folders in too many others are not opened",
    });
  }
  noteSecrets(secrets, notes);
  if (left <= 0) {
    notes.push({ kind: "refused", what: "the rest of the folder", why: `at most ${maxEntries} files are looked at` });
  }
  const told = new Set<string>();
  return {
    ...{ root, notes, top: top.toSorted(), paths: paths.toSorted() },
    read(inner, maxBytes) {
      const read = readRegular(join(root, inner), maxBytes);
      if (typeof read !== "string") return read;
      if (!told.has(inner)) notes.push({ kind: "refused", what: quotePath(inner), why: read });
      told.add(inner);
      return null;
    },
    md5(pieces) {
      const hash = createHash("md5");
      for (const piece of pieces) hash.update(piece);
      return hash.digest("hex");
    },
  };
}

function toRoot(path: string): string {
  let root: string;
  try {
    root = realpathSync(path);
  } catch {
    throw new UsageError(`There is no folder ${path}.`);
  }
  if (lstatSync(root).isDirectory()) return root;
  throw new UsageError(
    `${path} is not a folder. Name the program's home, such as ~/.hermes, ~/.openclaw or ~/.claude.`,
  );
}

type Kind = "file" | "folder" | "other";

/** `null`: there is none. */
function kindOf(path: string): Kind | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return null;
  return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
}

/** `count`: how many more entries may be read, before each. */
function listFolder(path: string, count: () => number): { name: string; kind: Kind }[] {
  const entries: { name: string; kind: Kind }[] = [];
  let folder;
  try {
    folder = opendirSync(path);
  } catch {
    return []; // it cannot be read, or is gone
  }
  try {
    for (
      let entry = folder.readSync();
      entry && count() > 0 && entries.length < MAX_ENTRIES;
      entry = folder.readSync()
    ) {
      const kind: Kind = entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other";
      entries.push({ name: entry.name, kind });
    }
  } finally {
    folder.closeSync();
  }
  return entries;
}

/** The bytes, or why there are none. A link or a pipe that took the file's place is not opened, and no opening waits. */
function readRegular(path: string, maxBytes: number): Uint8Array | string {
  let file: number;
  try {
    // A link in the path before the last name would lead elsewhere.
    if (realpathSync(path) !== path) return "it is behind a link";
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return "it cannot be opened";
  }
  try {
    const { size, isFile } = ((found) => ({ size: found.size, isFile: found.isFile() }))(fstatSync(file));
    if (!isFile) return "it is not a regular file";
    if (size > maxBytes) return `it has ${size} bytes, and ${maxBytes} are read at most`;
    const bytes = new Uint8Array(size);
    let at = 0;
    while (at < size) {
      const got = readSync(file, bytes, at, size - at, at);
      if (got === 0) break;
      at += got;
    }
    return at < size ? bytes.subarray(0, at) : bytes;
  } catch {
    return "it cannot be read";
  } finally {
    closeSync(file);
  }
}
