// Reads the rows of bench:judging from JSON lines, plain or gzip (detected by the first bytes).
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import * as z from "zod";
import { parseSkill } from "../../core/skills/format/format.ts";
import type { BenchSkill } from "../skills/bench-skill.ts";

export const ReplyRow = z.object({
  id: z.string(),
  request: z.string(),
  /** The gist of the answer. If the agent ended with a question, the gist ends with it or says what the agent asked. */
  answer: z.string(),
  reply: z.string(),
  verdict: z.enum(["success", "failure", "none"]),
  correction: z.boolean(),
});
export type ReplyRow = z.infer<typeof ReplyRow>;

export const PairRow = z.object({ id: z.string(), a: z.string(), b: z.string(), same: z.boolean() });
export type PairRow = z.infer<typeof PairRow>;

/** `name`: the skill that fits; `null` if none does. */
export const QueryRow = z.object({ id: z.string(), query: z.string(), name: z.string().nullable() });
export type QueryRow = z.infer<typeof QueryRow>;

const SkillRow = z.object({ name: z.string().nullish(), path: z.string().nullish(), text: z.string() });

/** Throws an Error whose message says what is wrong with the file. */
export function readRows<Row>(file: string, schema: z.ZodType<Row>): Row[] {
  const bytes = readFileSync(file);
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8");
  return text.split("\n").flatMap((line, n) => {
    if (line.trim() === "") return [];
    const row = schema.safeParse(parseJson(line));
    if (!row.success) throw new Error(`line ${n + 1} of ${file} lacks a field: ${z.prettifyError(row.error)}`);
    return [row.data];
  });
}

/** A skill without a name gets its folder's name. Repeated names are skipped, because a library has one skill per name. */
export function readSkills(file: string): BenchSkill[] {
  const skills = new Map<string, BenchSkill>();
  for (const { name: own, path, text } of readRows(file, SkillRow)) {
    const name = own ?? path?.split("/").at(-2) ?? "";
    if (name === "" || skills.has(name)) continue;
    const parsed = parseSkill(text);
    const { description, body } = parsed.ok ? parsed.value : { description: "", body: text };
    skills.set(name, { name, description, body });
  }
  return [...skills.values()];
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null; // the schema then reports the line
  }
}
