// What a person asks of a training job, step by step: the intent is stored first, then the service is asked with the job's own
// idempotency key, then its answer is stored. After a crash between two steps the same request goes on where it was. Called by the API
// for a person's request only. No timer, no clock.
import { type Result, err, ok } from "../errors.ts";
import { byteLength, sha256Hex } from "../schemas/learning/digest.ts";
import type { TrainingJob } from "../schemas/training.ts";
import type { ReadTrajectoryPage } from "../trajectories/pages.ts";
import { type TrainingChange, hashDataset } from "./job.ts";
import { toLockedConfig } from "./locked-fields.ts";
import type { TrainingService } from "./training-service.ts";

export interface TrainingDeps {
  service: TrainingService;
  /** Applies the change to the stored job in one transaction (core/training/job.ts). Failure: also `training_job_not_found`. */
  change(change: TrainingChange): Promise<Result<TrainingJob>>;
  /** Fails without the profile's consent. */
  readPage: ReadTrajectoryPage;
  signal: AbortSignal;
}

/** Tells the service of the job, unless it knows it. A refusal ends the job. Called before everything else. */
export async function ensureCreated(job: TrainingJob, deps: TrainingDeps): Promise<Result<TrainingJob>> {
  if (job.service !== null || job.state !== "pending") return ok(job);
  const { baseModel, format, config } = job.request;
  const run = { baseModel, format, config, locked: toLockedConfig(baseModel) };
  const created = await deps.service.create(job.op, run, deps.signal);
  if (!created.ok) return endIfFinal(created, deps);
  const { id, state } = created.value;
  if (state === "pending") return deps.change({ do: "created", service: id });
  return err("training_garbled", `The service calls a new job ${state}. It was not believed.`);
}

/** Sends the next page of the dataset. Repeated while `dataset.next` is not `null`. */
export async function sendData(job: TrainingJob, deps: TrainingDeps): Promise<Result<TrainingJob>> {
  const known = await ensureCreated(job, deps);
  if (!known.ok) return known;
  const { service, request, dataset } = known.value;
  const at = dataset.parts.length;
  // A job that was stopped gets no more data: its service deletes what it has. The change refuses it.
  if (dataset.next === null || service === null || known.value.state !== "pending") {
    return deps.change({ do: "add_part", at, part: null, next: null });
  }
  const page = await deps.readPage(request, dataset.next);
  if (!page.ok) return page;
  const { lines, next } = page.value;
  if (lines.length === 0) return deps.change({ do: "add_part", at, part: null, next });
  const text = lines.map((line) => `${line}\n`).join("");
  const part = { sha256: sha256Hex(text), bytes: byteLength(text), examples: lines.length };
  const sent = await deps.service.upload(service, part, text, deps.signal);
  return sent.ok ? deps.change({ do: "add_part", at, part, next }) : endIfFinal(sent, deps);
}

/** Idempotent: a start that the service has not confirmed is sent again. */
export async function startJob(job: TrainingJob, deps: TrainingDeps): Promise<Result<TrainingJob>> {
  const begun = await deps.change({ do: "start" });
  if (!begun.ok || begun.value.confirmed.start) return begun;
  const { service, op, dataset } = begun.value;
  const parts = dataset.parts.map(({ sha256 }) => sha256);
  const asked = { op: `${op}-start`, parts, dataset: hashDataset(dataset.parts)! };
  const said = await deps.service.start(service!, asked, deps.signal);
  return said.ok ? deps.change({ do: "report", to: "start", said: said.value }) : endIfFinal(said, deps);
}

/** Idempotent, as `startJob`. A job that has ended stays as it ended. */
export async function stopJob(job: TrainingJob, deps: TrainingDeps): Promise<Result<TrainingJob>> {
  const begun = await deps.change({ do: "stop" });
  if (!begun.ok || begun.value.state !== "stopping" || begun.value.confirmed.stop) return begun;
  const said = await deps.service.stop(begun.value.service!, `${job.op}-stop`, deps.signal);
  return said.ok ? deps.change({ do: "report", to: "stop", said: said.value }) : endIfLost(said, deps);
}

/** The kept job, or a fresh one if the service may be asked. The question is stored before it is asked, so that it is asked once. */
export async function readStatus(job: TrainingJob, deps: TrainingDeps): Promise<Result<TrainingJob>> {
  if (job.state === "pending") return ok(job);
  const asked = await deps.change({ do: "ask" });
  if (!asked.ok) return asked.failure.code === "training_not_due" ? ok(job) : asked;
  const said = await deps.service.status(asked.value.service!, deps.signal);
  if (said.ok) return deps.change({ do: "report", to: "ask", said: said.value });
  return said.failure.code === "training_lost" ? endIfLost(said, deps) : said;
}

/** The results of a completed job: fetched once, then kept. Failures: `training_state`, `training_contradicted`. */
export async function readResults(job: TrainingJob, deps: TrainingDeps): Promise<Result<TrainingJob>> {
  if (job.results) return ok(job);
  if (job.state !== "completed") {
    const message = `The job is ${job.state} and has no results. Ask for its status until it is completed.`;
    return err("training_state", message, { state: job.state });
  }
  const fetched = await deps.service.results(job.service!, deps.signal);
  if (!fetched.ok) return fetched;
  const { baseModel, dataset, adapter, evaluation } = fetched.value;
  if (baseModel !== job.request.baseModel || dataset !== hashDataset(job.dataset.parts)) {
    return err("training_contradicted", "The results name another base model or dataset. No model was noted.");
  }
  return deps.change({ do: "results", results: { adapter: adapter?.id ?? null, evaluation: evaluation ?? null } });
}

/** A refusal, and a job that the service has lost, end the job. Everything else can be repeated. */
async function endIfFinal(failed: Result<never>, deps: TrainingDeps): Promise<Result<never>> {
  if (!failed.ok && (failed.failure.code === "training_refused" || failed.failure.code === "training_lost")) {
    await deps.change({ do: "fail", why: failed.failure.message });
  }
  return failed;
}

/** The same where a lost job is the answer. */
async function endIfLost(failed: Result<never>, deps: TrainingDeps): Promise<Result<TrainingJob>> {
  if (failed.ok || failed.failure.code !== "training_lost") return failed;
  return deps.change({ do: "fail", why: failed.failure.message });
}
