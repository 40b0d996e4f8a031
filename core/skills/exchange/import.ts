// Reads an imported skill: its name, its description, and its files unchanged. Lenient in form, strict in safety.
// Called by the import route and the bench. Pure: a SkillStore writes the result.
import * as z from "zod";
import { type Failure, type Result, err, ok } from "../../errors.ts";
import { FIXED } from "../../limits.ts";
import type { SkillChange } from "../../ports.ts";
import { hashFiles, textOfFiles } from "../../schemas/learning/digest.ts";
import { type FileBodies, toBytes, toFileBody } from "../../schemas/file-body.ts";
import type { SkillName } from "../../schemas/ids.ts";
import { ForeignProgram } from "../../schemas/sessions/transcript.ts";
import { Provenance } from "../../schemas/skill.ts";
import { SKILL_MD, parseSkill } from "../format/format.ts";
import type { Health } from "../health.ts";
import { liftWithdrawal } from "../history.ts";
import type { Seeds } from "../library.ts";
import { checkImportName } from "../edit/protection.ts";
import { baseOf, checkSkillName } from "../format/validate.ts";
import { unpack } from "./archive.ts";
import { archiveTooLarge } from "./archive-failure.ts";
import { IMPORT } from "./import-limits.ts";
import { quotePath } from "../../zip/quote-path.ts";
import { checkPath, checkPathConflicts } from "./paths.ts";
import { chooseName } from "./skill-name.ts";

export interface ImportedSkill {
  name: SkillName;
  /** One line of at most 1,024 characters. The file keeps the full text. */
  description: string;
  category: string;
  /** Unchanged, byte for byte. */
  files: FileBodies;
  /** Corrections that were made, in sentences for a person. */
  warnings: string[];
}

/** What another program knew of a skill. It then keeps its place there, and who pinned or archived it meant the same. */
export const MovedSkill = Provenance.extend({
  source: ForeignProgram,
  identifier: z.string().min(1).max(500),
  version: z.string().min(1).max(200).optional(),
  pinned: z.literal(true).optional(),
  archived: z.literal(true).optional(),
}).strict();
export type MovedSkill = z.infer<typeof MovedSkill>;

export interface ImportOptions {
  /** The skill's name, which overrides the one in its text. */
  name?: string;
  /** The name of the folder or of the archive without its extension. */
  folder?: string;
}

/** A zip, a `.skill` or a tar.gz. Failures: those of `unpack` and of `readFolder`. */
export function readArchive(archive: Uint8Array, options: ImportOptions = {}): Result<ImportedSkill> {
  const unpacked = unpack(archive);
  return unpacked.ok ? readFiles(unpacked.value, options) : unpacked;
}

/** Contents by path. Failures: `bad_path`, `too_many_files`, `archive_too_large`, `bad_skill_md`, `bad_skill_name`, `bad_text`. */
export function readFolder(files: FileBodies, options: ImportOptions = {}): Result<ImportedSkill> {
  for (const [path, body] of Object.entries(files)) {
    if (typeof body !== "string" || body.isWellFormed()) continue;
    return err(
      "bad_text",
      `${quotePath(path)} contains half of a surrogate pair and cannot be stored: write it again.`,
    );
  }
  const entries = Object.entries(files).map(([path, body]): [string, Uint8Array] => [path, toBytes(body)]);
  return readFiles(entries, options);
}

/** A single SKILL.md without other files. */
export function readSkillMd(bytes: Uint8Array, options: ImportOptions = {}): Result<ImportedSkill> {
  return readFiles([[SKILL_MD, bytes]], options);
}

function readFiles(entries: [path: string, bytes: Uint8Array][], options: ImportOptions): Result<ImportedSkill> {
  const warnings: string[] = [];
  const kept = dropSystemFiles(entries, warnings);
  const failure = checkEntries(kept);
  if (failure) return { ok: false, failure };
  const rooted = findRoot(kept, options.folder ?? "", warnings);
  if (!rooted.ok) return rooted;
  const { folder, files } = rooted.value;
  const read = readOwn(files[SKILL_MD]!, folder);
  if (!read.ok) return read;
  const { document } = read.value;
  const chosen =
    options.name === undefined ? chooseName(read.value.written, folder) : { name: options.name, warnings: [] };
  const wrong = checkSkillName(chosen.name);
  if (wrong) return { ok: false, failure: wrong };
  const isLong = document.description.length > FIXED.descriptionChars;
  if (isLong) {
    warnings.push(
      `The description has ${document.description.length} characters; listings show ${FIXED.descriptionChars}.`,
    );
  }
  return ok({
    name: chosen.name,
    description: isLong ? cut(document.description, FIXED.descriptionChars) : document.description,
    category: document.category,
    files,
    warnings: [...warnings, ...document.warnings, ...chosen.warnings],
  });
}

/** Files that operating systems and git leave in folders. */
const SYSTEM_FILE = /(?:^|\/)(?:__MACOSX\/|\.git\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._[^/]*$)/;

function dropSystemFiles(entries: [string, Uint8Array][], warnings: string[]): [string, Uint8Array][] {
  const kept = entries.filter(([path]) => !SYSTEM_FILE.test(path));
  const dropped = entries.length - kept.length;
  if (dropped > 0) warnings.push(`${dropped} files of operating systems or git were left out.`);
  return kept;
}

function checkEntries(entries: [string, Uint8Array][]): Failure | null {
  if (entries.length > IMPORT.files) {
    const most = IMPORT.files;
    return err("too_many_files", `A skill has at most ${most} files, this one ${entries.length}: merge some.`).failure;
  }
  const paths = entries.map(([path]) => path);
  for (const path of paths) {
    const failure = checkPath(path);
    if (failure) return failure;
  }
  const total = entries.reduce((sum, [, bytes]) => sum + bytes.length, 0);
  if (total > IMPORT.bytes) {
    const sentence = `The skill has ${total} bytes of ${IMPORT.bytes}: leave out what is not needed.`;
    return archiveTooLarge(sentence).failure;
  }
  return checkPathConflicts(paths);
}

interface RootedFiles {
  folder: string;
  files: FileBodies;
}

/** Makes the folder of SKILL.md the root. All files must lie in it. */
function findRoot(entries: [string, Uint8Array][], given: string, warnings: string[]): Result<RootedFiles> {
  const only = entries.length === 1 ? entries[0] : undefined;
  const isLone = only !== undefined && /\.(?:md|markdown)$/i.test(only[0]) && !isSkillMd(only[0]);
  const main = isLone ? only[0] : nearestSkillMd(entries.map(([path]) => path));
  if (main === null) {
    return err("bad_skill_md", "There is no SKILL.md: it must be at the root or in the only folder.", {
      reason: "missing",
    });
  }
  const prefix = main.slice(0, main.lastIndexOf("/") + 1);
  const outside = entries.find(([path]) => !path.startsWith(prefix));
  if (outside) {
    const places = `${quotePath(outside[0])} is outside the folder of ${quotePath(main)}`;
    return err("bad_skill_md", `${places}: import one skill at a time, its folder alone.`, { reason: "not_alone" });
  }
  const base = main.slice(prefix.length);
  if (base !== SKILL_MD) warnings.push(`${quotePath(base)} was taken as SKILL.md.`);
  const files: [path: string, body: FileBodies[string]][] = [];
  for (const [path, bytes] of entries) {
    const own = path.slice(prefix.length);
    // Without the folder in front, a valid path may become invalid.
    const failure = checkPath(own);
    if (failure) return { ok: false, failure };
    files.push([own === base ? SKILL_MD : own, toOwnBody(bytes)]);
  }
  const folder = prefix.split("/").at(-2) || (isLone ? base.replace(/\.\w+$/, "") : given);
  return ok({ folder, files: Object.fromEntries(files) });
}

/** Copies the bytes. A view would keep the whole archive in memory for as long as a cache keeps the file. */
function toOwnBody(bytes: Uint8Array): FileBodies[string] {
  const body = toFileBody(bytes);
  return typeof body !== "string" && body.length < body.buffer.byteLength ? body.slice() : body;
}

function isSkillMd(path: string): boolean {
  return /(?:^|\/)skill\.md$/i.test(path);
}

/** The SKILL.md nearest to the root; null when there is none. Of several at the same depth, the first by name. */
function nearestSkillMd(paths: string[]): string | null {
  // Two skills side by side each lie outside the other's folder, so either choice gives the right refusal.
  return paths.filter(isSkillMd).sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))[0] ?? null;
}

function depthOf(path: string): number {
  return path.split("/").length;
}

function readOwn(body: FileBodies[string], folder: string) {
  if (typeof body !== "string") {
    return err("bad_skill_md", "SKILL.md is not UTF-8 text: save it as UTF-8.", { reason: "not_text" });
  }
  if (body.length > FIXED.skillMdChars && Array.from(body).length > FIXED.skillMdChars) {
    const most = FIXED.skillMdChars;
    return err("bad_skill_md", `SKILL.md has more than ${most} characters: move detail to references/.`, {
      reason: "too_large",
    });
  }
  const parsed = parseSkill(body, { fallbackName: NAMELESS });
  if (!parsed.ok) return err("bad_skill_md", parsed.failure.message, { reason: parsed.failure.code });
  const { name } = parsed.value;
  if (name === NAMELESS && folder === "") {
    return err(
      "bad_skill_md",
      "The frontmatter has no `name`, and there is no folder to name it after: add a line such as `name: reading-logs`.",
      {
        reason: "no_name",
      },
    );
  }
  return ok({ document: parsed.value, written: name === NAMELESS ? "" : name });
}

/** Cannot occur in frontmatter, whose values have no control characters. */
const NAMELESS = "\0";

/** Cuts at a space if one is near. */
function cut(text: string, most: number): string {
  const head = text
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "");
  const blank = head.lastIndexOf(" ");
  return `${blank > most - 80 ? head.slice(0, blank) : head}…`;
}

/**
 * A decision for `SkillStore.change`. The skill is the person's own, and on trial until it has helped here. Failures:
 * `skill_exists`, `companion_name`.
 */
export function toImport(
  skill: ImportedSkill,
  { replace, seeds, health, moved }: { replace: boolean; seeds: Seeds; health?: Health; moved?: MovedSkill },
): SkillChange["decide"] {
  const { name, files, description, category } = skill;
  return (current, index) => {
    const refusal = checkImportName(name, seeds);
    if (refusal) return { ok: false, failure: refusal };
    const isThere = current ? current.head.state !== "archived" : Object.hasOwn(seeds, name);
    if (isThere && !replace) {
      const advice = "import it with `replace=true`, or under another `name`";
      return err("skill_exists", `There is already a skill \`${name}\`: ${advice}.`);
    }
    const base = baseOf(name);
    const text = textOfFiles(hashFiles(files));
    const isArchived = current?.head.state === "archived";
    // Importing the same text again says nothing new about it.
    const known = current && !isArchived && current.head.text === text ? current.head.state : "trial";
    const state = moved?.archived && known === "trial" ? "archived" : known;
    const { archived: _, pinned, ...from } = moved ?? {};
    const extended =
      base !== null && (Object.hasOwn(index.skills, base) || Object.hasOwn(seeds, base)) ? base : undefined;
    return ok({
      files,
      description,
      category,
      state,
      origin: "user",
      citations: [],
      ...(health && { health }),
      ...(moved && { from: Provenance.parse(from) }),
      ...(pinned && { pinned }),
      ...(moved?.archived && state === "archived" && { reason: `It was archived in ${moved.source}.` }),
      ...(extended && { extends: extended }),
      ...(current && current.head.state !== state && { reason: "Imported by a person." }),
      // A public skill of this name was a different skill, now archived.
      ...(isArchived && { public: false, startsOver: true as const }),
      ...(current && liftWithdrawal(current.head, text)),
    });
  };
}
