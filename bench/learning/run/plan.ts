// Which runs a report needs, and which runs each figure uses. Called by bench/learning.ts. Pure.
import { ABLATIONS, MAIN_ARMS, RIVAL_ARMS, STRESS_ARMS } from "../arms/arms.ts";
import { type ArmFigures, computeArmFigures } from "../report/figures.ts";
import { type ReplayFigures, computeReplayFigures } from "../report/replay-figures.ts";
import { WORLDS } from "../world/parameters.ts";
import type { PlantsRecord } from "./plants.ts";
import type { JobResult, Job } from "./pool.ts";
import type { RunRecord } from "../report/records.ts";
import type { TwoProfilesRecord } from "./two-profiles.ts";

export interface Plan {
  from: number;
  /** Seeds per world, per stress cell, per ablation, and per world in our own surfaces if others were given. */
  seeds: number;
  cellSeeds: number;
  ablationSeeds: number;
  ownSeeds: number;
  stress: readonly string[];
  /** If set, only these arms run, in this cell. */
  only: { cell: string; arms: readonly string[] } | null;
}

/** Indexes in the list of surfaces: the measured ones, and our own if others were given. */
export const MEASURED = 0;
export const OWN = 1;

export const MAIN_NAMES = MAIN_ARMS.map(({ name }) => name);
export const ABLATION_NAMES = ABLATIONS.map(({ name }) => name);
const [IMPORTS, NO_IMPORTS] = WORLDS;

export function listJobs(plan: Plan): Job[] {
  const { seeds, cellSeeds, ablationSeeds, ownSeeds, stress, only } = plan;
  if (only) return streams(plan, only.cell, withBaselines(only.arms), cellSeeds);
  return [
    ...streams(plan, IMPORTS, MAIN_NAMES, seeds),
    ...streams(plan, NO_IMPORTS, RIVAL_ARMS, seeds),
    ...stress.flatMap((cell) => streams(plan, cell, STRESS_ARMS, cellSeeds)),
    ...streams(plan, IMPORTS, ABLATION_NAMES, ablationSeeds),
    ...WORLDS.flatMap((world) => streams(plan, world, RIVAL_ARMS, ownSeeds, OWN)),
    ...listSeeds(plan, seeds).flatMap((seed): Job[] => [
      { kind: "two-profiles", arm: "ours", seed, cell: IMPORTS, surfaces: MEASURED },
      { kind: "plants", arm: "replay", seed, cell: IMPORTS, surfaces: MEASURED },
    ]),
  ];
}

/** Adds `off` and `ceiling`, the two arms that define the gap. */
export function withBaselines(arms: readonly string[]): string[] {
  return [...new Set(["off", ...arms, "ceiling"])];
}

function listSeeds({ from }: Plan, count: number): number[] {
  return Array.from({ length: count }, (_, at) => from + at);
}

function streams(plan: Plan, cell: string, arms: readonly string[], seeds: number, surfaces = MEASURED): Job[] {
  return listSeeds(plan, seeds).flatMap((seed) =>
    arms.map((arm): Job => ({ kind: "stream", arm, seed, cell, surfaces })),
  );
}

export interface Figures {
  of(arm: string, cell: string, options?: { surfaces?: number; seeds?: number }): ArmFigures;
  all(arms: readonly string[], cell: string, options?: { surfaces?: number; seeds?: number }): ArmFigures[];
  runs(arm: string, cell: string): RunRecord[];
  /** The arm `replay` against `ours`. `null`: not both were run in this cell. */
  replay(cell: string, options?: { surfaces?: number; seeds?: number }): ReplayFigures | null;
  twoProfiles(): TwoProfilesRecord[];
  plants(): PlantsRecord[];
}

/** `done` has the order of the jobs. */
export function computeFigures(plan: Plan, jobs: readonly Job[], done: readonly JobResult[]): Figures {
  const last = (seeds: number) => plan.from + seeds - 1;
  const select = (arm: string, cell: string, { surfaces = MEASURED, seeds = Infinity } = {}): RunRecord[] =>
    jobs.flatMap((job, at) => {
      const one = done[at]!;
      const isIt = job.arm === arm && job.cell === cell && job.surfaces === surfaces && job.seed <= last(seeds);
      return isIt && one.kind === "stream" ? [one.record] : [];
    });
  const of: Figures["of"] = (arm, cell, options) =>
    computeArmFigures(arm, select(arm, cell, options), {
      off: select("off", cell, options),
      ceiling: select("ceiling", cell, options),
    });
  return {
    of,
    all: (arms, cell, options) => arms.map((arm) => of(arm, cell, options)),
    runs: (arm, cell) => select(arm, cell),
    replay: (cell, options) =>
      computeReplayFigures(select("replay", cell, options), select("ours", cell, options), {
        off: select("off", cell, options),
        ceiling: select("ceiling", cell, options),
      }),
    plants: () => done.flatMap((one) => (one.kind === "plants" ? [one.record] : [])),
    twoProfiles: () => done.flatMap((one) => (one.kind === "two-profiles" ? [one.record] : [])),
  };
}
