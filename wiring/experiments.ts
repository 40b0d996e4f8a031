// The experiments of a profile and the runs they consist of, as its sessions and the API reach them. Names of objects are built from the
// authenticated principal only. The values cross unchanged; the platform's types lose some.
import type { ExperimentCalls, Experiments } from "../core/experiments/ports.ts";
import type { ExperimentSum, ReplayId } from "../core/schemas/learning/experiment.ts";
import type { ReplayEngine } from "../core/session/replay/contract.ts";

export interface ExperimentBindings {
  EXPERIMENTS: DurableObjectNamespace;
  REPLAY: DurableObjectNamespace;
}

/** core/experiments/ports.ts documents the calls. */
export interface ExperimentDesk extends ExperimentCalls, Pick<Experiments, "forgetWords"> {
  sum(asked: { since: number }): Promise<ExperimentSum>;
}

export function openExperiments(env: Pick<ExperimentBindings, "EXPERIMENTS">, profile: string): ExperimentDesk {
  return env.EXPERIMENTS.getByName(profile) as unknown as ExperimentDesk;
}

export interface ReplayRuns {
  /** The entries of the run, the input first. `null`: it never began, or was erased. Ask only for a run of an experiment of this profile. */
  entryPage(asked: { after: number; limit: number }): Promise<ReturnType<ReplayEngine["entryPage"]> | null>;
}

export function openReplay(env: Pick<ExperimentBindings, "REPLAY">, profile: string, id: ReplayId): ReplayRuns {
  return env.REPLAY.getByName(`${profile}/${id}`) as unknown as ReplayRuns;
}
