// What the page says of experiments: their outcome, their runs and who judged them, and which two runs are compared. Pure.
import type { Item } from "../chat/session/items.ts";
import { summarise } from "../chat/log/tool-outcome.ts";
import type { StateWord } from "../components/badge.tsx";
import { countOf, formatNumber, formatShort } from "../components/numbers.ts";
import type { Answer } from "../data/api.ts";

export type Experiment = Answer<"GET /v1/experiments/{experiment}">;
export type ExperimentLine = Answer<"GET /v1/experiments">["experiments"][number];
export type Run = Experiment["runs"][number];
export type TriedTurn = Experiment["turns"][number];
export type Arm = Run["arm"];
export type ArmSum = NonNullable<Experiment["arms"][Arm]>;

const OUTCOMES: Record<NonNullable<Experiment["outcome"]>, StateWord> = {
  helps: { name: "Helps", tone: "good" },
  no_difference: { name: "No difference", tone: "plain" },
  harms: { name: "Does harm", tone: "bad" },
  not_replayable: { name: "Could not be tried", tone: "warn" },
};

/** The outcome; without one, how far it is. */
export function describeState({ state, outcome }: Pick<ExperimentLine, "state" | "outcome">): StateWord {
  if (outcome !== null) return OUTCOMES[outcome];
  if (state === "waiting") return { name: "Waits for tokens", tone: "warn" };
  return state === "running"
    ? { name: "Running", tone: "accent" }
    : { name: "Ended without an outcome", tone: "plain" };
}

export const OCCASIONS: Record<ExperimentLine["occasion"], string> = {
  lesson: "A review wrote it",
  revision: "A review changed it",
  rewrite: "The curator rewrote it",
  merge: "The curator merged it",
  hub: "It came from the hub",
  import: "It was imported",
  asked: "You asked",
  try: "You tried a text that is not installed",
};

/** In the order in which they are shown. */
const ARMS: readonly Arm[] = ["with", "parent", "without"];
export const ARM_NAMES: Record<Arm, string> = {
  with: "With it",
  parent: "With the text before it",
  without: "Without it",
};

export const VERDICTS: Record<NonNullable<Run["verdict"]>, StateWord> = {
  right: { name: "Right", tone: "good" },
  wrong: { name: "Wrong", tone: "bad" },
  unknown: { name: "Not judged", tone: "plain" },
};

const JUDGES: Record<NonNullable<Run["judge"]>, string> = {
  checks: "the checks in its text",
  words: "a call that failed with its words",
  answer: "the answer that you accepted",
  model: "a model that did not know which was which",
  exit: "the last tool call",
  none: "",
};

const ENDS: Record<NonNullable<Run["report"]>["end"], string> = {
  answered: "",
  left_recording: "It asked for something that nobody had recorded.",
  over_budget: "Its tokens were used up.",
  failed: "It failed.",
  lost: "It was lost.",
};

export function describeVerdict({ state, verdict }: Pick<Run, "state" | "verdict">): StateWord {
  if (state === "waiting") return { name: "Not begun", tone: "plain" };
  return state === "running" ? { name: "Running", tone: "accent" } : VERDICTS[verdict ?? "unknown"];
}

/** Who judged it, how it ended, and what it took, in short sentences. */
export function describeRun({ judge, report }: Pick<Run, "judge" | "report">): string {
  const by = judge === null || JUDGES[judge] === "" ? [] : [`Judged by ${JUDGES[judge]}.`];
  if (report === null) return by.join(" ");
  const { toolCalls, failedCalls, usage } = report.stats;
  const failed = failedCalls > 0 ? `, ${formatNumber(failedCalls)} failed` : "";
  const tokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  const cost = `${countOf(toolCalls, "call")}${failed}, ${formatShort(tokens)} tokens.`;
  return [...by, cost, ENDS[report.end]].filter((text) => text !== "").join(" ");
}

export function nameRun({ arm, replay, nth }: Pick<Run, "arm" | "replay" | "nth">): string {
  if (replay === null) return `${ARM_NAMES[arm]}, as it was`;
  return nth > 1 ? `${ARM_NAMES[arm]}, run ${nth}` : ARM_NAMES[arm];
}

export function describeTokens({ tokens: { used, granted } }: Pick<ExperimentLine, "tokens">): string {
  return `${formatShort(used)} of ${formatShort(granted)} tokens used`;
}

type Sum = NonNullable<Answer<"GET /v1/learning">["experiments"]>;

/** "7 texts were tried: 4 help, 1 does harm. 32 runs, 1.2M tokens." */
export function describeSum({ count, replays, tokens, ...sum }: Sum): string {
  const { withdrawnBeforeOffer: early } = sum;
  const before = early > 0 ? ` (${formatNumber(early)} withdrawn before any use)` : "";
  const parts: [number, string][] = [
    [sum.helps, sum.helps === 1 ? "helps" : "help"],
    [sum.noDifference, sum.noDifference === 1 ? "makes no difference" : "make no difference"],
    [sum.harms, `${sum.harms === 1 ? "does harm" : "do harm"}${before}`],
    [sum.notReplayable, "could not be tried"],
    [sum.noOutcome, "ended without an outcome"],
    [sum.open, "not ended yet"],
  ];
  const outcomes = parts.filter(([n]) => n > 0).map(([n, what]) => `${formatNumber(n)} ${what}`);
  const tried = `${countOf(count, "text was", "texts were")} tried${outcomes.length > 0 ? `: ${outcomes.join(", ")}` : ""}.`;
  return `${tried} ${countOf(replays, "run")}, ${formatShort(tokens)} tokens.`;
}

export function listArms({ arms }: Pick<Experiment, "arms">): { arm: Arm; sum: ArmSum }[] {
  return ARMS.flatMap((arm) => (arms[arm] ? [{ arm, sum: arms[arm] }] : []));
}

export interface TurnRuns {
  turn: TriedTurn;
  /** None of a turn that was not run again: its recording alone is compared with nothing, and is in no sum. */
  runs: Run[];
  /** Two runs that have something to show: one of the other arm, the recorded turn before a repetition, and one with the text. */
  pair: [other: Run, own: Run] | null;
}

export function toTurnRuns({ turns, runs: all }: Pick<Experiment, "turns" | "runs">): TurnRuns[] {
  return turns.map((turn) => {
    const own = all
      .filter((run) => run.turn === turn.turn)
      .toSorted((a, b) => ARMS.indexOf(a.arm) - ARMS.indexOf(b.arm) || a.nth - b.nth);
    const done = own.filter(({ state }) => state === "done");
    const withText = firstJudged(done.filter(({ arm }) => arm === "with"));
    const others = done.filter(({ arm }) => arm !== "with");
    const other = others.find(({ replay }) => replay === null) ?? firstJudged(others);
    const runs = own.every(({ replay }) => replay === null) ? [] : own;
    return { turn, runs, pair: withText && other ? [other, withText] : null };
  });
}

/** Else the first one. */
function firstJudged(runs: Run[]): Run | undefined {
  return runs.find(({ verdict }) => verdict !== "unknown") ?? runs[0];
}

/** Each call of a turn as a line, for the difference of two runs. */
export function toSteps(items: readonly Item[]): string {
  return items
    .flatMap((item) =>
      item.kind === "tool" ? [`${item.name} ${summarise(item.args)}${item.failed ? " (failed)" : ""}\n`] : [],
    )
    .join("");
}

/** The last words of the agent. */
export function toAnswer(items: readonly Item[]): string {
  return items.flatMap((item) => (item.kind === "answer" && item.text !== "" ? [item.text] : [])).at(-1) ?? "";
}
