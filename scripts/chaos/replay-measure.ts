// What became of the experiments of a chaos run and of their replays. Called by replay-stack.ts with what it read through the API, and by
// replays.ts with what it finds in its tables. Pure.
import type { Experiment } from "../../core/schemas/learning/experiment.ts";

export interface MeasuredReplays {
  /** Experiments that were accepted and are absent or have no result, replays without a report, tokens and evidence that nobody has written down. */
  lost: number;
  /** Experiments that nobody asked for, replays that were made twice, tokens and evidence that were written down twice, traces of a replay elsewhere. */
  duplicated: number;
  /** Requests that reached a double outside after the last turn of a session. */
  outward: number;
  /** Experiments that have not ended, and runs that have not. */
  stuck: number;
  remarks: string[];
}

export interface FoundReplays {
  /** Every experiment that the profile has. */
  experiments: Experiment[];
  /** Ids of those that were accepted. */
  accepted: ReadonlySet<string>;
  /** Tokens that the ledger has booked for replays. */
  booked: number;
  /** Turns of the evidence of the judge `replay`, by text. */
  evidence: ReadonlyMap<string, string[]>;
  /** What reached a double outside. */
  outward: string[];
  /** Where else a replay left something: sessions, found messages, turns that are learned from, spending of turns. */
  traces: string[];
}

export function countReplays(found: FoundReplays): MeasuredReplays {
  const sum: MeasuredReplays = { lost: 0, duplicated: 0, outward: 0, stuck: 0, remarks: [] };
  const note = (figure: "lost" | "duplicated" | "outward" | "stuck", what: string) => {
    sum[figure]++;
    sum.remarks.push(`${figure}: ${what}`);
  };
  for (const what of found.outward) note("outward", what);
  for (const what of found.traces) note("duplicated", what);
  const known = new Set(found.experiments.map(({ id }) => id));
  for (const id of found.accepted) if (!known.has(id)) note("lost", `the experiment ${id} is absent`);
  const replays = found.experiments.flatMap(({ runs }) => runs.flatMap(({ replay }) => replay ?? []));
  for (const id of findRepeated(replays)) note("duplicated", `the replay ${id} is in two runs`);
  let used = 0;
  for (const experiment of found.experiments) {
    const { id, state, outcome, runs, tokens, endedAt, text } = experiment;
    used += tokens.used;
    if (!found.accepted.has(id)) note("duplicated", `nobody asked for the experiment ${id}`);
    if (state !== "done") note("stuck", `the experiment ${id} is ${state}`);
    if (state === "done" && (outcome === null || endedAt === null)) note("lost", `the experiment ${id} has no result`);
    const made = runs.map(({ turn, arm, nth }) => `${turn} ${arm} ${nth}`);
    for (const run of findRepeated(made)) note("duplicated", `the experiment ${id} made the run ${run} twice`);
    for (const { turn, arm, nth, ...run } of runs) {
      const name = `the run ${turn} ${arm} ${nth} of ${id}`;
      if (state === "done" && run.state === "running") note("stuck", `${name} has not ended`);
      if (run.state === "done" && run.replay !== null && !run.report) note("lost", `${name} has no report`);
      if (run.report && ["lost", "failed"].includes(run.report.end)) note("lost", `${name} ended as ${run.report.end}`);
    }
    const judged = found.evidence.get(text) ?? [];
    for (const turn of findRepeated(judged)) note("duplicated", `the evidence of ${id} has the turn ${turn} twice`);
    const isJudged = state === "done" && outcome !== null && outcome !== "not_replayable";
    for (const turn of isJudged ? listTried(runs) : []) {
      if (!judged.includes(turn)) note("lost", `the evidence of ${id} lacks the turn ${turn}`);
    }
  }
  const booked = found.booked - used;
  if (booked < 0) note("lost", `${-booked} tokens of replays are not booked`);
  if (booked > 0) note("duplicated", `${booked} tokens of replays are booked that no experiment has used`);
  return sum;
}

/** Turns on which the text was run to an answer. */
function listTried(runs: Experiment["runs"]): string[] {
  const tried = runs.filter(({ arm, report }) => arm === "with" && report?.loaded && report.end === "answered");
  return [...new Set(tried.map(({ turn }) => turn))];
}

function findRepeated(names: string[]): string[] {
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
}
