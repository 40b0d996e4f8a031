// What may be written as a skill: its name, its SKILL.md, its support files. Called before every write, by the tools and
// by the API. Pure. Reading is more lenient, see format.ts.
import { type Failure, type Result, err, ok } from "../errors.ts";
import { FIXED } from "../limits.ts";
import { type FileBodies, toBytes } from "../schemas/file-body.ts";
import { MAX_OWN_SKILL_NAME, SKILL_NAME } from "../schemas/ids.ts";
import { SKILL_MD, type SkillDocument, parseSkill } from "./format.ts";

export const SUPPORT_FOLDERS = ["references", "templates", "scripts", "assets"] as const;
const COMPANION_SUFFIX = "-local";
const MAX_PATH_CHARS = 200;

/** What a stranger needs to follow a procedure, in this order. */
const REQUIRED_SECTIONS = ["When to use", "Steps", "Pitfalls", "Verify"] as const;

export interface SkillToCheck {
  name: string;
  files: FileBodies;
  maxFiles: number;
  /** A model's SKILL.md needs the four sections and its own name in the frontmatter; a person writes as they like. */
  writer: "model" | "person";
}

/** Failures: `bad_skill_name`, `bad_skill_md` with the reason, `bad_path`, `too_large`, `too_many_files`, `bad_text`. */
export function validateSkill(skill: SkillToCheck): Result<SkillDocument> {
  const failure = checkSkillName(skill.name) ?? checkFiles(skill);
  return failure ? { ok: false, failure } : checkSkillMd(skill);
}

/** The skill whose companion this is, `null` for any other name. */
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
    return err("bad_skill_name", `${quote(name)} is no skill name: use ${form}, such as reading-logs.`).failure;
  }
  return null;
}

/** Where a support file may stand. Never for SKILL.md itself. */
export function checkSupportPath(path: string): Failure | null {
  const segments = path.split("/");
  const isPlain = segments.every((segment) => /^[\w][\w. +@-]*$/u.test(segment) && !segment.endsWith("."));
  const isPlaced = segments.length >= 2 && (SUPPORT_FOLDERS as readonly string[]).includes(segments[0] ?? "");
  if (isPlain && isPlaced && path.length <= MAX_PATH_CHARS) return null;
  const folders = SUPPORT_FOLDERS.map((folder) => `${folder}/`).join(", ");
  return err(
    "bad_path",
    `${quote(path)} is no place for a support file: use a relative path under ${folders}, such as references/details.md.`,
  ).failure;
}

function checkFiles({ files, maxFiles }: SkillToCheck): Failure | null {
  const paths = Object.keys(files);
  if (!Object.hasOwn(files, SKILL_MD)) return err("bad_skill_md", "A skill needs a SKILL.md.").failure;
  if (paths.length > maxFiles) {
    return err("too_many_files", `A skill has at most ${maxFiles} files, this one ${paths.length}: merge some.`)
      .failure;
  }
  for (const path of paths) {
    const body = files[path]!;
    const failure = path === SKILL_MD ? null : checkSupportPath(path);
    if (failure) return failure;
    if (typeof body === "string" && !body.isWellFormed()) {
      return err("bad_text", `${path} holds half of a surrogate pair and cannot be stored: write it again.`).failure;
    }
    if (path !== SKILL_MD && toBytes(body).length > FIXED.skillFileBytes) {
      return err("too_large", `${path} is larger than ${FIXED.skillFileBytes} bytes: split or shorten it.`).failure;
    }
  }
  return null;
}

function checkSkillMd({ name, files, writer }: SkillToCheck): Result<SkillDocument> {
  const text = files[SKILL_MD];
  if (typeof text !== "string") return err("bad_skill_md", "SKILL.md is not UTF-8 text.", { reason: "not_text" });
  if (text.length > FIXED.skillMdChars) {
    const most = FIXED.skillMdChars;
    return err("too_large", `SKILL.md has ${text.length} characters of ${most}: move detail to references/.`);
  }
  const parsed = parseSkill(text);
  if (!parsed.ok) return err("bad_skill_md", parsed.failure.message, { reason: parsed.failure.code });
  const { description, name: written } = parsed.value;
  if (description.length > FIXED.descriptionChars) {
    const most = FIXED.descriptionChars;
    return err("bad_skill_md", `The description has ${description.length} characters of ${most}: shorten it.`, {
      reason: "long_description",
    });
  }
  if (writer === "person") {
    const warning = `The frontmatter says ${quote(written)}; the skill is called ${quote(name)}.`;
    const warnings = written === name ? [] : [warning];
    return ok({ ...parsed.value, warnings: [...parsed.value.warnings, ...warnings] });
  }
  if (written !== name) {
    return err("bad_skill_md", `The frontmatter says ${quote(written)}: write \`name: ${name}\`.`, { reason: "name" });
  }
  const missing = missingSections(parsed.value.body);
  if (missing.length === 0) return parsed;
  const list = missing.map((section) => `\`## ${section}\``).join(", ");
  return err("bad_skill_md", `SKILL.md lacks these sections, or they are empty: ${list}. Add them.`, {
    reason: "sections",
    missing,
  });
}

/** A heading inside a fenced block is an example, not a section. A section reaches to the next heading of its level. */
function missingSections(body: string): string[] {
  // The look-ahead takes the whole run or nothing: a shorter one is never tried again.
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
