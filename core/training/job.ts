// One training job: how it begins, what a request or a report of the service changes, and how it is shown. Every change is a pure
// function of the stored job, so that the Account applies it in one transaction. A report that the table of transitions does not have
// is noted and not believed.
import { clip, toOneLine } from "../clip.ts";
import { type Result, err, ok } from "../errors.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type {
  CreateTrainingJob,
  ServiceStatus,
  TrainedModel,
  TrainingJob,
  TrainingJobInfo,
  TrainingPart,
  TrainingResults,
  TrainingState,
} from "../schemas/training.ts";
import type { TrajectoryPlace } from "../schemas/trajectories.ts";
import { TRAJECTORY_START } from "../trajectories/pages.ts";
import { toLockedConfig } from "./locked-fields.ts";
import { isEnded, mayFollow } from "./transitions.ts";

/** [hermes] check_status: at most one question to the service in 30 minutes. */
export const STATUS_EVERY_MS = 30 * 60_000;
/** [own] `start` names all parts in one request of 34 KB. */
export const MAX_PARTS = 500;
const MAX_FAILURE_CHARS = 500;

export type TrainingChange =
  | { do: "created"; service: string }
  /** `at`: how many parts the caller saw. Another number means that somebody else has sent this page. */
  | { do: "add_part"; at: number; part: TrainingPart | null; next: TrajectoryPlace | null }
  | { do: "start" }
  | { do: "stop" }
  /** Takes the one question that may be asked now. */
  | { do: "ask" }
  /** What the service answered to a start, a stop or a question. */
  | { do: "report"; to: "start" | "stop" | "ask"; said: ServiceStatus }
  | { do: "fail"; why: string }
  | { do: "results"; results: TrainingResults };

export function beginJob(
  request: CreateTrainingJob,
  { id, op, now }: { id: string; op: string; now: number },
): TrainingJob {
  return {
    ...{ v: 1, id, op, state: "pending", request, service: null },
    dataset: { parts: [], next: TRAJECTORY_START },
    confirmed: { start: false, stop: false },
    ...{ askedAt: null, progress: null, failure: null, contradiction: null, results: null },
    ...{ createdAt: now, changedAt: now, endedAt: null },
  };
}

/** Failures: `training_state`, `training_data_missing`, `training_data_too_large`; of `ask`: `training_not_due`. */
export function changeJob(job: TrainingJob, change: TrainingChange, now: number): Result<TrainingJob> {
  const changed = { ...job, changedAt: now };
  switch (change.do) {
    case "created":
      return ok(job.service === null ? { ...changed, service: change.service } : job);
    case "add_part": {
      const { parts, next } = job.dataset;
      if (next === null) return ok(job);
      if (job.state !== "pending") return refuse(job, "takes no more data");
      if (parts.length !== change.at) return ok(job);
      if (parts.length === MAX_PARTS && change.part) return err("training_data_too_large", TOO_LARGE);
      const all = change.part ? [...parts, change.part] : parts;
      return ok({ ...changed, dataset: { parts: all, next: change.next } });
    }
    case "start": {
      if (job.state === "starting" || job.confirmed.start) return ok(job);
      if (!mayFollow(job.state, "starting", "start")) return refuse(job, "cannot be started");
      if (job.dataset.next !== null || job.dataset.parts.length === 0) return err("training_data_missing", NO_DATA);
      return ok({ ...changed, state: "starting" });
    }
    case "stop": {
      if (job.state === "stopping" || isEnded(job.state)) return ok(job);
      return ok(job.service === null ? endAs(changed, "stopped", now) : { ...changed, state: "stopping" });
    }
    case "ask": {
      const nextAt = nextStatusAt(job);
      const isDue = job.service !== null && !isEnded(job.state) && (nextAt === null || nextAt <= now);
      return isDue ? ok({ ...changed, askedAt: now }) : err("training_not_due", "The service was asked lately.");
    }
    case "report":
      return ok(believe(job, change, now));
    case "fail":
      if (isEnded(job.state)) return ok(job);
      return ok(endAs({ ...changed, failure: toFailure(change.why) }, "failed", now));
    case "results":
      if (job.state !== "completed") return refuse(job, "has no results");
      return ok(job.results ? job : { ...changed, results: change.results });
  }
}

/** When the service may be asked again; `null`: at once, or never more. */
export function nextStatusAt({ state, askedAt }: TrainingJob): number | null {
  return isEnded(state) || askedAt === null ? null : askedAt + STATUS_EVERY_MS;
}

/** SHA-256 of the SHA-256s of the parts, a line each; `null` without a part. */
export function hashDataset(parts: TrainingPart[]): string | null {
  return parts.length === 0 ? null : sha256Hex(parts.map(({ sha256 }) => `${sha256}\n`).join(""));
}

/** `null`: the job has no adapter. */
export function toModel({ id, request, dataset, results }: TrainingJob, at: number): TrainedModel | null {
  const hash = hashDataset(dataset.parts);
  if (!results?.adapter || hash === null) return null;
  const { adapter, evaluation } = results;
  const base = request.baseModel;
  return { v: 1, name: `${base}+${id}`, base, adapter, dataset: hash, evaluation, job: id, at };
}

export function toJobInfo(job: TrainingJob): TrainingJobInfo {
  const { id, state, request, dataset, progress, failure, contradiction, results } = job;
  const { createdAt, changedAt, endedAt, askedAt } = job;
  const sum = (of: "examples" | "bytes") => dataset.parts.reduce((all, part) => all + part[of], 0);
  return {
    ...{ id, state, ...request, locked: toLockedConfig(request.baseModel) },
    dataset: {
      ...{
        parts: dataset.parts.length,
        examples: sum("examples"),
        bytes: sum("bytes"),
        isWhole: dataset.next === null,
      },
      sha256: hashDataset(dataset.parts),
    },
    ...{ progress, failure, contradiction, results, createdAt, changedAt, endedAt, askedAt },
    nextStatusAt: nextStatusAt(job),
  };
}

/** What of a report fits the state. Progress is only taken from a report that is believed. */
function believe(job: TrainingJob, { to, said }: Extract<TrainingChange, { do: "report" }>, now: number): TrainingJob {
  if (isEnded(job.state)) return job;
  const hasStarted = job.confirmed.start || to === "start" || (job.state === "starting" && said.state !== "pending");
  const confirmed = { start: hasStarted, stop: job.confirmed.stop || to === "stop" };
  const heard = { ...job, changedAt: now, askedAt: to === "stop" ? job.askedAt : now, confirmed };
  if (!isLate(job, said.state) && !mayFollow(job.state, said.state, "report")) {
    const contradiction = `The service said "${said.state}" of a job that is ${job.state}.`;
    return { ...heard, contradiction };
  }
  const believed = { ...heard, contradiction: null, progress: said.progress ?? job.progress };
  if (isLate(job, said.state)) return believed;
  const failure = said.state === "failed" ? toFailure(said.failure ?? "The service gave no reason.") : null;
  const next = { ...believed, state: said.state, failure };
  return isEnded(said.state) ? endAs(next, said.state, now) : next;
}

/** The service has not yet done what it was asked: that is no contradiction. */
function isLate({ state, confirmed }: TrainingJob, said: TrainingState): boolean {
  if (said === state) return true;
  if (state === "starting") return said === "pending" && !confirmed.start;
  return state === "stopping" && (said === "pending" || said === "starting" || said === "running");
}

function endAs(job: TrainingJob, state: TrainingState, now: number): TrainingJob {
  return { ...job, state, endedAt: now };
}

function toFailure(said: string): string {
  return clip(toOneLine(said), MAX_FAILURE_CHARS);
}

function refuse({ state }: TrainingJob, what: string): Result<never> {
  return err("training_state", `The job is ${state} and ${what}.`, { state });
}

const NO_DATA = "The dataset is not whole. Repeat POST …/data until `isWhole` is true, with at least one example.";
const TOO_LARGE = `The dataset has more than ${MAX_PARTS} parts. Narrow it down, or stop this job.`;
