// Finds the frontmatter of a SKILL.md and reads its fields, as YAML if valid, else field by field. Common mistakes of
// people and programs are accepted with a warning where their meaning is clear. Used by format.ts and strict.ts. Pure;
// never throws.
import { isMap, parseDocument } from "yaml";
import { type Result, err, messageOf, ok } from "../../errors.ts";

interface Frontmatter {
  fields: Record<string, unknown>;
  /** The text after it, with `\n` line ends, trimmed. */
  body: string;
  /** Corrections made while reading. */
  warnings: string[];
}

/** Failures: `no_frontmatter`, `bad_frontmatter`. */
export function readFrontmatter(text: string): Result<Frontmatter> {
  const warnings: string[] = [];
  const lines = dedent(text.replace(/^\uFEFF+/, "").replace(/\r\n?/g, "\n"), warnings).split("\n");
  const from = findHeader(lines, warnings);
  if (from === null) return noFrontmatter();
  const end = findEnd(lines, from, warnings);
  const header = lines.slice(from, end ?? undefined);
  const yaml = end === null ? null : readYaml(header.join("\n"));
  const bodyAfterEnd = end === null ? lines.length : end + 1;
  const asYaml = yaml?.ok ? ok({ fields: yaml.value, body: toBody(lines, bodyAfterEnd), warnings }) : null;
  const missing = ESSENTIAL.filter((key) => !asYaml || !hasField(asYaml.value.fields, key));
  if (asYaml && missing.length === 0) return asYaml;
  const read = readFields(header);
  const fields = Object.fromEntries(read.fields);
  // YAML may accept `name:x` as part of another field without an error.
  if (asYaml && !missing.some((key) => hasField(fields, key))) return asYaml;
  if (read.fields.size === 0) return yaml?.ok === false ? yaml : noFrontmatter();
  warnings.push(whyReadByField(yaml), ...read.warnings);
  // Text inside the header means that the later `---` is a rule of the body.
  const bodyFrom = read.rest === null ? bodyAfterEnd : from + read.rest;
  return ok({ fields, body: toBody(lines, bodyFrom), warnings });
}

const ESSENTIAL = ["name", "description"];

/** `yaml`: null when no line `---` ends the frontmatter. */
function whyReadByField(yaml: Result<unknown> | null): string {
  if (!yaml) return "The frontmatter is never closed by a line `---`; its fields were read until other text.";
  if (!yaml.ok) return `${yaml.failure.message} It was read field by field.`;
  return "Parsed as YAML, the frontmatter lacks a field that its text has. It was read field by field.";
}

function hasField(fields: Record<string, unknown>, key: string): boolean {
  return Object.keys(fields).some((name) => name.toLowerCase() === key && fields[name] != null && fields[name] !== "");
}

/** Word processors turn three hyphens into a dash. */
const RULE = /^(?:-{3,}|[–—]-?|-[–—])[ \t]*$/;
const END = /^(?:-{3,}|[–—]-?|-[–—]|\.{3})[ \t]*$/;
const INDENTED_RULE = /^[ \t]+---[ \t]*$/;
const CODE_FENCE = /^(?:`{3,}|~{3,})[ \t]*(?:\w+[ \t]*)?$/;
const FIRST_FIELD = /^(?:name|description)[ \t]*:/i;
/** Notes before the frontmatter are short. A block further down is an example. */
const MAX_LINES_BEFORE = 40;

/** Removes the indentation of a wholly indented file, such as one copied out of a script. */
function dedent(text: string, warnings: string[]): string {
  const indent = /^(?:[ \t]*\n)*([ \t]+)---[ \t]*\n/.exec(text.slice(0, MAX_INDENTED_FROM))?.[1];
  if (indent === undefined) return text;
  warnings.push("The whole text is indented.");
  return text.replaceAll(`\n${indent}`, "\n").replace(indent, "");
}

const MAX_INDENTED_FROM = 200;

/** Index of the first line of the header. */
function findHeader(lines: string[], warnings: string[]): number | null {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first < 0) return null;
  if (RULE.test(lines[first]!)) {
    if (first > 0) warnings.push("There are blank lines before the frontmatter.");
    return first + 1;
  }
  if (FIRST_FIELD.test(lines[first]!)) {
    warnings.push("The frontmatter does not begin with a line `---`.");
    return first;
  }
  for (let at = first + 1; at < Math.min(lines.length, first + MAX_LINES_BEFORE); at++) {
    if (!RULE.test(lines[at]!) || !(isHeader(lines, at) || isFenced(lines, first, at))) continue;
    warnings.push("There is other text before the frontmatter.");
    return at + 1;
  }
  return null;
}

/** The whole file is in a code fence, as models sometimes write it. */
function isFenced(lines: string[], first: number, at: number): boolean {
  return CODE_FENCE.test(lines[first]!) && lines.slice(first + 1, at).every((line) => line.trim() === "");
}

/** Whether a name and a description follow before the next rule. */
function isHeader(lines: string[], at: number): boolean {
  const length = lines.slice(at + 1, at + 1 + MAX_LINES_BEFORE * 5).findIndex((line) => END.test(line));
  const block = lines.slice(at + 1, at + 1 + Math.max(0, length));
  return ["name", "description"].every((key) => block.some((line) => new RegExp(`^${key}[ \\t]*:`, "i").test(line)));
}

/** Index of the line that ends the header; null when there is none. An indented `---` counts if a body follows it. */
function findEnd(lines: string[], from: number, warnings: string[]): number | null {
  const indented = lines.findIndex((line, at) => at >= from && INDENTED_RULE.test(line));
  const end = lines.findIndex((line, at) => at >= from && END.test(line));
  const comesFirst = indented >= 0 && (end < 0 || indented < end);
  if (comesFirst && (end < 0 || isBody(lines, indented + 1))) {
    warnings.push("The line `---` that ends the frontmatter is indented.");
    return indented;
  }
  return end < 0 ? null : end;
}

/** Whether the next line is neither a field nor the continuation of one. */
function isBody(lines: string[], from: number): boolean {
  const next = lines.slice(from, from + 20).find((line) => line.trim() !== "");
  return next !== undefined && !/^[ \t]/.test(next) && !FIELD.test(next);
}

function toBody(lines: string[], from: number): string {
  return lines.slice(from).join("\n").trim();
}

/** Limit on YAML, since the parser may take quadratic time. */
const MAX_YAML_CHARS = 16_000;

/** Limit on nesting, by brackets or by marks in one line, where the parser takes quadratic time or worse. */
const MAX_YAML_DEPTH = 16;
const MARKS = /^[ \t]*(?:(?:[-?:]|[&!*]\S{0,100})[ \t]+){5}/m;

export function isDeep(header: string): boolean {
  const keysIn = (line: string) => line.match(/:(?=[ \t])/g)?.length ?? 0;
  if (MARKS.test(header) || header.split("\n").some((line) => keysIn(line) >= MAX_YAML_DEPTH)) return true;
  let depth = 0;
  for (const [bracket] of header.matchAll(/[[\]{}]/g)) {
    depth = bracket === "[" || bracket === "{" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MAX_YAML_DEPTH) return true;
  }
  return false;
}

function readYaml(header: string): Result<Record<string, unknown>> {
  if (header.length > MAX_YAML_CHARS) {
    return err("bad_frontmatter", `The frontmatter has ${header.length} characters, too many to be read as YAML.`);
  }
  if (isDeep(header)) return err("bad_frontmatter", `The frontmatter is nested deeper than ${MAX_YAML_DEPTH} levels.`);
  const { stackTraceLimit } = Error;
  try {
    // The parser creates an error for each wrong line, and capturing its stack costs more than the line.
    Error.stackTraceLimit = 0;
    const document = parseDocument(header, { logLevel: "silent", stringKeys: true, prettyErrors: false });
    const problem = document.errors[0];
    if (problem) {
      const message = `${firstLine(problem.message)} at ${placeIn(header, problem.pos[0])}`;
      return err("bad_frontmatter", `The frontmatter is not YAML: ${message}.`);
    }
    if (!isMap(document.contents)) {
      return err("bad_frontmatter", "The frontmatter is not a mapping: write one `key: value` a line.");
    }
    return ok(document.toJS({ maxAliasCount: 20 }) as Record<string, unknown>);
  } catch (thrown) {
    // A dangling alias, or too many aliases.
    return err("bad_frontmatter", `The frontmatter cannot be read: ${firstLine(messageOf(thrown))}.`);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Computed for one error only: the parser itself would quote the text for each of thousands. */
function placeIn(text: string, at: number): string {
  const before = text.slice(0, at);
  return `line ${before.split("\n").length}, column ${at - before.lastIndexOf("\n")}`;
}

/**
 * `key: value`, also without a blank after the colon, with a full-width colon, or after the `##` that Markdown
 * formatters add to a line above `---`. A URL is not a field.
 */
const FIELD =
  /^(?:#{1,6}[ \t]+)?(["']?)([\p{L}_][\p{L}\p{N}_.-]{0,99})\1[ \t]*[:：](?!\/\/)[ \t]*((?:[^ \t\n][^\n]*)?)$/u;
/** Further fields are kept as plain text. */
const MAX_PARSED_FIELDS = 100;

interface Fields {
  fields: Map<string, unknown>;
  /** Offset in the header of the first line that is other text; null when all lines are fields. */
  rest: number | null;
  warnings: string[];
}

function readFields(header: string[]): Fields {
  const fields = new Map<string, unknown>();
  const warnings: string[] = [];
  let rest: number | null = null;
  let fieldsEnd = 0;
  let count = 0;
  let at = 0;
  while (at < header.length) {
    const line = header[at]!;
    const match = FIELD.exec(line);
    const isSkipped = line.trim() === "" || line.startsWith("#");
    if (!match && !isSkipped) {
      rest = fieldsEnd;
      break;
    }
    const from = at;
    at += 1;
    if (!match) continue;
    const [, , key = "", value = ""] = match;
    while (at < header.length && belongsAbove(header, at)) at += 1;
    const more = header.slice(from + 1, at);
    fieldsEnd = at;
    count += 1;
    if (fields.has(key)) warnings.push(`\`${key}\` occurs twice; the last one counts.`);
    const parsed = count <= MAX_PARSED_FIELDS ? readYaml(toChunk(key, value, more)) : null;
    const isRead = parsed?.ok === true && Object.hasOwn(parsed.value, key);
    if (!isRead) warnings.push(`\`${key}\` was read as plain text.`);
    fields.set(key, isRead ? parsed.value[key] : toPlainText(value, more));
  }
  return { fields, rest, warnings: warnings.slice(0, 20) };
}

/** Whether the line continues the field above: indented, a list item, or text directly below the field. */
function belongsAbove(header: string[], at: number): boolean {
  const line = header[at]!;
  if (/^[ \t]+\S/.test(line) || /^- /.test(line)) return true;
  if (line.trim() !== "") return !FIELD.test(line) && !line.startsWith("#") && header[at - 1]!.trim() !== "";
  const next = header.slice(at, at + 20).find((other) => other.trim() !== "");
  return next !== undefined && /^[ \t]/.test(next);
}

/** YAML does not allow tabs as indentation. */
function toChunk(key: string, value: string, more: string[]): string {
  const below = more.map((line) => line.replace(/^[ \t]+/, (blanks) => blanks.replaceAll("\t", "  ")));
  return [`${JSON.stringify(key)}: ${value}`, ...below].join("\n");
}

const BLOCK_SCALAR = /^([|>])[-+0-9]{0,2}[ \t]*(?:#.*)?$/;

function toPlainText(value: string, more: string[]): string {
  const block = BLOCK_SCALAR.exec(value);
  const lines = more.map((line) => line.trim());
  if (block) return lines.join(block[1] === "|" ? "\n" : " ").trim();
  return unquote([value.trim(), ...lines].filter(Boolean).join(" "));
}

function unquote(text: string): string {
  const isQuoted = text.length >= 2 && /^["']/.test(text) && text.endsWith(text[0]!);
  return isQuoted ? text.slice(1, -1).replace(/\\(["\\])/g, "$1") : text;
}

function noFrontmatter(): Result<never> {
  return err(
    "no_frontmatter",
    "A SKILL.md begins with a line `---`, then `name:` and `description:`, then a line `---`, then Markdown.",
  );
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").replace(/(?<![.:])[.:]+$/, "");
}
