// Validates what may be written as a skill: its name, its SKILL.md and its support files. Called before every write, by
// the tools and by the API. Pure. Reading is more lenient, see format.ts.
import { clip } from "../../clip.ts";
import { type Failure, type Result, err, ok } from "../../errors.ts";
import { FIXED } from "../../limits.ts";
import { type FileBodies, toBytes, bodyAt, isSameBody } from "../../schemas/file-body.ts";
import { MAX_OWN_SKILL_NAME, SKILL_NAME } from "../../schemas/ids.ts";
import { REQUESTS_FILE } from "../../schemas/skill-requests.ts";
import { checkPath, checkPathConflicts } from "../exchange/paths.ts";
import { SKILL_MD, type SkillDocument, parseSkill } from "./format.ts";
import { checkStandard } from "./standard.ts";

export const SUPPORT_FOLDERS = ["references", "templates", "scripts", "assets", "checks"] as const;
const COMPANION_SUFFIX = "-local";
const MAX_PATH_CHARS = 200;

/** The sections that a reader needs to follow a procedure, in this order. */
export const REQUIRED_SECTIONS = ["When to use", "Steps", "Pitfalls", "Verify"] as const;

interface SkillToCheck {
  name: string;
  files: FileBodies;
  maxFiles: number;
  /**
   * A model's SKILL.md needs the four sections and a frontmatter by the Agent Skills standard, and its files must be in
   * the five folders. A person, or the author of an import, may write freely.
   */
  writer: "model" | "person";
  /** The files before the change. An unchanged file is not validated again. */
  currentFiles?: FileBodies;
}

/** Failures: `bad_skill_name`, `bad_skill_md` with the reason, `bad_path`, `too_large`, `too_many_files`, `bad_text`. */
export function validateSkill(skill: SkillToCheck): Result<SkillDocument> {
  const failure = checkSkillName(skill.name) ?? checkFiles(skill);
  return failure ? { ok: false, failure } : checkSkillMd(skill);
}

/** The skill that this one is a companion of; `null` for any other name. */
export function baseOf(name: string): string | null {
  return name.endsWith(COMPANION_SUFFIX) ? name.slice(0, -COMPANION_SUFFIX.length) : null;
}

export function companionOf(name: string): string {
  return `${name}${COMPANION_SUFFIX}`;
}

export function checkSkillName(name: string): Failure | null {
  const base = baseOf(name) ?? name;
  if (!SKILL_NAME.test(name) || base.length > MAX_OWN_SKILL_NAME || baseOf(base) !== null) {
    const form = `lower-case words and digits joined by single hyphens, at most ${MAX_OWN_SKILL_NAME} characters`;
    return err("bad_skill_name", `${quote(name)} is not a valid skill name: use ${form}, such as reading-logs.`)
      .failure;
  }
  return null;
}

/** Validates the path of a support file. Not for SKILL.md itself. */
export function checkSupportPath(path: string): Failure | null {
  const segments = path.split("/");
  const isPlain = segments.every((segment) => /^[\w][\w. +@-]*$/u.test(segment) && !segment.endsWith("."));
  const isPlaced = segments.length >= 2 && (SUPPORT_FOLDERS as readonly string[]).includes(segments[0] ?? "");
  if (isPlain && isPlaced && path.length <= MAX_PATH_CHARS) return null;
  const folders = SUPPORT_FOLDERS.map((folder) => `${folder}/`).join(", ");
  return err(
    "bad_path",
    `${quote(path)} is not a valid path for a support file: use a relative path under ${folders}, such as references/details.md.`,
  ).failure;
}

/** A person may use any relative path that means the same on every system. */
function checkPlace(path: string, writer: SkillToCheck["writer"]): Failure | null {
  if (writer === "model") return checkSupportPath(path);
  if (!checkPath(path)) return null;
  return err(
    "bad_path",
    `${quote(path)} is not a valid path of a skill's file: use a relative one, such as references/a.md.`,
  ).failure;
}

function checkFiles({ files, maxFiles, writer, currentFiles = {} }: SkillToCheck): Failure | null {
  const paths = Object.keys(files);
  if (!Object.hasOwn(files, SKILL_MD)) return err("bad_skill_md", "A skill needs a SKILL.md.").failure;
  if (paths.length > Math.max(maxFiles, Object.keys(currentFiles).length)) {
    return err("too_many_files", `A skill has at most ${maxFiles} files, this one ${paths.length}: merge some.`)
      .failure;
  }
  const added = paths.filter((path) => !Object.hasOwn(currentFiles, path));
  const clash = added.length > 0 ? checkPathConflicts(paths) : null;
  if (clash) return clash;
  for (const path of paths) {
    const body = files[path]!;
    if (isSameBody(bodyAt(currentFiles, path), body)) continue;
    const failure = path === SKILL_MD || path === REQUESTS_FILE ? null : checkPlace(path, writer);
    if (failure) return failure;
    if (typeof body === "string" && !body.isWellFormed()) {
      return err("bad_text", `${path} contains half of a surrogate pair and cannot be stored: write it again.`).failure;
    }
    if (path !== SKILL_MD && toBytes(body).length > FIXED.skillFileBytes) {
      return err("too_large", `${path} is larger than ${FIXED.skillFileBytes} bytes: split or shorten it.`).failure;
    }
  }
  return null;
}

function checkSkillMd({ name, files, writer, currentFiles }: SkillToCheck): Result<SkillDocument> {
  const text = files[SKILL_MD];
  if (typeof text !== "string") return err("bad_skill_md", "SKILL.md is not UTF-8 text.", { reason: "not_text" });
  const most = FIXED.skillMdChars;
  // Counts code points, as the import does.
  const chars = text.length > most ? Array.from(text).length : text.length;
  if (chars > most) {
    return err("too_large", `SKILL.md has ${chars} characters of ${most}: move detail to references/.`);
  }
  const parsed = parseSkill(text, writer === "person" ? { fallbackName: name } : {});
  if (!parsed.ok) return err("bad_skill_md", parsed.failure.message, { reason: parsed.failure.code });
  return writer === "person"
    ? ok(toLenientDocument(parsed.value, name))
    : checkModelText(parsed.value, { name, text, currentFiles });
}

function toLenientDocument(document: SkillDocument, name: string): SkillDocument {
  const { description, name: written } = document;
  const warnings = [...document.warnings];
  if (written !== name) warnings.push(`The frontmatter says ${quote(written)}; the skill is called ${quote(name)}.`);
  const most = FIXED.descriptionChars;
  if (description.length <= most) return { ...document, warnings };
  warnings.push(`The description has ${description.length} characters; listings show ${most}.`);
  return { ...document, description: clip(description, most), warnings };
}

interface ModelText {
  name: string;
  text: string;
  currentFiles: FileBodies | undefined;
}

function checkModelText(document: SkillDocument, { name, text, currentFiles }: ModelText): Result<SkillDocument> {
  const { description, name: written } = document;
  if (description.length > FIXED.descriptionChars) {
    const most = FIXED.descriptionChars;
    return err("bad_skill_md", `The description has ${description.length} characters of ${most}: shorten it.`, {
      reason: "long_description",
    });
  }
  if (written !== name) {
    return err("bad_skill_md", `The frontmatter says ${quote(written)}: write \`name: ${name}\`.`, { reason: "name" });
  }
  const present = currentFiles?.[SKILL_MD];
  const isNew = typeof present !== "string" || frontmatterTextOf(present) !== frontmatterTextOf(text);
  const faults = isNew ? frontmatterFaults(document, text, name) : [];
  if (faults.length > 0) {
    return err("bad_skill_md", faults.slice(0, MAX_FAULTS).join(" "), { reason: "standard" });
  }
  const missing = missingSections(document.body);
  if (missing.length === 0) return ok(document);
  const list = missing.map((section) => `\`## ${section}\``).join(", ");
  return err("bad_skill_md", `SKILL.md lacks these sections, or they are empty: ${list}. Add them.`, {
    reason: "sections",
    missing,
  });
}

const MAX_FAULTS = 3;

/** Violations of the Agent Skills standard, one sentence each that says what to write. */
function frontmatterFaults({ meta }: SkillDocument, text: string, name: string): string[] {
  const faults = checkStandard(text, name);
  if (faults.some((fault) => fault.includes('"category"'))) {
    faults.push("A category is a line `  category: ops` below a line `metadata:`, or the tool's category argument.");
  }
  if (/\t/.test(frontmatterTextOf(text))) faults.push("The frontmatter contains tabs: indent with two spaces.");
  const metadata = Object.entries(typeof meta.metadata === "object" ? (meta.metadata ?? {}) : {});
  const [odd] = metadata.find(([, value]) => typeof value !== "string" && typeof value !== "object") ?? [];
  // The reference validator accepts a number or a boolean as text; others do not.
  if (odd !== undefined) faults.push(`In metadata the value of ${quote(odd)} is not text: put it in double quotes.`);
  return faults;
}

/** The frontmatter without the line that ends it. */
function frontmatterTextOf(text: string): string {
  const end = text.indexOf("\n---", 3);
  return end < 0 ? text : text.slice(0, end);
}

/**
 * The required sections that are missing or empty. Headings in fenced blocks are examples. A section ends at the next
 * heading of its level.
 */
function missingSections(body: string): string[] {
  // The look-ahead matches the whole run or nothing, so a shorter run is never tried.
  const prose = body.replace(/^(?=(`{3,}|~{3,}))\1.*\n[\s\S]*?^\1.*$/gm, "(example)");
  const parts = prose.split(/^(#{1,6})[ \t]+/m).slice(1);
  const sections = parts
    .flatMap((part, i) => (i % 2 === 0 ? [{ level: part.length, text: parts[i + 1] ?? "" }] : []))
    .map((part) => ({ ...part, isEmpty: part.text.replace(/^.*/, "").trim() === "" }));
  return REQUIRED_SECTIONS.filter((wanted) => {
    const opening = new RegExp(`^${wanted}(?![\\p{L}\\p{N}])`, "iu");
    return !sections.some((section, i) => {
      if (!opening.test(section.text)) return false;
      const next = sections.findIndex((other, j) => j > i && other.level <= section.level);
      return sections.slice(i, next < 0 ? undefined : next).some((part) => !part.isEmpty);
    });
  });
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
