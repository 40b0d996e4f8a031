// Finds the skills in the files of a home, and reads each with what the program knew of it. Pure.
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { type FileBodies, toBytes, toFileBody } from "../../schemas/file-body.ts";
import type { ForeignProgram } from "../../schemas/sessions/transcript.ts";
import { IMPORT } from "../../skills/exchange/import-limits.ts";
import { SKILL_MD } from "../../skills/format/format.ts";
import { quotePath } from "../../zip/quote-path.ts";
import type { ForeignFiles, ForeignSkill, MoveNote } from "./foreign-home.ts";

/** Folders that programs make while a skill is used. */
export const NOT_OF_A_SKILL = /(?:^|\/)(?:__pycache__|node_modules|\.git|\.venv|venv)(?:\/|$)/;

/**
 * The folders of skills below `root`, which ends in `/`. A SKILL.md inside the folder of another skill belongs to that one. Folders with a dot
 * in front are the program's own.
 */
export function findSkillFolders(files: ForeignFiles, root: string): string[] {
  const found = files.paths
    .filter((path) => path.startsWith(root) && path.endsWith(`/${SKILL_MD}`))
    .map((path) => path.slice(0, -SKILL_MD.length - 1))
    .filter(
      (folder) => !/(?:^|\/)\./.test(folder.slice(root.length)) && !NOT_OF_A_SKILL.test(folder.slice(root.length)),
    )
    .toSorted((a, b) => a.length - b.length);
  const outer: string[] = [];
  for (const folder of found) if (!outer.some((one) => folder.startsWith(`${one}/`))) outer.push(folder);
  return outer.toSorted();
}

export interface KnownOfSkill {
  program: ForeignProgram;
  /** Its folder below the program's folder of skills. */
  identifier: string;
  uses?: number;
  lastUsedDay?: string;
  pinned?: boolean;
  archived?: boolean;
}

/** `null`: it cannot come, which is noted. */
export function readSkillFolder(
  files: ForeignFiles,
  folder: string,
  known: KnownOfSkill,
  notes: MoveNote[],
): ForeignSkill | null {
  const refuse = (why: string) => {
    notes.push({ kind: "refused", what: `skill ${quotePath(known.identifier)}`, why });
    return null;
  };
  const paths = pathsOf(files, folder);
  if (paths.length > IMPORT.files)
    return refuse(`it has ${paths.length} files, and a skill has at most ${IMPORT.files}`);
  const bodies: FileBodies = {};
  let total = 0;
  for (const path of paths) {
    const bytes = files.read(`${folder}/${path}`, IMPORT.bytes);
    total += bytes?.length ?? 0;
    if (!bytes || total > IMPORT.bytes)
      return refuse(`its files cannot be read, or have more than ${IMPORT.bytes} bytes`);
    bodies[path] = toFileBody(bytes);
  }
  return toForeignSkill(folder, bodies, known);
}

export function toForeignSkill(folder: string, files: FileBodies, known: KnownOfSkill): ForeignSkill {
  const { program, identifier, uses, lastUsedDay, pinned, archived } = known;
  return {
    folder,
    files,
    from: {
      ...{ source: program, identifier: identifier.slice(0, MAX_IDENTIFIER), hash: hashAll(files) },
      ...(uses !== undefined && uses > 0 && { uses }),
      ...(lastUsedDay !== undefined && { lastUsedDay }),
      ...(pinned && { pinned: true as const }),
      ...(archived && { archived: true as const }),
    },
  };
}

const MAX_IDENTIFIER = 500;

/** Paths inside the folder. */
export function pathsOf(files: ForeignFiles, folder: string): string[] {
  return files.paths
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1))
    .filter((path) => !NOT_OF_A_SKILL.test(path));
}

/** SHA-256 over the sorted lines `<sha256>  <path>\n`, as in the lock of the hub. */
function hashAll(files: FileBodies): string {
  const lines = Object.keys(files)
    .toSorted()
    .map((path) => `${sha256Hex(toBytes(files[path]!))}  ${path}\n`);
  return sha256Hex(lines.join(""));
}
