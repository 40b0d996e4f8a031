// The demo's command line, and which model it will use. Knows flags and variables only.
import { readFileSync } from "node:fs";
import { UsageError, parseWords } from "../command-line.ts";

export interface DemoOptions {
  /** `table`: one figure from one file. `workbench`: a report that needs eight tools. */
  story: "table" | "workbench";
  /** A folder of tables. Absent: the tables of the data package. */
  data?: string;
  seed: number;
  /** A SKILL.md for session 2, instead of the learned one. */
  skill?: { name: string; text: string };
  json: boolean;
}

/** Pipes, apostrophes that group digits, n/a and a row of units: much to find out. */
const DEFAULT_SEED = 5;
export const USAGE = `Usage: npm run demo [-- [workbench] --data FOLDER --seed N --skill SKILL.md --json]

Shows how a lesson helps, on the three real Workers. The state is deleted afterwards.

  workbench         a report that needs eight tools, in place of one figure from one file
  --data FOLDER     tables to work on (default: those of an npm package)
  --seed N          seed that selects tasks and conventions (default: ${DEFAULT_SEED})
  --skill SKILL.md  a skill that session 2 gets in place of the learned one
  --json            the figures as one line of JSON at the end
  -h, --help        this text`;

export function parseOptions(args: string[]): DemoOptions {
  const { positionals, ...values } = parseWords(
    {
      data: { type: "string" },
      seed: { type: "string", default: String(DEFAULT_SEED) },
      skill: { type: "string" },
      json: { type: "boolean", default: false },
    },
    args,
  );
  const { data, skill, json } = values;
  const [word, ...more] = positionals;
  if ((word !== undefined && word !== "workbench") || more.length > 0) {
    throw new UsageError(`The only word the demo takes is workbench, not ${JSON.stringify([word, ...more].at(-1))}.`);
  }
  const story = word ?? "table";
  if (skill !== undefined && story === "workbench") throw new UsageError("--skill is for the demo without workbench.");
  const seed = Number(values.seed);
  if (!/^\d+$/.test(values.seed) || !Number.isSafeInteger(seed)) {
    throw new UsageError(`--seed takes a whole number, not ${JSON.stringify(values.seed)}.`);
  }
  return { story, data, seed, json, ...(skill === undefined ? {} : { skill: readSkill(skill) }) };
}

function readSkill(path: string): { name: string; text: string } {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`--skill: ${path} cannot be read.`);
  }
  const head = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? "";
  const statedName = /^name:\s*["']?(.*?)["']?\s*$/m.exec(head)?.[1] ?? "";
  const name = statedName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  if (name === "" || !/^description:/m.test(head)) {
    throw new UsageError(`--skill: ${path} has no front matter with name and description.`);
  }
  return { name: name.slice(0, 58).replace(/-+$/, ""), text };
}

/** True when no variable asks for a provider's model. */
export function isRehearsal(env: Record<string, string | undefined>): boolean {
  const set = (name: string) => Boolean(env[name]?.trim());
  if (set("TALARIA_MODEL")) return /^rehearsal\b/.test(env.TALARIA_MODEL!.trim());
  return !set("ANTHROPIC_API_KEY") && !set("OPENAI_API_KEY");
}
