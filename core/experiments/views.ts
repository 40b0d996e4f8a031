// An experiment as it is asked for, stored and shown. Called by experiments.ts. Pure.
import { hashFiles, sha256Hex } from "../schemas/learning/digest.ts";
import type { Sha256 } from "../schemas/ids.ts";
import type { Experiment, ExperimentId, ExperimentSum } from "../schemas/learning/experiment.ts";
import type { ExperimentLine } from "../schemas/learning/experiment-api.ts";
import type { NewExperiment } from "./ports.ts";
import type { ExperimentRows, StoredExperiment, StoredRun } from "./rows.ts";

/** As it is asked for. */
export function toExperiment(
  asked: NewExperiment,
  made: { id: ExperimentId; asked: string; now: number },
): StoredExperiment {
  const { key, skill, occasion, rev, text, parent, citations, named, about, session, given, tokens } = asked;
  return {
    ...{ v: 1, id: made.id, skill, text, parent, rev: rev ?? null, occasion, session, state: "waiting", outcome: null },
    ...{ why: "", turns: [], arms: {}, tokens: { granted: 0, used: 0 }, createdAt: made.now, endedAt: null },
    ...{ runsUntil: null, key, asked: made.asked, citations, about, isGiven: given !== undefined },
    ...(named && { named }),
    ...{ ownTokens: tokens ?? null, step: "reserve", due: made.now, tries: 0, seq: 0, tried: [], hasParent: false },
    ...{ passes: {}, concluding: null },
  };
}

/** Of what was sent, where a person asks: what follows from it may have changed with the library when the request is repeated. */
export function fingerprintOf({ sent, given, ...asked }: NewExperiment): Sha256 {
  return sha256Hex(sent ?? JSON.stringify([asked, given ? hashFiles(given) : null]));
}

/** What the API shows. */
export function toLine(experiment: StoredExperiment): ExperimentLine {
  const { v, id, skill, text, parent, rev, occasion, session, state, outcome, why, turns, arms, tokens } = experiment;
  const { createdAt, endedAt, runsUntil } = experiment;
  return {
    ...{ v, id, skill, text, parent, rev, occasion, session, state, outcome, why, turns, arms, tokens },
    ...{ createdAt, endedAt, runsUntil },
  };
}

export function sumExperiments(all: StoredExperiment[], runsOf: (id: ExperimentId) => StoredRun[]): ExperimentSum {
  const sum: ExperimentSum = {
    ...{ waiting: 0, running: 0, helps: 0, no_difference: 0, harms: 0, not_replayable: 0, none: 0 },
    ...{ withdrawnBeforeOffer: 0, replays: 0, tokens: 0 },
  };
  for (const { id, state, outcome, tokens, concluding } of all) {
    sum[state === "done" ? (outcome ?? "none") : state] += 1;
    // Only what a review learned is held back, and such a text is withdrawn by this outcome.
    if (outcome === "harms" && concluding?.isHeld === true) sum.withdrawnBeforeOffer += 1;
    sum.replays += runsOf(id).filter(({ replay }) => replay !== null).length;
    sum.tokens += tokens.used;
  }
  return sum;
}

export function toShown(rows: ExperimentRows, experiment: StoredExperiment): Experiment {
  const runs = rows.runs(experiment.id).map(({ replay, turn, arm, nth, state, verdict, judge, report }) => ({
    ...{ replay, turn, arm, nth, state, verdict, judge, report },
  }));
  return { ...toLine(experiment), runs };
}
