// Training jobs: an adapter for a model, trained by the operator's training service from the profile's trajectories. Each route carries
// out one request of a person with an admin credential. No tool, job, board, channel or MCP tool calls them (docs/TRAINING.md).
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import {
  CreateTrainingJob,
  TrainedModelList,
  type TrainedModel,
  type TrainingJob,
  TrainingJobId,
  TrainingJobInfo,
  TrainingJobList,
} from "../../../core/schemas/training.ts";
import { toJobInfo } from "../../../core/training/job.ts";
import { findLocked, toLockedConfig } from "../../../core/training/locked-fields.ts";
import { ensureCreated, readResults, readStatus, sendData, startJob, stopJob } from "../../../core/training/run-job.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { descending, pageQuery, toSortedPage } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import { createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { IdempotencyKey } from "../sessions/messages.ts";
import { askTrainingDesk, hasService, openTrainingService, runStep } from "./open-training.ts";

export const training = createRouter();

const JobParams = z.object({ training: TrainingJobId });
const MAX_PAGE = 100;
/** What each route may answer that asks the service. */
const OF_SERVICE = [
  "training_unavailable",
  "training_unreachable",
  "training_service_locked",
  "training_garbled",
  "training_refused",
  "training_lost",
] as const;

training.openapi(
  createRoute({
    method: "post",
    path: "/v1/training/jobs",
    operationId: "createTrainingJob",
    scope: "admin",
    ...refuses(
      ...OF_SERVICE,
      "training_field_locked",
      "too_many_training_jobs",
      "idempotency_conflict",
      "profile_gone",
    ),
    description:
      "Makes a training job at the operator's training service. Nothing is sent yet: POST …/data sends the dataset, POST …/start begins. " +
      "Locked fields are refused for everyone. Repeated with the same `Idempotency-Key`, it answers with the job that it made.",
    request: {
      headers: z.object({ "idempotency-key": IdempotencyKey.optional() }),
      body: jsonBody(CreateTrainingJob),
    },
    responses: describeResponses(201, "The job", TrainingJobInfo),
  }),
  async (c) => {
    const request = c.req.valid("json");
    assertFree(request);
    openTrainingService(c); // before the job is stored
    const key = c.req.valid("header")["idempotency-key"];
    const asked = { request, key: key === undefined ? null : sha256Hex(key), hash: sha256Hex(JSON.stringify(request)) };
    const { id } = unwrap(await askTrainingDesk(c, (desk) => desk.begin(asked)));
    return c.json(toJobInfo(await runStep(c, id, ensureCreated)), 201);
  },
);

training.openapi(
  createRoute({
    method: "get",
    path: "/v1/training/jobs",
    operationId: "listTrainingJobs",
    scope: "admin",
    description: "Lists the profile's training jobs as they are kept. The service is not asked.",
    request: { query: z.strictObject(pageQuery(MAX_PAGE)) },
    responses: describeResponses(200, "Jobs, newest first", TrainingJobList),
  }),
  async (c) => {
    const all = (await askTrainingDesk(c, (desk) => desk.list())).map(toJobInfo);
    const sortKey = ({ createdAt, id }: TrainingJobInfo) => `${descending(createdAt)}.${id}`;
    const { page, ...next } = toSortedPage(all, { ...c.req.valid("query"), sortKey });
    return c.json({ jobs: page, ...next }, 200);
  },
);

training.openapi(
  createRoute({
    method: "get",
    path: "/v1/training/jobs/{training}",
    operationId: "readTrainingJob",
    scope: "admin",
    ...refuses(...OF_SERVICE, "training_job_not_found"),
    description:
      "Reads a job. The service is asked at most every 30 minutes; within, the kept status is shown with `nextStatusAt` and `retry-after`.",
    request: { params: JobParams },
    responses: describeResponses(200, "The job", TrainingJobInfo),
  }),
  async (c) => {
    const { training: id } = c.req.valid("param");
    const job = hasService(c)
      ? await runStep(c, id, readStatus)
      : unwrap(await askTrainingDesk(c, (desk) => desk.read(id)));
    return answerJob(c, job);
  },
);

training.openapi(
  createRoute({
    method: "post",
    path: "/v1/training/jobs/{training}/data",
    operationId: "sendTrainingData",
    scope: "admin",
    ...refuses(
      ...([...OF_SERVICE, "training_job_not_found", "training_state", "training_data_too_large"] as const),
      ...(["trajectories_not_allowed"] as const),
    ),
    description:
      "Sends the next page of the profile's trajectories to the service, redacted. Repeat it until `dataset.isWhole`. Needs the profile's " +
      "consent at each page. A page that was sent already is not sent twice.",
    request: { params: JobParams },
    responses: describeResponses(200, "The job", TrainingJobInfo),
  }),
  async (c) => answerJob(c, await runStep(c, c.req.valid("param").training, sendData)),
);

training.openapi(
  createRoute({
    method: "post",
    path: "/v1/training/jobs/{training}/start",
    operationId: "startTrainingJob",
    scope: "admin",
    ...refuses(...OF_SERVICE, "training_job_not_found", "training_state", "training_data_missing"),
    description: "Starts a job whose dataset is whole. Repeated, it starts nothing again.",
    request: { params: JobParams },
    responses: describeResponses(200, "The job", TrainingJobInfo),
  }),
  async (c) => answerJob(c, await runStep(c, c.req.valid("param").training, startJob)),
);

training.openapi(
  createRoute({
    method: "post",
    path: "/v1/training/jobs/{training}/stop",
    operationId: "stopTrainingJob",
    scope: "admin",
    ...refuses(...OF_SERVICE, "training_job_not_found"),
    description: "Stops a job. The service deletes its data. A job that has ended stays as it ended.",
    request: { params: JobParams },
    responses: describeResponses(200, "The job", TrainingJobInfo),
  }),
  async (c) => answerJob(c, await runStep(c, c.req.valid("param").training, stopJob)),
);

training.openapi(
  createRoute({
    method: "post",
    path: "/v1/training/jobs/{training}/results",
    operationId: "fetchTrainingResults",
    scope: "admin",
    ...refuses(...OF_SERVICE, "training_job_not_found", "training_state", "training_contradicted"),
    description:
      "Fetches the results of a completed job once, and notes its adapter as a model with the evaluation before and after. No model is switched to.",
    request: { params: JobParams },
    responses: describeResponses(200, "The job, with its results", TrainingJobInfo),
  }),
  async (c) => answerJob(c, await runStep(c, c.req.valid("param").training, readResults)),
);

training.openapi(
  createRoute({
    method: "get",
    path: "/v1/training/models",
    operationId: "listTrainedModels",
    scope: "admin",
    description: "Lists the adapters that came of training jobs, at most the newest 200.",
    request: { query: z.strictObject(pageQuery(MAX_PAGE)) },
    responses: describeResponses(200, "Models, newest first", TrainedModelList),
  }),
  async (c) => {
    const all = await askTrainingDesk(c, (desk) => desk.models());
    const sortKey = ({ at, job }: TrainedModel) => `${descending(at)}.${job}`;
    const { page, ...next } = toSortedPage(all, { ...c.req.valid("query"), sortKey });
    return c.json({ models: page, ...next }, 200);
  },
);

/** Throws `training_field_locked` with each locked field. Asks nobody who makes the request. */
function assertFree({ baseModel, config }: CreateTrainingJob): void {
  const locked = findLocked(Object.keys(config));
  if (locked.length === 0) return;
  const errors = locked.map((name) => ({ in: "json", path: `config.${name}`, message: "is locked" }));
  const detail = `Nobody may set ${locked.map((name) => `\`${name}\``).join(", ")}. Leave locked fields out: each job has the same values.`;
  throw new AppError("training_field_locked", detail, { errors, facts: { locked: toLockedConfig(baseModel) } });
}

/** With `retry-after` while the service may not be asked. */
function answerJob(c: Context<ApiEnv>, job: TrainingJob) {
  const info = toJobInfo(job);
  const waitMs = info.nextStatusAt === null ? 0 : info.nextStatusAt - Date.now();
  if (waitMs > 0) c.header("retry-after", String(Math.ceil(waitMs / 1_000)));
  return c.json(info, 200);
}
