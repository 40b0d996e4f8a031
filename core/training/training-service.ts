// What Talaria needs of a training service. http-service.ts speaks our own HTTP form; an adapter for another service is one more file
// with this interface. Called for a person's request only: no tool has it, and nothing runs on a timer.
import type { Result } from "../errors.ts";
import type { FieldValue, ServiceResults, ServiceStatus, TrainingPart, TrainingState } from "../schemas/training.ts";
import type { TrajectoryFormat } from "../schemas/trajectories.ts";

/** What a service is told of a new job. `locked` has precedence over `config`. */
export interface NewTrainingRun {
  baseModel: string;
  format: TrajectoryFormat;
  config: Record<string, FieldValue>;
  locked: Record<string, FieldValue>;
}

/**
 * No method throws. `op`: the idempotency key; a repeated call has the effect of one. `job`: the service's own id. Failures:
 * `training_unreachable` (repeat it later; facts: `retryAfterSeconds`), `training_service_locked`, `training_garbled`,
 * `training_refused`, and `training_lost` for an unknown job.
 */
export interface TrainingService {
  create(op: string, run: NewTrainingRun, signal: AbortSignal): Promise<Result<{ id: string; state: TrainingState }>>;
  /** Uploads JSON lines. A part has no order: `start` names the parts and their order. */
  upload(job: string, part: TrainingPart, lines: string, signal: AbortSignal): Promise<Result<null>>;
  /** `dataset`: SHA-256 of the SHA-256s of the parts, a line each. */
  start(
    job: string,
    asked: { op: string; parts: string[]; dataset: string },
    signal: AbortSignal,
  ): Promise<Result<ServiceStatus>>;
  status(job: string, signal: AbortSignal): Promise<Result<ServiceStatus>>;
  stop(job: string, op: string, signal: AbortSignal): Promise<Result<ServiceStatus>>;
  results(job: string, signal: AbortSignal): Promise<Result<ServiceResults>>;
}
