// What a person reads of an experiment: how far it is, the sentence at its end, the sum of each arm and each run. Texts come from models and
// files, so each is made one plain line first. Pure.
import { toSeenLine } from "./plain-text.ts";
import { fromTurnId } from "../../core/schemas/ids.ts";
import type { ExperimentLine } from "../../core/schemas/learning/experiment-api.ts";
import type { Arm, ArmSum, Experiment, ExperimentRun, ExperimentTurn } from "../../core/schemas/learning/experiment.ts";
import { countTokens } from "../../core/schemas/usage.ts";
import { count } from "../show.ts";
import type { Column } from "./table.ts";
import { formatTime } from "./times.ts";

/** In the order in which a person compares them. */
const ARMS: readonly Arm[] = ["with", "parent", "without"];
const ARM_WORDS: Record<Arm, string> = { with: "with it", parent: "with the text before", without: "without it" };

type Outcome = NonNullable<Experiment["outcome"]>;
const OUTCOMES: Record<Outcome, string> = {
  helps: "helps",
  no_difference: "no difference",
  harms: "harms",
  not_replayable: "not replayable",
};

export const EXPERIMENT: Column<ExperimentLine>[] = [
  { title: "experiment", cell: ({ id }) => id },
  { title: "skill", cell: ({ skill }) => skill },
  { title: "rev", cell: ({ rev }) => rev ?? "–" },
  { title: "when", cell: ({ createdAt }) => formatTime(createdAt) },
  { title: "outcome", cell: nameState },
  { title: "tokens", cell: ({ tokens }) => tokens.used },
  { title: "why", cell: ({ why }) => why, shrinks: true },
];

/** `helps`; while it has no outcome, its state. */
export function nameState({ state, outcome }: Pick<Experiment, "state" | "outcome">): string {
  if (outcome !== null) return OUTCOMES[outcome];
  return state === "done" ? "no outcome" : state;
}

/** One line of the wait. */
export function describeProgress({ state, runs, turns, tokens }: Experiment): string {
  if (state === "waiting") return "It waits for its grant of tokens.";
  const made = runs.filter(({ replay, state: of }) => replay !== null && of === "done").length;
  return `${count(made, "run")} made on ${count(turns.length, "earlier turn")}, ${count(tokens.used, "token")} used`;
}

/** The sentence at its end. */
export function describeOutcome(experiment: ExperimentLine): string {
  const { skill, why, tokens } = experiment;
  const cost = `${tokens.used.toLocaleString("en")} of ${count(tokens.granted, "token")} used.`;
  return `${skill}: ${nameState(experiment)}. ${why === "" ? "" : `${toSeenLine(why)} `}${cost}`;
}

export const ARM_SUM: Column<{ arm: Arm; sum: ArmSum }>[] = [
  { title: "arm", cell: ({ arm }) => ARM_WORDS[arm] },
  { title: "right", cell: ({ sum }) => `${sum.right} of ${sum.runs}` },
  { title: "calls", cell: ({ sum }) => sum.calls ?? "–" },
  { title: "failed", cell: ({ sum }) => sum.failedCalls ?? "–" },
  { title: "tokens", cell: ({ sum }) => (sum.tokens === null ? "–" : Math.round(sum.tokens)) },
];

export function listSums({ arms }: Pick<Experiment, "arms">): { arm: Arm; sum: ArmSum }[] {
  return ARMS.flatMap((arm) => (arms[arm] ? [{ arm, sum: arms[arm] }] : []));
}

/** A run, or a turn that could not be run again. */
export interface RunRow {
  turn: ExperimentTurn;
  run: ExperimentRun | null;
}

export const RUN: Column<RunRow>[] = [
  { title: "turn", cell: ({ turn }) => nameTurn(turn) },
  { title: "run", cell: ({ run }) => (run ? nameRun(run) : "–") },
  { title: "answer", cell: ({ turn, run }) => (run ? nameVerdict(run) : nameReason(turn)), shrinks: true },
  { title: "calls", cell: ({ run }) => run?.report?.stats.toolCalls ?? "–" },
  { title: "tokens", cell: ({ run }) => (run?.report ? countTokens(run.report.stats.usage) : "–") },
  { title: "what was asked", cell: ({ turn }) => turn.request ?? "(deleted)", shrinks: true },
];

/** By turn, then by arm; a turn that was not run again has one row: its recording alone is compared with nothing, and is in no sum. */
export function listRuns({ turns, runs }: Pick<Experiment, "turns" | "runs">): RunRow[] {
  return turns.flatMap((turn): RunRow[] => {
    const own = runs.filter((run) => run.turn === turn.turn).toSorted(byArm);
    return own.every(({ replay }) => replay === null) ? [{ turn, run: null }] : own.map((run) => ({ turn, run }));
  });
}

function byArm(a: ExperimentRun, b: ExperimentRun): number {
  return ARMS.indexOf(a.arm) - ARMS.indexOf(b.arm) || a.nth - b.nth;
}

function nameTurn({ turn, cited }: ExperimentTurn): string {
  const { session, n } = fromTurnId(turn);
  return `${session} turn ${n}${cited ? ", cited" : ""}`;
}

function nameRun({ arm, replay }: ExperimentRun): string {
  return `${ARM_WORDS[arm]}${replay === null ? ", as recorded" : ""}`;
}

function nameVerdict({ state, verdict, judge, report }: ExperimentRun): string {
  if (state !== "done") return state;
  const end = report && report.end !== "answered" ? `, ${report.end.replaceAll("_", " ")}` : "";
  return `${verdict ?? "unknown"}${judge === null || judge === "none" ? "" : ` (${judge})`}${end}`;
}

function nameReason({ replayability }: ExperimentTurn): string {
  return replayability.replayable ? "not run" : toSeenLine(replayability.why);
}
