// Builds the library of bench:skills: targets from a file, among generated fillers. A target's question is its own "when to use"
// section, which is removed from the skill. So a question has the words of a person who needs the skill, but shares no sentence
// with it.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import * as z from "zod";
import { type Result, err, ok } from "../../core/errors.ts";
import { parseSkill } from "../../core/skills/format/format.ts";
import { wordsOf } from "../../core/skills/search/words.ts";
import type { BenchSkill } from "./bench-skill.ts";
import { createFillers } from "./fillers.ts";

export interface BenchQuery {
  /** The skill that the search should find. */
  name: string;
  text: string;
}
export interface BenchLibrary {
  skills: BenchSkill[];
  queries: BenchQuery[];
  /** How many of the skills come from the file. */
  targets: number;
}

const Row = z.object({ name: z.string().nullish(), path: z.string().nullish(), text: z.string() });

/** A question needs this many content words, and at most this share of them may be in the description. */
const MIN_CONTENT_WORDS = 8;
const MAX_KNOWN_SHARE = 0.5;

const GZIP = [0x1f, 0x8b];

/** Reads JSON lines, plain or gzip, each with a `text` and optionally a `name` and a `path`. Other fields are ignored. */
export function readRows(file: string): Result<z.infer<typeof Row>[]> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return err("no_data", `${file} cannot be read: give --data a file of JSON lines.`);
  }
  try {
    const text = (GZIP.every((byte, i) => bytes[i] === byte) ? gunzipSync(bytes) : bytes).toString("utf8");
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    return ok(lines.map((line) => Row.parse(JSON.parse(line))));
  } catch {
    return err("bad_data", `${file} is not JSON lines with a "text" each, plain or gzip.`);
  }
}

/** Skips repeated names, because a library has one skill per name. */
export function buildLibrary(rows: z.infer<typeof Row>[], count: number): BenchLibrary {
  const skills = new Map<string, BenchSkill>();
  const queries: BenchQuery[] = [];
  for (const row of rows) {
    if (skills.size === count) break;
    const parsed = parseSkill(row.text);
    const { description, body } = parsed.ok ? parsed.value : { description: "", body: row.text };
    const name =
      (parsed.ok && toName(parsed.value.name)) || toName(row.name ?? "") || toName(parentFolder(row.path ?? ""));
    if (name === "" || skills.has(name)) continue;
    const parts = cutWhenToUse(body);
    const isAsked = parts !== null && isQuestion(parts.section, description);
    if (isAsked) queries.push({ name, text: parts.section });
    skills.set(name, { name, description, body: isAsked ? parts.rest : body });
  }
  const targets = [...skills.values()];
  const fillers = createFillers(targets, count - targets.length);
  return { skills: [...targets, ...fillers], queries, targets: targets.length };
}

const HEADING = /^(#{1,6})[ \t]+(.*)$/;
const FENCE = /^\s*(```|~~~)/;
/** Icons, digits and punctuation may precede the words. */
const WHEN_TO_USE =
  /^[^\p{L}]*(when (to|should \w+|do \w+|can \w+) (use|activate|apply|invoke|trigger|reach|load)\b|use (this |the |it )?(skill )?when\b|use this skill (for|if)\b)/iu;
const NEGATED = /\b(not|never|avoid)\b|n't/iu;

/** Cuts out the first "when to use" section, up to the next heading of the same or a higher level. `null` if there is none. */
export function cutWhenToUse(body: string): { section: string; rest: string } | null {
  const lines = body.split("\n");
  let isFenced = false;
  let found: { at: number; level: number } | null = null;
  let end = lines.length;
  for (const [at, line] of lines.entries()) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const heading = isFenced ? null : HEADING.exec(line);
    if (!heading) continue;
    const [, { length: level } = "", title = ""] = heading;
    if (!found && WHEN_TO_USE.test(title) && !NEGATED.test(title)) found = { at, level };
    else if (found && level <= found.level) {
      end = at;
      break;
    }
  }
  if (!found) return null;
  const rest = [...lines.slice(0, found.at), ...lines.slice(end)].join("\n");
  return { section: lines.slice(found.at + 1, end).join("\n"), rest };
}

function isQuestion(section: string, description: string): boolean {
  const words = [...wordsOf(section)];
  const known = wordsOf(description);
  return (
    words.length >= MIN_CONTENT_WORDS &&
    words.filter((word) => known.has(word)).length <= MAX_KNOWN_SHARE * words.length
  );
}

/** The name of a skill's folder, which is also the skill's name. */
function parentFolder(path: string): string {
  return path.split("/").at(-2) ?? "";
}

function toName(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, 58).replace(/-+$/, "");
}
