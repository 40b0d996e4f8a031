// Reads SKILL.md: YAML frontmatter, then Markdown. Lenient when reading, with warnings; validate.ts decides what may be
// written. Called wherever a skill's text is read. Pure; never throws for any text.
import { toObject } from "../../unknown-object.ts";
import { type Result, err, ok } from "../../errors.ts";
import { readFrontmatter } from "./frontmatter.ts";

export const SKILL_MD = "SKILL.md";
export const DEFAULT_CATEGORY = "general";

export interface SkillDocument {
  name: string;
  description: string;
  /** `category`, or `metadata.category`, or `metadata.hermes.category`, as lower-case words; else `general`. */
  category: string;
  /** Markdown after the frontmatter, with `\n` line ends; empty when there is none. */
  body: string;
  /** All other fields, unchanged. */
  meta: Record<string, unknown>;
  /** Corrections made while reading. */
  warnings: string[];
}

/**
 * `fallbackName` is used when the frontmatter has no name. Failures: `no_frontmatter`, `bad_frontmatter`, `no_name`,
 * `no_description`.
 */
export function parseSkill(text: string, { fallbackName = "" } = {}): Result<SkillDocument> {
  const read = readFrontmatter(text);
  if (!read.ok) return read;
  const { fields, body } = read.value;
  const warnings = [...read.value.warnings];
  const name = textOf(fields, "name", warnings) || fallbackName;
  const description = textOf(fields, "description", warnings);
  if (!name) return err("no_name", "The frontmatter has no `name`: add a line such as `name: reading-logs`.");
  if (!description) {
    return err("no_description", "The frontmatter has no `description`: say in one sentence what it does and when.");
  }
  if (!body) warnings.push("There is no text after the frontmatter.");
  const { name: _name, description: _description, category: _category, ...meta } = fields;
  return ok({ name, description, category: categoryOf(fields), body: body && `${body}\n`, meta, warnings });
}

const MAX_CATEGORY_READ = 4_000;

/** Lower-case words joined by hyphens, at most 64 characters; empty when nothing is left. */
export function toCategory(text: string): string {
  const words =
    text
      .slice(0, MAX_CATEGORY_READ)
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words
    .join("-")
    .slice(0, 64)
    .replace(/(?<!-)-+$/, "");
}

/** The field in one line. Also found when it is capitalised, or one level down in `metadata`. */
function textOf(fields: Record<string, unknown>, key: string, warnings: string[]): string {
  const own = toLine(fields[key]);
  if (own) return own;
  const [other] = Object.keys(fields).filter((name) => name !== key && name.toLowerCase() === key);
  const found = toLine(other === undefined ? undefined : fields[other]);
  if (found) warnings.push(`\`${key}\` is written \`${other}\`.`);
  if (found) return found;
  const nested = toLine(toObject(fields.metadata)[key]);
  if (nested) warnings.push(`\`${key}\` is in \`metadata\`.`);
  return nested;
}

function categoryOf(fields: Record<string, unknown>): string {
  const metadata = toObject(fields.metadata);
  const candidates = [fields.category, metadata.category, toObject(metadata.hermes).category];
  return candidates.map(toText).map(toCategory).find(Boolean) ?? DEFAULT_CATEGORY;
}

/** Removes control characters, which would reach prompts and listings. */
function toLine(value: unknown): string {
  return toText(value)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** YAML reads a name such as `2048` as a number. Lists and maps give the texts in them. */
function toText(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return "";
  const parts = Object.values(value).filter((part) => typeof part === "string");
  return parts.join(" ").trim();
}
