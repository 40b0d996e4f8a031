// Curation on request, and its reports. The curator Worker does the work; this only asks and reads.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { CurationReport, CurationRunList, CurationStarted } from "../../core/schemas/api.ts";
import { CurationId, toCurationId } from "../../core/schemas/ids.ts";
import { AppError } from "./problems.ts";
import { Flag, answers, createRouter } from "./router.ts";
import { openCuration } from "./stores.ts";

export const curator = createRouter();

curator.openapi(
  createRoute({
    method: "post",
    path: "/v1/curator/run",
    operationId: "runCurator",
    description: "With `dryRun=1` the report says what would be done, and nothing is.",
    request: { query: z.strictObject({ dryRun: Flag }) },
    responses: answers(202, "Asked for; the report comes later", CurationStarted),
  }),
  async (c) => {
    const run = toCurationId(Date.now(), Math.random);
    const { dryRun } = c.req.valid("query");
    await c.env.CURATION.send({ v: 1, kind: "profile", profile: c.var.profile, run, dryRun });
    return c.json({ run }, 202, { location: `/v1/curator/runs/${run}` });
  },
);

curator.openapi(
  createRoute({
    method: "get",
    path: "/v1/curator/runs",
    operationId: "listCurationRuns",
    responses: answers(200, "Runs, newest first", CurationRunList),
  }),
  async (c) => c.json({ runs: await openCuration(c.env).runs(c.var.profile) }, 200),
);

curator.openapi(
  createRoute({
    method: "get",
    path: "/v1/curator/runs/{run}",
    operationId: "readCurationRun",
    request: { params: z.object({ run: CurationId }) },
    responses: answers(200, "The report", CurationReport),
  }),
  async (c) => {
    const report = await openCuration(c.env).report(c.var.profile, c.req.valid("param").run);
    if (!report) {
      throw new AppError("run_pending", "There is no report of that run: it is not finished, or was never asked for.");
    }
    return c.json(report, 200);
  },
);
