// Parses the command line of bench:real.
import { UsageError, parseFlags } from "../../scripts/command-line.ts";

export interface RealOptions {
  baseUrl: string;
  model: string;
  tasks: number;
  seed: number;
  /** The model's context window, in tokens. */
  window: number;
  /** The maximum number of model calls per turn. */
  steps: number;
  out: string;
  /** A folder of tables. Default: the demo's tables. */
  data?: string;
}

export const USAGE = `Usage: npm run bench:real -- --base-url URL --model NAME [--tasks 10]

Solves the same tasks on real tables in four arms: off (no lessons), ours (its own lessons), replay (its own lessons, tried
on earlier turns), seeded (a good handwritten skill). Needs a server with OpenAI's Chat Completions API. If the server needs a key, set OPENAI_API_KEY.

  --base-url URL  the server's address, with its /v1
  --model NAME    the model's name on that server
  --tasks N       tasks per arm (default 10)
  --seed N        selects the tasks and conventions (default 23)
  --window N      the model's context window in tokens (default 16384)
  --steps N       maximum model calls per turn (default 20)
  --data FOLDER   tables to work on (default: those of an npm package)
  --out FOLDER    results and state; an interrupted run resumes from there (default .talaria/bench-real)
  -h, --help      this text; the method is in bench/README.md`;

export function parseOptions(args: string[]): RealOptions {
  const text = { type: "string" } as const;
  const values = parseFlags(
    {
      "base-url": text,
      model: text,
      tasks: { ...text, default: "10" },
      seed: { ...text, default: "23" },
      window: { ...text, default: "16384" },
      steps: { ...text, default: "20" },
      out: { ...text, default: ".talaria/bench-real" },
      data: text,
    },
    args,
  );
  const baseUrl = values["base-url"];
  if (baseUrl === undefined || !URL.canParse(baseUrl)) throw new UsageError("--base-url takes the server's address.");
  if (!values.model?.trim()) throw new UsageError("--model takes the model's name.");
  return {
    baseUrl,
    model: values.model.trim(),
    tasks: toNumber("--tasks", values.tasks, 1, 1_000),
    seed: toNumber("--seed", values.seed, 0),
    window: toNumber("--window", values.window, 4_096),
    steps: toNumber("--steps", values.steps, 2, 200),
    out: values.out,
    ...(values.data !== undefined && { data: values.data }),
  };
}

function toNumber(flag: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`${flag} takes a whole number from ${least}, not ${JSON.stringify(text)}.`);
}
