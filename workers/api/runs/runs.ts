// Runs: work for a program that starts it, looks at it later, and may stop, steer or approve it. A run is one turn of a session, so the
// session's own routes show it too. A reader that leaves stops nothing.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import { mapLimit } from "../../../core/map-limit.ts";
import { DecideApproval } from "../../../core/schemas/api.ts";
import { ApprovalId } from "../../../core/schemas/approvals/approval.ts";
import {
  PostRun,
  RunId,
  RunInfo,
  RunList,
  type RunRow,
  SteerRun,
  SteeredRun,
  type TurnReport,
} from "../../../core/schemas/run.ts";
import { pageQuery } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { EVENTS_RESPONSE, EventId, IdempotencyKey, assertUsableText, respondWithStream } from "../sessions/messages.ts";
import { openSession } from "../sessions/session-rpc.ts";
import { type RunScope, beginRun, noRun } from "./begin-run.ts";
import { presentRun, toEndState } from "./present-run.ts";
import { askRunDesk } from "./run-desk-rpc.ts";

export const runs = createRouter();

const RunParams = z.object({ run: RunId });
/** Each open run of a page is a call to its session. */
const MAX_PAGE = 50;
const ASKED_AT_ONCE = 10;

runs.openapi(
  createRoute({
    method: "post",
    path: "/v1/runs",
    operationId: "createRun",
    ...refuses(
      "bad_text",
      "message_too_long",
      "too_many_queued",
      "image_type_refused",
      "image_too_large",
      "too_many_images",
      "images_full",
      "file_not_found",
      "session_not_found",
      "session_delegated",
      "idempotency_conflict",
      "too_many_open_runs",
    ),
    description:
      "Starts a run: the input becomes a turn of the session, or of a new one. In a busy session it waits for its place. With an " +
      "`Idempotency-Key` the same request within 24 hours is the same run. At most `turn.maxOpenRuns` runs work at the same time; one " +
      "that waits for a person does not count.",
    request: { headers: z.object({ "idempotency-key": IdempotencyKey.optional() }), body: jsonBody(PostRun) },
    responses: describeResponses(202, "The run", RunInfo),
  }),
  async (c) => {
    const body = c.req.valid("json");
    assertUsableText(body.input, body.images !== undefined);
    const row = await beginRun(toScope(c), body, c.req.valid("header")["idempotency-key"]);
    const { info } = await readRun(c, row);
    return c.json(info, 202, { location: `/v1/runs/${row.run}` });
  },
);

runs.openapi(
  createRoute({
    method: "get",
    path: "/v1/runs",
    operationId: "listRuns",
    description: "Lists the runs of the last 30 days, at most the newest 10,000. Those that have not ended are asked.",
    request: { query: z.strictObject(pageQuery(MAX_PAGE, { after: RunId })) },
    responses: describeResponses(200, "Runs without their answers, newest first", RunList),
  }),
  async (c) => {
    const { after, limit } = c.req.valid("query");
    const rows = await askRunDesk(c.env, c.var.profile, (desk) => desk.list({ after, limit: limit + 1 }));
    const read = await mapLimit(rows.slice(0, limit), ASKED_AT_ONCE, async (row) => {
      const report = row.state === "open" ? await findReport(c, row) : null;
      return report === "gone" ? null : { row, report };
    });
    const shown = read.filter((one) => one !== null);
    await noteEnded(c, shown);
    const infos = shown.map(({ row, report }) => presentRun(row, report && { ...report, answer: null }, Date.now()));
    return c.json({ runs: infos, ...(rows.length > limit && { next: rows[limit - 1]!.run }) }, 200);
  },
);

runs.openapi(
  createRoute({
    method: "get",
    path: "/v1/runs/{run}",
    operationId: "readRun",
    ...refuses("run_not_found"),
    description: "Reads a run: its state, what it waits for, its answer and what it used.",
    request: { params: RunParams },
    responses: describeResponses(200, "The run", RunInfo),
  }),
  async (c) => c.json((await readRun(c, await findRun(c))).info, 200),
);

runs.openapi(
  createRoute({
    method: "get",
    path: "/v1/runs/{run}/events",
    operationId: "readRunEvents",
    ...refuses("run_not_found", "run_not_started", "turn_not_found", "session_not_found"),
    description: "Streams the events of the run after `Last-Event-ID` or `after`, up to its end.",
    request: {
      params: RunParams,
      headers: z.object({ "last-event-id": EventId.optional() }),
      query: z.strictObject({ after: EventId.optional() }),
    },
    responses: { 200: EVENTS_RESPONSE, default: describeResponses(200, "", z.never()).default },
  }),
  async (c) => {
    const { session, turn } = await findPlaced(c);
    const after = c.req.valid("header")["last-event-id"] ?? c.req.valid("query").after;
    return respondWithStream(unwrap(await openSession(c.env, c.var.profile, session).events({ after, turn })));
  },
);

runs.openapi(
  createRoute({
    method: "post",
    path: "/v1/runs/{run}/stop",
    operationId: "stopRun",
    ...refuses("run_not_found", "run_not_started", "turn_not_found", "session_not_found"),
    description: "Stops this run, and no other turn of its session. One that has ended stays as it is.",
    request: { params: RunParams },
    responses: describeResponses(200, "The run", RunInfo),
  }),
  async (c) => {
    const row = await findPlaced(c);
    const report = unwrap(await openSession(c.env, c.var.profile, row.session).stopTurn(row.turn));
    await noteEnded(c, [{ row, report }]);
    return c.json(presentRun(row, report, Date.now()), 200);
  },
);

runs.openapi(
  createRoute({
    method: "post",
    path: "/v1/runs/{run}/steer",
    operationId: "steerRun",
    ...refuses(
      "run_not_found",
      "run_not_started",
      "turn_not_running",
      "bad_text",
      "message_too_long",
      "too_many_queued",
      "image_type_refused",
      "image_too_large",
      "too_many_images",
      "images_full",
      "file_not_found",
      "session_not_found",
      "session_delegated",
    ),
    description:
      "Sends a message into the run, ahead of its next model call. While the run waits for an answer to the agent's question, the message " +
      "is that answer. If the run ends first, the message becomes a turn of its own.",
    request: { params: RunParams, body: jsonBody(SteerRun) },
    responses: describeResponses(202, "Accepted", SteeredRun),
  }),
  async (c) => {
    const { text, images } = c.req.valid("json");
    assertUsableText(text, images !== undefined);
    const { run, session, turn } = await findPlaced(c);
    const { settingsRev } = c.var;
    const message = { text, images, busy: "steer" as const, joins: turn, ...(settingsRev > 0 && { settingsRev }) };
    const accepted = unwrap(await openSession(c.env, c.var.profile, session).post(message));
    return c.json({ run, turn: accepted.turn }, 202);
  },
);

runs.openapi(
  createRoute({
    method: "post",
    path: "/v1/runs/{run}/approve",
    operationId: "approveRun",
    ...refuses(
      "run_not_found",
      "run_not_started",
      "run_not_waiting",
      "turn_not_found",
      "session_not_found",
      "approval_not_found",
      "approval_decided",
      "approval_replaced",
      "approval_too_wide",
      "answer_invalid",
      "too_many_allowances",
    ),
    description:
      "Decides what the run waits for: approves or rejects a call, or answers the agent's question. With `approval` only the request of " +
      "that id is decided.",
    request: {
      params: RunParams,
      query: z.strictObject({ approval: ApprovalId.optional() }),
      body: jsonBody(DecideApproval),
    },
    responses: describeResponses(200, "The run", RunInfo),
  }),
  async (c) => {
    const row = await findPlaced(c);
    const session = openSession(c.env, c.var.profile, row.session);
    const { waiting } = unwrap(await session.readTurn(row.turn));
    const id = c.req.valid("query").approval ?? waiting?.id;
    if (id === undefined || (waiting && waiting.for !== "approval" && waiting.for !== "clarify")) {
      throw new AppError("run_not_waiting", "The run does not wait for a person. Read it to see its state.");
    }
    unwrap(await session.decideApproval(id, c.req.valid("json")));
    return c.json((await readRun(c, row)).info, 200);
  },
);

function toScope(c: Context<ApiEnv>): RunScope {
  const { profile, settingsRev } = c.var;
  return { env: c.env, profile, settingsRev, waitUntil: (work) => c.executionCtx.waitUntil(work) };
}

async function findRun(c: Context<ApiEnv>): Promise<RunRow> {
  const row = await askRunDesk(c.env, c.var.profile, (desk) => desk.find(c.req.param("run")!));
  if (!row) throw noRun();
  return row;
}

async function findPlaced(c: Context<ApiEnv>): Promise<RunRow & { turn: number }> {
  const row = await findRun(c);
  if (row.turn === null)
    throw new AppError("run_not_started", "The run has not begun. Send its request again with its Idempotency-Key.");
  return { ...row, turn: row.turn };
}

/** `gone`: the session was deleted. */
async function findReport(c: Context<ApiEnv>, { session, turn }: RunRow): Promise<TurnReport | null | "gone"> {
  if (turn === null) return null;
  const read = await openSession(c.env, c.var.profile, session).readTurn(turn);
  return read.ok ? read.value : "gone";
}

async function readRun(c: Context<ApiEnv>, row: RunRow): Promise<{ info: RunInfo }> {
  const report = await findReport(c, row);
  if (report === "gone") throw noRun();
  await noteEnded(c, [{ row, report }]);
  return { info: presentRun(row, report, Date.now()) };
}

/** So that a listing need not ask again. */
async function noteEnded(c: Context<ApiEnv>, seen: { row: RunRow; report: TurnReport | null }[]): Promise<void> {
  const ended = seen.flatMap(({ row, report }) => {
    const state = report && row.state === "open" ? toEndState(report) : null;
    return state ? [{ run: row.run, state }] : [];
  });
  if (ended.length === 0) return;
  await askRunDesk(c.env, c.var.profile, (desk) => desk.settle(ended));
}
