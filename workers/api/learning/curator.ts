// Curation on request: runs, pauses, reports and rollbacks. The curator Worker does the work; these routes send its messages
// and read its results.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { renderCurationWork } from "../../../core/learning/curation/report.ts";
import { CurationReport, CurationRunList, CurationStarted, CuratorStatus } from "../../../core/schemas/api.ts";
import type { CurationMessage } from "../../../core/schemas/learning/curation.ts";
import { CurationId, type ProfileId, toCurationId } from "../../../core/schemas/ids.ts";
import type { Grant } from "../../../core/schemas/learning/review.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { pageQuery } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import { Flag, describeResponses, createRouter, refuses } from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { openCuration } from "../stores.ts";

export const curator = createRouter();

curator.openapi(
  createRoute({
    method: "get",
    path: "/v1/curator",
    operationId: "readCurator",
    description: "Reads whether curation is paused, and its last run.",
    responses: describeResponses(200, "The state of curation", CuratorStatus),
  }),
  async (c) => c.json(await readStatus(c.env, c.var.profile), 200),
);

curator.openapi(
  createRoute({
    method: "post",
    path: "/v1/curator/run",
    operationId: "runCurator",
    ...refuses("too_many_runs"),
    description:
      "Starts a run. With `dryRun=1` it changes nothing, and the report says what it would do. With `consolidate=1` a model " +
      "is asked which skills to merge.",
    request: { query: z.strictObject({ dryRun: Flag, consolidate: Flag }) },
    responses: describeResponses(202, "Accepted; the report follows", CurationStarted),
  }),
  async (c) => {
    const { dryRun, consolidate } = c.req.valid("query");
    const run = await send(c.env, { profile: c.var.profile, asksModels: !dryRun }, (run, allowance) => ({
      v: 1,
      kind: "profile",
      profile: c.var.profile,
      run,
      dryRun,
      ...(consolidate && { consolidate }),
      ...(allowance && { allowance }),
    }));
    return c.json({ run }, 202, { location: `/v1/curator/runs/${run}` });
  },
);

curator.openapi(
  createRoute({
    method: "post",
    path: "/v1/curator/pause",
    operationId: "pauseCurator",
    description: "Stops scheduled curation until `resume`. Requested runs still take place.",
    responses: describeResponses(200, "The state of curation", CuratorStatus),
  }),
  async (c) => c.json(await pause(c.env, c.var.profile, true), 200),
);

curator.openapi(
  createRoute({
    method: "post",
    path: "/v1/curator/resume",
    operationId: "resumeCurator",
    description: "Starts scheduled curation again.",
    responses: describeResponses(200, "The state of curation", CuratorStatus),
  }),
  async (c) => c.json(await pause(c.env, c.var.profile, false), 200),
);

curator.openapi(
  createRoute({
    method: "get",
    path: "/v1/curator/runs",
    operationId: "listCurationRuns",
    description: "Lists the runs of the curator.",
    request: { query: z.strictObject(pageQuery(1_000, { after: CurationId })) },
    responses: describeResponses(200, "Runs, newest first", CurationRunList),
  }),
  async (c) => {
    const { after, limit } = c.req.valid("query");
    const runs = await openCuration(c.env).runs(c.var.profile);
    const older = after === undefined ? runs : runs.filter((run) => run < after);
    const page = older.slice(0, limit);
    return c.json({ runs: page, ...(older.length > limit && { next: page.at(-1)! }) }, 200);
  },
);

const RunParams = z.object({ run: CurationId });

curator.openapi(
  createRoute({
    method: "get",
    path: "/v1/curator/runs/{run}",
    operationId: "readCurationRun",
    ...refuses("run_pending"),
    description: "Reads the report of one run. 404 with `run_pending` until it is written.",
    request: { params: RunParams },
    responses: describeResponses(200, "The report", CurationReport),
  }),
  async (c) => {
    const { run, markdown, work } = await readReport(c.env, c.var.profile, c.req.valid("param").run);
    if (work.length === 0) return c.json({ run, markdown }, 200);
    return c.json({ run, markdown: `${markdown}${renderCurationWork(work)}`, work }, 200);
  },
);

curator.openapi(
  createRoute({
    method: "post",
    path: "/v1/curator/runs/{run}/rollback",
    operationId: "rollBackCurationRun",
    ...refuses("run_pending", "nothing_to_undo", "too_many_runs"),
    description:
      "Reverts the changes of a run, last one first. Skills that have changed since are skipped; the report lists them.",
    request: { params: RunParams },
    responses: describeResponses(202, "Accepted as a separate run; its report follows", CurationStarted),
  }),
  async (c) => {
    const of = c.req.valid("param").run;
    const { profile } = c.var;
    const { run: report, work } = await readReport(c.env, profile, of);
    const changes = [...(report.changes ?? []), ...work.flatMap((done) => done.changes)];
    const isUnderWay = (report.work ?? []).length > work.length;
    if (report.dryRun || (changes.length === 0 && !isUnderWay)) {
      throw new AppError("nothing_to_undo", "That run changed nothing, so there is nothing to take back.");
    }
    const run = await send(c.env, { profile, asksModels: false }, (run) => ({
      v: 1,
      kind: "rollback",
      profile,
      run,
      of,
    }));
    return c.json({ run }, 202, { location: `/v1/curator/runs/${run}` });
  },
);

type Allowance = { id: string; grant: Grant } | null;

/** The number of requests an hour is limited. If a day's budget is set, the run gets the rest of it. */
async function send(
  env: Env,
  { profile, asksModels }: { profile: ProfileId; asksModels: boolean },
  make: (run: CurationId, allowance: Allowance) => CurationMessage,
): Promise<CurationId> {
  const run = toCurationId(Date.now(), Math.random);
  const { allowance } = unwrap(await openAccount(env, profile).askForCuration(run, asksModels));
  await env.CURATION.send(make(run, allowance));
  return run;
}

async function readReport(env: Env, profile: ProfileId, run: CurationId) {
  const curation = openCuration(env);
  const report = await curation.report(profile, run);
  if (!report) {
    throw new AppError(
      "run_pending",
      "There is no report of that run: it has not finished, or it was never requested. Try again later.",
    );
  }
  return { ...report, work: report.run.work ? await curation.works(profile, run) : [] };
}

async function pause(env: Env, profile: ProfileId, paused: boolean): Promise<CuratorStatus> {
  await openCuration(env).changePolicy(profile, ({ paused: _before, ...policy }) => ({
    ...policy,
    ...(paused && { paused }),
  }));
  return readStatus(env, profile);
}

async function readStatus(env: Env, profile: ProfileId): Promise<CuratorStatus> {
  const curation = openCuration(env);
  const [policy, notes] = await Promise.all([curation.policy(profile), curation.notes(profile)]);
  const open = await curation.openPlan(profile, notes.last ?? undefined);
  const settings = parseEnvSettings(env).curation;
  const { staleDays, staleActiveDays, archiveDays, archiveActiveDays, checkDays, maxChanges } = settings;
  const { grantTokens = settings.grantTokens, grantUsd = settings.grantUsd, keepSkills, paused = false } = policy;
  return {
    paused,
    keepSkills,
    last: notes.last,
    open: open?.run ?? null,
    owed: notes.owed,
    limits: {
      staleDays,
      staleActiveDays,
      archiveDays,
      archiveActiveDays,
      checkDays,
      maxChanges,
      grantTokens,
      grantUsd,
    },
  };
}
