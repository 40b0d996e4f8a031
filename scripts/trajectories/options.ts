// The command line of `npm run trajectories`, and its file of prompts. Knows flags and files only.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { PlainError, UsageError, parseFlags } from "../command-line.ts";

export interface BatchOptions {
  prompts: Prompt[];
  run: string;
  /** The run's own folder. */
  folder: string;
  workers: number;
  /** Model calls of one prompt. */
  turns: number;
  /** Absent: a stack of the run's own. */
  server: { url: string; key: string } | null;
  /** Probability of each toolset. Absent: all toolsets. */
  toolsets: Record<string, number> | null;
  seed: number;
  needReasoning: boolean;
}

export interface Prompt {
  /** SHA-256 of what it asks: the same content is run once. */
  hash: string;
  id: string;
  /** Of its line, from 0. */
  index: number;
  text: string;
  files: Record<string, string>;
}

/** Defaults of workers and turns: Hermes Agent. */
export const USAGE = `Usage: npm run trajectories -- --prompts FILE --run NAME [options]

Runs each prompt in a session of its own and writes what happened as data to
train on. Killed and started again, it goes on; no prompt is run twice.

  --prompts FILE    JSON lines: {"prompt": TEXT, "id"?: TEXT, "files"?: {PATH: TEXT}}
  --run NAME        the run's name, and its folder
  --out FOLDER      where that folder is (default: data)
  --workers N       prompts at the same time (default: 4)
  --turns N         model calls of one prompt (default: 10)
  --url URL --key KEY   an API that runs; without them a stack of the run's own
  --toolsets LIST   a chance for each toolset, as files=1,shell=0.8,web=0.3
  --seed N          seed of these chances (default: 1)
  --need-reasoning  discard samples in which the model shows no reasoning
  -h, --help        this text`;

const RUN = /^[A-Za-z0-9][\w.-]{0,63}$/;
/** Files that would become a part of the prompt (core/workspace/instruction-files.ts). */
const INSTRUCTING =
  /^\/?(?:(?:soul|\.?talaria|\.?hermes|agents|claude)\.md|\.cursorrules|\.cursor\/rules\/[^/]*\.mdc)$/i;
const MAX_WORKERS = 50;
const MAX_TURNS = 1_000;

const PromptLine = z.strictObject({
  prompt: z.string().refine((text) => text.trim() !== "", "the prompt is blank"),
  id: z.union([z.string(), z.number()]).optional(),
  files: z.record(z.string().min(1), z.string()).optional(),
});

export function parseOptions(args: string[]): BatchOptions {
  const flags = parseFlags(
    {
      prompts: { type: "string" },
      run: { type: "string" },
      out: { type: "string", default: "data" },
      workers: { type: "string", default: "4" },
      turns: { type: "string", default: "10" },
      url: { type: "string" },
      key: { type: "string" },
      toolsets: { type: "string" },
      seed: { type: "string", default: "1" },
      "need-reasoning": { type: "boolean", default: false },
    },
    args,
  );
  const { prompts, run, url, key } = flags;
  if (prompts === undefined || run === undefined) throw new UsageError("--prompts FILE and --run NAME are needed.");
  if (!RUN.test(run)) throw new UsageError("--run takes a name of letters, digits, dots and hyphens.");
  if ((url === undefined) !== (key === undefined)) throw new UsageError("--url and --key go together.");
  return {
    prompts: readPrompts(prompts),
    run,
    folder: resolve(flags.out, run),
    workers: readWhole("workers", flags.workers, 1, MAX_WORKERS),
    turns: readWhole("turns", flags.turns, 1, MAX_TURNS),
    server: url !== undefined && key !== undefined ? { url, key } : null,
    toolsets: flags.toolsets === undefined ? null : readChances(flags.toolsets),
    seed: readWhole("seed", flags.seed, 0, Number.MAX_SAFE_INTEGER),
    needReasoning: flags["need-reasoning"],
  };
}

/** Each content once, in the order of the file. */
export function parsePrompts(text: string, name: string): Prompt[] {
  const prompts = new Map<string, Prompt>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const { prompt, id, files = {} } = parseLine(line, `${name}, line ${index + 1}`);
    const hash = sha256Hex(JSON.stringify([prompt, Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1))]));
    if (prompts.has(hash)) continue;
    prompts.set(hash, { hash, id: String(id ?? hash.slice(0, 12)), index, text: prompt, files });
  }
  return [...prompts.values()];
}

function readPrompts(path: string): Prompt[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new PlainError(`--prompts: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  const prompts = parsePrompts(text, path);
  if (prompts.length === 0) throw new PlainError(`${path} has no prompt.`);
  return prompts;
}

function parseLine(line: string, place: string): z.infer<typeof PromptLine> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new PlainError(`${place} is not JSON.`);
  }
  const parsed = PromptLine.safeParse(value);
  if (!parsed.success) throw new PlainError(`${place}: ${parsed.error.issues[0]!.message}.`);
  const instructing = Object.keys(parsed.data.files ?? {}).find((path) => INSTRUCTING.test(path));
  if (instructing !== undefined)
    throw new PlainError(
      `${place}: ${instructing} would become a part of the prompt. Context files are off: rename it.`,
    );
  return parsed.data;
}

function readChances(text: string): Record<string, number> {
  const chances = text.split(",").map((pair) => {
    const [name = "", chance = ""] = pair.split("=");
    const value = Number(chance);
    if (name === "" || chance === "" || !(value >= 0 && value <= 1))
      throw new UsageError(`--toolsets takes NAME=CHANCE, a chance from 0 to 1, not ${JSON.stringify(pair)}.`);
    return [name, value] as const;
  });
  return Object.fromEntries(chances);
}

function readWhole(flag: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${flag} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}.`);
}
