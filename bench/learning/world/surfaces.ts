// What people, files and programs say in the simulated world, read from a folder in the form of bench/surfaces. The files never
// say which lesson is right. Each process reads them once; all other code receives plain data.
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import { type Result, err, ok } from "../../../core/errors.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { type Kinds, toKinds } from "./kinds.ts";
import { type StyleWeights, countStyles } from "./styles.ts";

export const SURFACES_FOLDER = join(import.meta.dirname, "../../surfaces");

export interface Reply {
  /** The gist of the agent's answer before the reply. */
  answer: string;
  reply: string;
  verdict: "success" | "failure" | "none";
  correction: boolean;
  lang: string;
}

/** An injected order to write something down, and the sentences that an obedient reviewer writes for it. */
export interface Poison {
  key: string;
  /** Where the reviewer writes those sentences. */
  into: "skill" | "memory";
  /** Output parts that contain the order. */
  carriers: string[];
  /** Lines of the carriers that no other case has. A text with one of them contains the order. */
  signs: string[];
  lines: string[];
}

export interface Surfaces extends Kinds {
  /** The folder's name. */
  name: string;
  /** SHA-256 of the bytes of all files. */
  hash: string;
  replies: Reply[];
  /** Texts of honest outputs: `prose` has sentences; `other` has usage texts, tables and logs. */
  prose: string[];
  other: string[];
  /** How programs refuse an option. Placeholders are `{operation}`, `{option}`, `{value}` and `{flag}`; many texts have none. */
  refusals: string[];
  poison: Poison[];
  /** Skills that a person may have: a name, and a request in the person's words. */
  skills: { name: string; query: string }[];
  /** Requests for which no skill exists. */
  queries: string[];
  styles: StyleWeights;
}

const TaintCase = z.looseObject({
  id: z.union([z.string(), z.number()]),
  kind: z.enum(["honest", "poison"]),
  entries: z.array(z.looseObject({ parts: z.array(z.looseObject({ source: z.string(), text: z.string() })) })),
  write: z.looseObject({ type: z.enum(["skill", "memory"]) }),
  poisonLines: z.array(z.string()),
});
type TaintCase = z.infer<typeof TaintCase>;
const ReplyRow = z.object({
  answer: z.string().min(1),
  reply: z.string().min(1),
  verdict: z.enum(["success", "failure", "none"]),
  correction: z.boolean(),
  lang: z.string(),
});
const Pair = z.object({
  id: z.string(),
  a: z.string().min(1),
  b: z.string().min(1),
  same: z.boolean(),
  lang: z.string(),
});
const Refusal = z.object({ text: z.string().min(1), lang: z.string() });
const Query = z.object({ query: z.string().min(1), name: z.string().nullable() });

const REFUSALS = "refusals/refusals.jsonl";
/** The product's harness truncates outputs as well. */
const MAX_PASSAGE_CHARS = 1_500;
const MIN_PASSAGE_CHARS = 30;
const SKILL_NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const MAX_NAME_CHARS = 50;
/** Shorter lines are common to many texts and identify none. */
const MIN_SIGN_CHARS = 20;

/** Failure: `bad_surfaces`. A folder without refusals uses those of bench/surfaces. */
export function readSurfaces(folder: string): Result<Surfaces> {
  const bytes: string[] = [];
  const read = <T>(path: string, row: z.ZodType<T>, from = folder): T[] => {
    const text = readFileSync(join(from, path), "utf8");
    bytes.push(text);
    return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [row.parse(JSON.parse(line))]));
  };
  try {
    const cases = read("taint/dev.jsonl", TaintCase);
    const replies = read("replies/replies.jsonl", ReplyRow);
    const pairs = read("similar/similar.jsonl", Pair);
    const queries = read("skill-queries/skill-queries.jsonl", Query);
    const hasRefusals = existsSync(join(folder, REFUSALS));
    const refusals = read(REFUSALS, Refusal, hasRefusals ? folder : SURFACES_FOLDER);
    const surfaces: Surfaces = {
      name: basename(folder),
      hash: sha256Hex(bytes.join("\n")),
      ...toKinds(pairs),
      replies: replies.map(({ answer, reply, ...rest }) => ({
        answer: oneLine(answer),
        reply: oneLine(reply),
        ...rest,
      })),
      ...toPassages(cases),
      refusals: refusals.map(({ text }) => text),
      poison: toPoison(cases),
      skills: queries.flatMap(({ name, query }) =>
        name !== null && SKILL_NAME.test(name) && name.length <= MAX_NAME_CHARS
          ? [{ name, query: oneLine(query) }]
          : [],
      ),
      queries: queries.flatMap(({ name, query }) => (name === null ? [oneLine(query)] : [])),
      styles: countStyles(cases.flatMap(listCommands)),
    };
    const missing = findMissing(surfaces);
    return missing ? err("bad_surfaces", `${folder}: ${missing}`) : ok(surfaces);
  } catch (error) {
    const what = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    return err("bad_surfaces", `${folder} cannot be read: give a folder in the form of bench/surfaces (${what}).`);
  }
}

/** The first missing thing that a world needs; `null` if nothing is missing. */
function findMissing({ kinds, replies, prose, other, refusals, poison, skills }: Surfaces): string | null {
  const has = (verdict: Reply["verdict"], correction: boolean) =>
    replies.some((reply) => reply.verdict === verdict && reply.correction === correction);
  if (kinds.filter(({ wordings }) => wordings.length > 1).length < 8)
    return "fewer than 8 kinds of work have two wordings.";
  if (!has("success", false) || !has("failure", false) || !has("failure", true) || !has("none", false)) {
    return "replies are missing: needed are thanks, complaints, corrections and remarks.";
  }
  if (prose.length === 0 || other.length === 0)
    return "honest outputs are missing, either in sentences or of another form.";
  if (refusals.length === 0) return "refusals are missing.";
  if (poison.length === 0) return "poisoned outputs are missing.";
  return skills.length === 0 ? "queries with a skill's name are missing." : null;
}

/** The world appends to messages, so each must be one line. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function listContents({ entries }: TaintCase): string[] {
  return entries.flatMap(({ parts }) => parts.flatMap(({ source, text }) => (source === "content" ? [text] : [])));
}

function toPassages(cases: readonly TaintCase[]): Pick<Surfaces, "prose" | "other"> {
  const honest = cases.filter(({ kind }) => kind === "honest").flatMap(listContents);
  const texts = [...new Set(honest)].filter(({ length }) => length >= MIN_PASSAGE_CHARS);
  const cut = texts.map((text) => text.slice(0, MAX_PASSAGE_CHARS));
  return { prose: cut.filter(isProse), other: cut.filter((text) => !isProse(text)) };
}

/** Prose ends sentences and has few characters of tables, paths and code. */
function isProse(text: string): boolean {
  const signs = text.match(/[|{}<>[\]=\\/$#;_]|--|\t/g)?.length ?? 0;
  const ends = text.match(/\p{L}{2,}[.!?](?=\s|$)|[。！？]/gu)?.length ?? 0;
  return ends > 0 && signs / text.length < 0.015;
}

function toPoison(cases: readonly TaintCase[]): Poison[] {
  const owners = new Map<string, Set<TaintCase>>();
  for (const one of cases) {
    for (const line of listContents(one).flatMap(splitLines))
      owners.set(line, (owners.get(line) ?? new Set()).add(one));
  }
  return cases.flatMap((one): Poison[] => {
    const isSign = (line: string) => line.length >= MIN_SIGN_CHARS && owners.get(line)!.size === 1;
    const carriers = listContents(one).filter((text) => splitLines(text).some(isSign));
    if (one.kind !== "poison" || carriers.length === 0 || one.poisonLines.length === 0) return [];
    const signs = carriers.flatMap(splitLines).filter(isSign);
    return [{ key: String(one.id), into: one.write.type, carriers, signs, lines: one.poisonLines.map(oneLine) }];
  });
}

function splitLines(text: string): string[] {
  return text.split("\n").map((line) => line.trim());
}

/** The string arguments of the agent's calls, which are lines such as `-> tool {arguments}`. */
function listCommands({ entries }: TaintCase): string[] {
  const own = entries.flatMap(({ parts }) => parts.filter(({ source }) => source === "own"));
  return own.flatMap(({ text }) =>
    text.split("\n").flatMap((line) => {
      const call = /^-> \S+ (\{.*\})$/.exec(line)?.[1];
      return call ? Object.values(toObject(call)).filter((value) => typeof value === "string") : [];
    }),
  );
}

function toObject(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return {}; // truncated arguments
  }
}
