// The states of a training job, and what may follow what. docs/TRAINING.md shows this table; a test compares both, and has a test for
// each row. Pure.
import type { TrainingState } from "../schemas/training.ts";

/** `report`: the service said so. The other two are a person's requests, stored before the service is asked. */
export type TransitionCause = "create" | "start" | "stop" | "report";

export interface Transition {
  from: TrainingState | null;
  to: TrainingState;
  cause: TransitionCause;
  when: string;
}

export const TRANSITIONS: readonly Transition[] = [
  { from: null, to: "pending", cause: "create", when: "a person asked for the job" },
  { from: "pending", to: "starting", cause: "start", when: "the whole dataset was sent" },
  { from: "pending", to: "stopped", cause: "stop", when: "the service never answered, so it has no data" },
  { from: "pending", to: "stopping", cause: "stop", when: "the service knows the job" },
  { from: "pending", to: "failed", cause: "report", when: "the service refused the job, or lost it" },
  { from: "starting", to: "running", cause: "report", when: "it began" },
  { from: "starting", to: "completed", cause: "report", when: "it ran between two looks" },
  { from: "starting", to: "stopped", cause: "report", when: "somebody stopped it at the service" },
  { from: "starting", to: "failed", cause: "report", when: "it could not begin" },
  { from: "starting", to: "stopping", cause: "stop", when: "a person asked for it" },
  { from: "running", to: "completed", cause: "report", when: "it has results" },
  { from: "running", to: "stopped", cause: "report", when: "somebody stopped it at the service" },
  { from: "running", to: "failed", cause: "report", when: "it broke" },
  { from: "running", to: "stopping", cause: "stop", when: "a person asked for it" },
  { from: "stopping", to: "stopped", cause: "report", when: "the service is done" },
  { from: "stopping", to: "completed", cause: "report", when: "it ended before the request arrived" },
  { from: "stopping", to: "failed", cause: "report", when: "it broke before" },
];

/** States that nothing follows. */
const ENDED: ReadonlySet<TrainingState> = new Set(["stopped", "completed", "failed"]);

export function isEnded(state: TrainingState): boolean {
  return ENDED.has(state);
}

export function mayFollow(from: TrainingState | null, to: TrainingState, cause: TransitionCause): boolean {
  return TRANSITIONS.some((row) => row.from === from && row.to === to && row.cause === cause);
}
