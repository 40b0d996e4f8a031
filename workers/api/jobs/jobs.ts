// The jobs of a profile: what runs by the clock, and what became of each run. The profile's Agenda keeps and runs them.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import { ulid } from "ulid";
import * as z from "zod";
import { ChangeJob, CreateJob, JobName } from "../../../core/schemas/agenda/job.ts";
import { JobDetail, JobInfo, JobList, JobRunInfo, JobRunList, PauseJob } from "../../../core/schemas/agenda/job-api.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { openAgenda } from "../boards/open-agenda.ts";
import { OpHeader } from "../boards/open-board.ts";
import { pageQuery } from "../pages.ts";
import { unwrap } from "../problems.ts";
import {
  PROBLEM_RESPONSE,
  createRouter,
  describeResponses,
  jsonBody,
  numeric,
  optionalJsonBody,
  refuses,
} from "../router.ts";

export const jobs = createRouter();

const JobParams = z.object({ job: JobName });
const MAX_PAGE = 100;
const OWNER = { by: "owner" } as const;
const BAD_SCHEDULES = [
  "gate_needs_times",
  "schedule_past",
  "schedule_too_often",
  "time_zone_unknown",
  "schedule_unreadable",
] as const;

function readName(c: Context<ApiEnv>): JobName {
  return JobName.parse(c.req.param("job"));
}

/** Names the request for the Agenda. */
function toOp({ "idempotency-key": key }: z.infer<typeof OpHeader>): string | undefined {
  return key === undefined ? undefined : `api:${key}`;
}

jobs.openapi(
  createRoute({
    method: "post",
    path: "/v1/jobs",
    operationId: "createJob",
    ...refuses(
      "job_exists",
      "op_reused",
      "too_many_jobs",
      "context_unknown",
      "job_not_found",
      ...BAD_SCHEDULES,
      "profile_gone",
    ),
    description:
      "Makes a job: a task that a session of its own does at its times. The answer has how the schedule was understood, and `due`, for which the " +
      "alarm is set. A slot runs at most once; what was missed becomes one run. Sessions of jobs have no memory, ask nobody and cannot make jobs. " +
      "Repeated with the same `Idempotency-Key` within a week, it answers with the job that it made, or 404 if that was deleted.",
    request: { headers: OpHeader, body: jsonBody(CreateJob) },
    responses: describeResponses(201, "The job", JobInfo),
  }),
  async (c) => {
    const call = { author: OWNER, op: toOp(c.req.valid("header")) };
    return c.json(unwrap(await openAgenda(c).createJob(c.req.valid("json"), call)), 201);
  },
);

jobs.openapi(
  createRoute({
    method: "get",
    path: "/v1/jobs",
    operationId: "listJobs",
    description: "Lists the profile's jobs.",
    request: { query: z.strictObject(pageQuery(MAX_PAGE)) },
    responses: describeResponses(200, "Jobs, by name", JobList),
  }),
  async (c) => {
    const { after = "", limit } = c.req.valid("query");
    const listed = await openAgenda(c).listJobs({ after, limit: limit + 1 });
    const page = listed.slice(0, limit);
    return c.json({ jobs: page, ...(listed.length > limit && { next: page.at(-1)!.name }) }, 200);
  },
);

jobs.openapi(
  createRoute({
    method: "get",
    path: "/v1/jobs/{job}",
    operationId: "readJob",
    ...refuses("job_not_found"),
    description: "Reads a job with its five newest runs.",
    request: { params: JobParams },
    responses: describeResponses(200, "The job and its runs", JobDetail),
  }),
  async (c) => c.json(unwrap(await openAgenda(c).readJob(readName(c))), 200),
);

jobs.openapi(
  createRoute({
    method: "patch",
    path: "/v1/jobs/{job}",
    operationId: "changeJob",
    ...refuses("job_not_found", "context_unknown", ...BAD_SCHEDULES),
    description: "Changes single fields of a job. A new schedule begins now; an open run keeps what it began with.",
    request: { params: JobParams, body: jsonBody(ChangeJob) },
    responses: describeResponses(200, "The job", JobInfo),
  }),
  async (c) => c.json(unwrap(await openAgenda(c).changeJob(readName(c), c.req.valid("json"), { author: OWNER })), 200),
);

jobs.openapi(
  createRoute({
    method: "delete",
    path: "/v1/jobs/{job}",
    operationId: "deleteJob",
    ...refuses("job_not_found"),
    description: "Deletes a job with its runs. The turn of an open run is stopped; sessions stay.",
    request: { params: JobParams },
    responses: { 204: { description: "Deleted" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    unwrap(await openAgenda(c).removeJob(readName(c)));
    return c.body(null, 204);
  },
);

jobs.openapi(
  createRoute({
    method: "post",
    path: "/v1/jobs/{job}/pause",
    operationId: "pauseJob",
    ...refuses("job_not_found"),
    description: "Begins no more runs until the job is resumed. An open run ends as it will.",
    request: { params: JobParams, body: optionalJsonBody(PauseJob) },
    responses: describeResponses(200, "The job", JobInfo),
  }),
  async (c) => c.json(unwrap(await openAgenda(c).pauseJob(readName(c), c.req.valid("json").why ?? "")), 200),
);

jobs.openapi(
  createRoute({
    method: "post",
    path: "/v1/jobs/{job}/resume",
    operationId: "resumeJob",
    ...refuses("job_not_found", "schedule_past"),
    description: "Lets a job run again, from its next time on. Its failures are forgotten.",
    request: { params: JobParams },
    responses: describeResponses(200, "The job", JobInfo),
  }),
  async (c) => c.json(unwrap(await openAgenda(c).resumeJob(readName(c))), 200),
);

jobs.openapi(
  createRoute({
    method: "post",
    path: "/v1/jobs/{job}/run",
    operationId: "runJob",
    ...refuses("job_not_found", "job_running"),
    description:
      "Begins a run now, whatever the schedule and the gate say. Slots stay as they are. Repeated with the same `Idempotency-Key`, it answers with " +
      "the run that it began.",
    request: { params: JobParams, headers: OpHeader },
    responses: describeResponses(202, "The run that has begun", JobRunInfo),
  }),
  async (c) =>
    c.json(unwrap(await openAgenda(c).runJob(readName(c), { op: toOp(c.req.valid("header")) ?? ulid() })), 202),
);

jobs.openapi(
  createRoute({
    method: "get",
    path: "/v1/jobs/{job}/runs",
    operationId: "listJobRuns",
    ...refuses("job_not_found"),
    description: "Lists the runs of a job: the newest 50 of the last 30 days.",
    request: {
      params: JobParams,
      query: z.strictObject({ ...pageQuery(MAX_PAGE), after: numeric(1, 999_999_999_999).optional() }),
    },
    responses: describeResponses(200, "Runs, newest first", JobRunList),
  }),
  async (c) => {
    const { after, limit } = c.req.valid("query");
    const { runs, next } = unwrap(await openAgenda(c).listJobRuns(readName(c), { before: after ?? null, limit }));
    return c.json({ runs, ...(next !== null && { next: String(next) }) }, 200);
  },
);
