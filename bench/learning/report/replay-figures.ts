// What experiments are worth: the arm `replay` against `ours`, in one cell. Both arms meet the same seeds, so each figure is compared
// seed by seed. Pure.
import { type ComparedFigure, type PairedRuns, countTokens, countWithdrawnUnused, toParts } from "./figures.ts";
import type { RunRecord } from "./records.ts";
import { type Figure, difference, ratio } from "./statistics.ts";

export interface ReplayFigures {
  seeds: number;
  offeredRight: Figure | null;
  withdrawnBeforeUse: Figure | null;
  /** Wrong lessons that were written, and those of them that no call can show to be wrong. */
  wrongLessons: { all: number; silent: number };
  /** All tokens of the arm, divided by those of `ours`, less 1. */
  moreTokens: Figure | null;
  /** Each figure of the arm less that of `ours`. */
  difference: Record<ComparedFigure, Figure | null>;
  /** The figures whose whole interval is on the worse side. */
  worse: ComparedFigure[];
  experiments: { made: number; replays: number; outcomes: Record<string, number>; ends: Record<string, number> };
}

/** Of these, less is better. */
const COSTS: ReadonlySet<ComparedFigure> = new Set<ComparedFigure>([
  "harmfulUses",
  "negativeTransfer",
  "benignBlocked",
  "poisonAccepted",
  "lostOrDoubled",
]);

/** `null`: no seed ran in both arms. */
export function computeReplayFigures(
  replay: readonly RunRecord[],
  ours: readonly RunRecord[],
  { off, ceiling }: PairedRuns,
): ReplayFigures | null {
  const find = (runs: readonly RunRecord[], seed: number) => runs.find((run) => run.seed === seed);
  const pairs = replay.flatMap((run) => {
    const [other, without, best] = [find(ours, run.seed), find(off, run.seed), find(ceiling, run.seed)];
    if (!other || !without || !best) return [];
    const ends = { off: without, ceiling: best };
    return [{ run, other, mine: toParts(run, ends), theirs: toParts(other, ends) }];
  });
  if (pairs.length === 0) return null;
  const names = Object.keys(pairs[0]!.mine) as ComparedFigure[];
  const compare = (name: ComparedFigure) => difference(pairs.map(({ mine, theirs }) => [mine[name], theirs[name]]));
  const differences = Object.fromEntries(names.map((name) => [name, compare(name)])) as ReplayFigures["difference"];
  const isWorse = (name: ComparedFigure) => {
    const figure = differences[name];
    return figure !== null && (COSTS.has(name) ? figure.low > 0 : figure.high < 0);
  };
  const wrong = pairs.flatMap(({ run }) => run.wrongLessons);
  return {
    seeds: pairs.length,
    offeredRight: ratio(pairs.map(({ mine }) => mine.offeredRight)),
    withdrawnBeforeUse: ratio(pairs.map(({ run }) => countWithdrawnUnused(run))),
    wrongLessons: { all: wrong.length, silent: wrong.filter(({ isSilent }) => isSilent).length },
    moreTokens: lessOne(ratio(pairs.map(({ run, other }) => [countTokens(run), countTokens(other)]))),
    difference: differences,
    worse: names.filter(isWorse),
    experiments: sumExperiments(pairs.map(({ run }) => run)),
  };
}

function lessOne(figure: Figure | null): Figure | null {
  const less = (value: number) => Number((value - 1).toFixed(4));
  return figure && { mean: less(figure.mean), low: less(figure.low), high: less(figure.high) };
}

function sumExperiments(runs: readonly RunRecord[]): ReplayFigures["experiments"] {
  const sum: ReplayFigures["experiments"] = { made: 0, replays: 0, outcomes: {}, ends: {} };
  for (const { experiments } of runs) {
    if (!experiments) continue;
    sum.made += experiments.made;
    sum.replays += experiments.replays;
    addAll(sum.outcomes, experiments.outcomes);
    addAll(sum.ends, experiments.ends);
  }
  return sum;
}

function addAll(to: Record<string, number>, counts: Partial<Record<string, number>>): void {
  for (const [name, count = 0] of Object.entries(counts)) to[name] = (to[name] ?? 0) + count;
}
