// Makes a copy of a SKILL.md that every validator of the standard accepts: six fields, one style, plain line ends.
// Nothing is lost: fields outside the standard go to metadata. Used by the strict export; the skill itself does not
// change. Pure.
import { isObject } from "../../unknown-object.ts";
import { type Result, ok } from "../../errors.ts";
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import type { SkillName } from "../../schemas/ids.ts";
import { SKILL_MD, parseSkill } from "../format/format.ts";
import { readFrontmatter } from "../format/frontmatter.ts";
import { STANDARD, STANDARD_FIELDS, checkStandard } from "../format/standard.ts";

interface StrictCopy {
  files: FileBodies;
  /** Differences from the original other than form. */
  warnings: string[];
}

/** Failures: those of `parseSkill`. */
export function makeStrictCopy(name: SkillName, files: FileBodies): Result<StrictCopy> {
  const original = textOrEmpty(files[SKILL_MD]);
  const plain = original.replace(/\r\n?/g, "\n");
  if (checkStandard(plain, name).length === 0) return ok({ files: { ...files, [SKILL_MD]: plain }, warnings: [] });
  const parsed = parseSkill(original, { fallbackName: name });
  if (!parsed.ok) return parsed;
  const { description, body, meta } = parsed.value;
  const warnings: string[] = [];
  const metadata = new Map<string, string>();
  const limited = (key: "description" | "compatibility", value: string, most: number) => {
    const shown = shorten(value, most);
    if (shown !== value) {
      metadata.set(`full-${key}`, value);
      warnings.push(`\`${key}\` was cut to ${most} characters; metadata has the full text.`);
    }
    return shown;
  };
  const lines = [`name: ${name}`];
  lines.push(`description: ${quote(limited("description", description, STANDARD.descriptionChars))}`);
  if (hasText(meta.license)) lines.push(`license: ${quote(toValue(meta.license))}`);
  if (hasText(meta.compatibility)) {
    const value = toValue(meta.compatibility);
    lines.push(`compatibility: ${quote(limited("compatibility", value, STANDARD.compatibilityChars))}`);
  }
  if (hasText(meta["allowed-tools"])) lines.push(`allowed-tools: ${quote(toTools(meta["allowed-tools"]))}`);
  const raw = readFrontmatter(original);
  collectMetadata(metadata, raw.ok ? raw.value.fields : meta, name);
  if (metadata.size > 0) lines.push("metadata:");
  for (const [key, value] of metadata) lines.push(`  ${key}: ${quote(value)}`);
  const text = `---\n${lines.join("\n")}\n---\n\n${body}`;
  return ok({ files: { ...files, [SKILL_MD]: text }, warnings });
}

/** Nested keys are joined by dots. A field outside the standard keeps its name after this prefix. */
const PREFIX = "frontmatter.";

function collectMetadata(metadata: Map<string, string>, fields: Record<string, unknown>, name: SkillName): void {
  for (const [key, value] of Object.entries(fields)) {
    if (key === "name" && hasText(value) && toValue(value).trim() !== name) flatten(metadata, `${PREFIX}name`, value);
    else if (key === "metadata" && isObject(value)) flatten(metadata, "", value);
    else if (key === "metadata" || !(STANDARD_FIELDS as readonly string[]).includes(key)) {
      flatten(metadata, `${PREFIX}${key}`, value);
    }
  }
}

function flatten(into: Map<string, string>, path: string, value: unknown): void {
  if (isObject(value) && Object.keys(value).length > 0) {
    for (const [key, inner] of Object.entries(value)) flatten(into, path ? `${path}.${key}` : key, inner);
    return;
  }
  const key = toKey(path);
  let free = key;
  for (let n = 2; into.has(free); n++) free = `${key}-${n}`;
  into.set(free, toValue(value));
}

const MAX_KEY_CHARS = 100;

/** A key that every reader understands as a plain key. */
function toKey(path: string): string {
  const plain = path
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/-{2,}/g, "-")
    .slice(0, MAX_KEY_CHARS)
    .toWellFormed()
    .replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, "");
  return plain || "field";
}

/** Strings as they are, lists joined by commas, deeper values as JSON. */
function toValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null)) {
    return value.map(toValue).join(", ");
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value as number | boolean | bigint);
}

function hasText(value: unknown): boolean {
  return toValue(value).trim() !== "";
}

/** Separated by blanks. A comma inside brackets belongs to its tool. */
function toTools(value: unknown): string {
  const items = Array.isArray(value) ? value.map(toValue) : [toValue(value)];
  return items.map(withoutCommas).join(" ").replace(/\s+/g, " ").trim();
}

/** Keeps commas that are inside brackets. */
function withoutCommas(item: string): string {
  const pieces = item.split(/(?=[()])/);
  return pieces.map((piece, n) => (pieces[n + 1]?.startsWith(")") ? piece : piece.replaceAll(",", " "))).join("");
}

function shorten(text: string, most: number): string {
  const chars = Array.from(text);
  return chars.length <= most
    ? text
    : `${chars
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}

/**
 * In double quotes, which all YAML readers decode alike. Three hyphens are escaped, because some readers end the
 * frontmatter there.
 */
function quote(text: string): string {
  const escape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text.toWellFormed())
    .replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, escape)
    .replace(/-(?=--)/g, "\\x2d");
}
