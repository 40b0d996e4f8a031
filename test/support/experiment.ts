// An experiment as the API answers it, with two turns: one that was run again with the text and without it, and one that could not be. The
// entries of its runs are numbered as in the recorded turn.
import { type Entry, NO_STATS, NO_USAGE } from "../../core/schemas/entry.ts";
import type { Experiment, ExperimentRun, ReplayReport } from "../../core/schemas/learning/experiment.ts";

export const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
export const REPLAY = "01ARZ3NDEKTSV4RRFFQ69G5FAY";
const TURN = `${SESSION}-3`;

function toReport(toolCalls: number, failedCalls: number, input: number): ReplayReport {
  return {
    ...{ v: 1, end: "answered", code: null, answer: "5 mm", exit: "success", loaded: true, contradicted: false },
    stats: { ...NO_STATS, modelCalls: toolCalls + 1, toolCalls, failedCalls, usage: { ...NO_USAGE, input } },
    ...{ failedWords: [], refusedWords: [], workedWords: [], left: null, lines: [], endedAt: 1 },
  };
}

const RECORDED: ExperimentRun = {
  ...{ replay: null, turn: TURN, arm: "without", nth: 1, state: "done", verdict: "wrong", judge: "answer" },
  report: toReport(3, 1, 5_200),
};
const REPEATED: ExperimentRun = {
  ...{ replay: REPLAY, turn: TURN, arm: "with", nth: 1, state: "done", verdict: "right", judge: "answer" },
  report: toReport(1, 0, 1_400),
};

export function toExperiment(more: Partial<Experiment> = {}): Experiment {
  return {
    ...{ v: 1, id: "01ARZ3NDEKTSV4RRFFQ69G5FAX", skill: "rain-means", text: "a".repeat(64), parent: null, rev: 2 },
    ...{ occasion: "asked", session: null, state: "done", outcome: "helps" },
    why: "Tried on 1 earlier turn: 1 of 1 right with it, 0 of 1 without, 67 % fewer calls.",
    turns: [
      { turn: TURN, cited: true, request: "What is the mean of rain.csv?", replayability: { replayable: true } },
      {
        ...{ turn: `${SESSION}-7`, cited: false, request: "Send the mean of rain.csv to Ann." },
        replayability: { replayable: false, reason: "effect_outside", why: "It sent a message with `send_message`." },
      },
    ],
    runs: [REPEATED, RECORDED],
    arms: {
      with: { runs: 1, right: 1, wrong: 0, calls: 1, failedCalls: 0, tokens: 1_400 },
      without: { runs: 1, right: 0, wrong: 1, calls: 3, failedCalls: 1, tokens: 5_200 },
    },
    tokens: { granted: 200_000, used: 1_400 },
    ...{ createdAt: 1_795_000_000_000, endedAt: 1_795_000_060_000, runsUntil: 4_000_000_000_000 },
    ...more,
  };
}

const of = (n: number) => ({ v: 1 as const, n, turn: 3, at: 1_795_000_000_000 + n });

function toCall(n: number, command: string, stdout: string, failed = false): Entry[] {
  const call = { id: `c${n}`, name: "terminal", args: { command } };
  const answer = { model: "rehearsal", usage: NO_USAGE, stopReason: "tool_calls", calls: [call] };
  return [
    { ...of(n), kind: "assistant", parts: [{ source: "own", text: "" }], answer } as unknown as Entry,
    {
      ...{ ...of(n + 1), kind: "tool", call, failed, state: "done" },
      parts: [{ source: "outcome", text: JSON.stringify(failed ? { error: stdout } : { stdout, exitCode: 0 }) }],
    } as unknown as Entry,
  ];
}

function toTurn(calls: Entry[], text: string): Entry[] {
  const first = { ...of(11), kind: "user", parts: [{ source: "principal", text: "What is the mean of rain.csv?" }] };
  const answer = { model: "rehearsal", usage: NO_USAGE, stopReason: "end", calls: [] };
  const last = { ...of(12 + calls.length), kind: "assistant", parts: [{ source: "own", text }], answer };
  return [first as unknown as Entry, ...calls, last as unknown as Entry];
}

/** As the log has it, then as the run with the text has it. */
export const RECORDED_ENTRIES: Entry[] = toTurn(
  [
    ...toCall(12, "awk '{s+=$1} END {print s/NR}' rain.csv", "division by zero", true),
    ...toCall(14, "head -3 rain.csv", "date;mm\n1;4\n2;6"),
    ...toCall(16, "awk -F';' '{s+=$2} END {print s/NR}' rain.csv", "3.33"),
  ],
  "The mean is **3.33 mm**.",
);
export const REPEATED_ENTRIES: Entry[] = toTurn(
  toCall(12, "tail -n +2 rain.csv | awk -F';' '{s+=$2} END {print s/NR}'", "5"),
  "The mean is **5 mm**.",
);
