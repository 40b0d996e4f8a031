// What the routes of training work with: the profile's Account, the operator's training service, and the profile's trajectories. The
// calls of the desk are those of durable-objects/training/training-desk.ts.
import type { Context } from "hono";
import type { Result } from "../../../core/errors.ts";
import type { TrainingJob, TrainingJobId } from "../../../core/schemas/training.ts";
import { createHttpTrainingService } from "../../../core/training/http-service.ts";
import type { TrainingDeps } from "../../../core/training/run-job.ts";
import { parseTrainingEnv } from "../../../core/training/training-env.ts";
import type { TrainingService } from "../../../core/training/training-service.ts";
import type { TrainingDesk } from "../../../durable-objects/training/training-desk.ts";
import { openOutbound } from "../../../wiring/outbound.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { parseEnvSettings } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { openTrajectoryReader } from "../trajectories/read-page.ts";

type Desk = Pick<TrainingDesk, "begin" | "read" | "change" | "list" | "models">;
type DeskRpc = { [Name in keyof Desk]: (...asked: Parameters<Desk[Name]>) => Promise<ReturnType<Desk[Name]>> };

export function askTrainingDesk<Answer>(
  { env, var: { profile } }: Context<ApiEnv>,
  ask: (desk: DeskRpc) => Promise<Answer>,
): Promise<Answer> {
  // The platform's types make a stub of every answer. The values cross unchanged.
  return askDesk(openAccount(env, profile).trainingDesk() as unknown as DeskRpc & PromiseLike<Disposable>, ask);
}

/** Throws `training_unavailable` unless the operator has named a training service. */
export function openTrainingService({ env }: Context<ApiEnv>): TrainingService {
  const config = parseTrainingEnv(env);
  if (!config.ok) throw new AppError("training_unavailable", config.failure.message);
  if (config.value) return createHttpTrainingService(config.value, openOutbound(env, parseEnvSettings(env)));
  throw new AppError(
    "training_unavailable",
    "This deployment has no training service. The operator must set TALARIA_TRAINING_URL and TALARIA_TRAINING_TOKEN (docs/TRAINING.md).",
  );
}

/** Does one step of a job. Throws what the step fails with. */
export async function runStep(
  c: Context<ApiEnv>,
  id: TrainingJobId,
  step: (job: TrainingJob, deps: TrainingDeps) => Promise<Result<TrainingJob>>,
): Promise<TrainingJob> {
  const job = unwrap(await askTrainingDesk(c, (desk) => desk.read(id)));
  const service = openTrainingService(c);
  const deps: TrainingDeps = {
    service,
    change: (change) => askTrainingDesk(c, (desk) => desk.change(id, change)),
    readPage: openTrajectoryReader(c.env, c.var.profile),
    signal: c.req.raw.signal,
  };
  return unwrap(await step(job, deps));
}

/** Without a service a job is shown as it is kept. */
export function hasService({ env }: Context<ApiEnv>): boolean {
  const config = parseTrainingEnv(env);
  return config.ok && config.value !== null;
}
