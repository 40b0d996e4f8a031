// Reads SKILL.md: YAML frontmatter, then Markdown. Lenient in what it reads, with warnings; validate.ts says
// what may be written. Called by everything that meets a skill's text. Pure; never throws, whatever the text.
import { isMap, parseDocument } from "yaml";
import { type Result, err, messageOf, ok } from "../errors.ts";

export const SKILL_MD = "SKILL.md";
export const DEFAULT_CATEGORY = "general";

export interface SkillDocument {
  name: string;
  description: string;
  /** `category`, or `metadata.category`, or `metadata.hermes.category`, as lower-case words; else `general`. */
  category: string;
  /** Markdown after the frontmatter, with `\n` line ends. */
  body: string;
  /** All other fields as they stood. */
  meta: Record<string, unknown>;
  /** What was put right while reading. */
  warnings: string[];
}

/** A byte-order mark and CRLF line ends are common in the wild; the closing line may be the last one. */
const FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n([\s\S]*))?$/;

/** Failures: `no_frontmatter`, `bad_frontmatter`, `no_name`, `no_description`, `no_body`. */
export function parseSkill(text: string): Result<SkillDocument> {
  const match = FRONTMATTER.exec(text);
  if (!match) {
    return err(
      "no_frontmatter",
      "A SKILL.md begins with a line `---`, then `name:` and `description:`, then a line `---`, then Markdown.",
    );
  }
  const [, header = "", rest = ""] = match;
  const warnings: string[] = [];
  const fields = parseHeader(header, warnings);
  if (!fields.ok) return fields;
  const { name: rawName, description: rawDescription, category: _category, ...meta } = fields.value;
  const name = toText(rawName);
  const description = toText(rawDescription).replace(/\s+/gu, " ");
  const body = rest.replace(/\r\n/g, "\n").trim();
  if (!name) return err("no_name", "The frontmatter has no `name`: add a line such as `name: reading-logs`.");
  if (!description) {
    return err("no_description", "The frontmatter has no `description`: say in one sentence what it does and when.");
  }
  if (!body) return err("no_body", "There is no text after the frontmatter: write the procedure there.");
  return ok({ name, description, category: categoryOf(fields.value), body: `${body}\n`, meta, warnings });
}

/** Lower-case words joined by hyphens, at most 64 characters; empty when nothing is left. */
export function toCategory(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, 64).replace(/-+$/, "");
}

function parseHeader(header: string, warnings: string[]): Result<Record<string, unknown>> {
  const first = readYaml(header);
  if (first.ok) return first;
  const repaired = quoteColons(header);
  const second = repaired === header ? first : readYaml(repaired);
  if (!second.ok) return first;
  warnings.push("The frontmatter was not YAML; values with a colon or an odd first character were quoted.");
  return second;
}

/** A parser of YAML may take time in the square of this. */
const MAX_HEADER_CHARS = 16_000;

function readYaml(header: string): Result<Record<string, unknown>> {
  if (header.length > MAX_HEADER_CHARS) {
    const most = `${header.length} characters of ${MAX_HEADER_CHARS}`;
    return err("bad_frontmatter", `The frontmatter has ${most}: keep name and description, move the rest below.`);
  }
  try {
    const document = parseDocument(header, { logLevel: "silent", stringKeys: true });
    const problem = document.errors[0];
    if (problem) return err("bad_frontmatter", `The frontmatter is not YAML: ${firstLine(problem.message)}.`);
    if (!isMap(document.contents)) {
      return err("bad_frontmatter", "The frontmatter is not a mapping: write one `key: value` a line.");
    }
    return ok(document.toJS({ maxAliasCount: 20 }) as Record<string, unknown>);
  } catch (thrown) {
    // An alias that points at nothing, or too many of them.
    return err("bad_frontmatter", `The frontmatter cannot be read: ${firstLine(messageOf(thrown))}.`);
  }
}

/** `description: Use when: always` is the commonest fault in the wild; `key: \`x\`` and `key: @x` come next. */
function quoteColons(header: string): string {
  return header.replace(/^([A-Za-z][\w-]*):[ \t]+(\S.*)$/gm, (line, key: string, rest: string) => {
    const value = rest.trimEnd();
    const isFaulty = !/^["'[{|>&*!]/.test(value) && /:(\s|$)|^[`@%]/.test(value);
    return isFaulty ? `${key}: ${JSON.stringify(value)}` : line;
  });
}

function categoryOf(fields: Record<string, unknown>): string {
  const metadata = toRecord(fields.metadata);
  const candidates = [fields.category, metadata.category, toRecord(metadata.hermes).category];
  return candidates.map(toText).map(toCategory).find(Boolean) ?? DEFAULT_CATEGORY;
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** A name such as `2048` is a number to YAML and still a name. */
function toText(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").replace(/[.:]+$/, "");
}
