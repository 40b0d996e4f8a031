// Entries and jobs in short form, for the tests of learning.
import type { Entry, JsonObject, Part, ToolCall } from "../../core/schemas/entry.ts";
import { NO_USAGE } from "../../core/schemas/entry.ts";
import type { Source } from "../../core/schemas/ids.ts";
import type { Observation } from "../../core/schemas/learning/learning.ts";
import type { ReviewJob } from "../../core/schemas/learning/review.ts";

export const SESSION = "01JZZZZZZZZZZZZZZZZZZZZZZZ";
export const PROFILE = "0123456789abcdefghjkmnpqrs";

interface Place {
  turn?: number;
}

export function user(n: number, text: string, { turn = 1, source = "principal" as Source } = {}): Entry {
  return { v: 1, kind: "user", n, turn, at: 1000 + n, parts: [{ source, text }] };
}

export function assistant(n: number, text: string, calls: ToolCall[] = [], { turn = 1 }: Place = {}): Entry {
  const parts: Part[] = text === "" ? [] : [{ source: "own", text }];
  const stop = calls.length > 0 ? ("tools" as const) : ("end" as const);
  const answer = { calls, stop, usage: { ...NO_USAGE, input: 10, output: 2 }, model: "test:model" };
  return { v: 1, kind: "assistant", n, turn, at: 1000 + n, parts, answer };
}

export function call(id: string, name: string, args: JsonObject = {}): ToolCall {
  return { id, name, args };
}

export function tool(
  n: number,
  made: ToolCall,
  parts: Partial<Record<Source, JsonObject>>,
  { turn = 1, failed = false, state = "done" as "open" | "done", step = 0 } = {},
): Entry {
  const texts = Object.entries(parts).map(([source, value]) => ({
    source: source as Source,
    text: JSON.stringify(value),
  }));
  return { v: 1, kind: "tool", n, turn, at: 1000 + n, state, call: made, step, failed, prepared: {}, parts: texts };
}

export function notice(n: number, code: string, text: string, { turn = 1 }: Place = {}): Entry {
  return { v: 1, kind: "notice", n, turn, at: 1000 + n, code, parts: [{ source: "outcome", text }] };
}

/** A turn that failed twice, found the way, and answered: entries 1 to 8. */
export function hardWonTurn(): Entry[] {
  const calls = ["head -3 rates.txt", "sum -c 2 rates.txt", "sum -c 2 -s ';' rates.txt"].map((command, index) =>
    call(`c${index + 1}`, "terminal", { command }),
  );
  return [
    user(1, "What is the total of `rate` in `rates.txt`?"),
    assistant(2, "I look first.", [calls[0]!]),
    tool(
      3,
      calls[0]!,
      { outcome: { exit_code: 1 }, content: { stdout: "", stderr: "head: bad option" } },
      { failed: true },
    ),
    assistant(4, "", [calls[1]!]),
    tool(5, calls[1]!, { outcome: { exit_code: 2 }, content: { stdout: "", stderr: "no column 2" } }, { failed: true }),
    assistant(6, "", [calls[2]!]),
    tool(7, calls[2]!, { outcome: { exit_code: 0 }, content: { stdout: "41.5\n", stderr: "" } }),
    assistant(8, "The total is 41.5."),
  ];
}

export function observation(over: Partial<Observation> = {}): Observation {
  return {
    turn: `${SESSION}-1`,
    request: "What is the total?",
    steps: 4,
    toolCalls: 3,
    failedCalls: 2,
    recoveries: [],
    loaded: [],
    outcome: "success",
    judge: "exit",
    generalisable: false,
    value: 0.6,
    ...over,
  };
}

export function sampleJob(over: Partial<ReviewJob> = {}): ReviewJob {
  const entries = over.entries ?? hardWonTurn();
  return {
    v: 1,
    review: `${SESSION}.${entries[0]?.n ?? 1}-${entries.at(-1)?.n ?? 1}`,
    profile: PROFILE,
    session: SESSION,
    trigger: "value",
    skills: true,
    memory: true,
    grant: { tokens: 600_000, expiresAt: Date.UTC(2026, 0, 6, 9) },
    model: "test:model",
    createdAt: Date.UTC(2026, 0, 5, 9),
    observations: [observation()],
    entries,
    ...over,
  };
}
