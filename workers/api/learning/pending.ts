// Changes of skills and memory that agents have requested: a person lists, reads and decides them. An approved change is
// carried out once, on the state that the agent saw, or not at all.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import {
  DecidePending,
  PendingDetail,
  PendingId,
  PendingInfo,
  PendingList,
} from "../../../core/schemas/approvals/pending.ts";
import { createPendingDesk } from "../../../core/tools/approval/pending-desk.ts";
import { sweepDayOf } from "../../../core/learning/curation/retention.ts";
import { type ProfileId, dayOf } from "../../../core/schemas/ids.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { ascending, pageQuery, toPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import { describeResponses, createRouter, jsonBody, refuses } from "../router.ts";
import { openCuration, openMemory, openPending, openSkills } from "../stores.ts";

export const pending = createRouter();

const PendingParams = z.object({ pending: PendingId });

pending.openapi(
  createRoute({
    method: "get",
    path: "/v1/pending",
    operationId: "listPending",
    description: "Lists writes of skills and memory that wait for a person's decision.",
    request: { query: z.strictObject(pageQuery(200)) },
    responses: describeResponses(200, "Waiting and recently decided changes, oldest first", PendingList),
  }),
  async (c) => {
    const all = await openDesk(c.env, c.var.profile).list();
    const sortKey = ({ askedAt, id }: PendingInfo) => `${ascending(askedAt)}.${id}`;
    const { page, next } = toPage(all, { ...c.req.valid("query"), sortKey });
    return c.json({ pending: page, ...(next !== undefined && { next }) }, 200);
  },
);

pending.openapi(
  createRoute({
    method: "get",
    path: "/v1/pending/{pending}",
    operationId: "readPending",
    ...refuses("pending_not_found"),
    description: "Reads a change and its diff. For a stale change, also what it would do now.",
    request: { params: PendingParams },
    responses: describeResponses(200, "The change", PendingDetail),
  }),
  async (c) => c.json(unwrap(await openDesk(c.env, c.var.profile).open(c.req.valid("param").pending)), 200),
);

pending.openapi(
  createRoute({
    method: "post",
    path: "/v1/pending/{pending}",
    operationId: "decidePending",
    ...refuses("pending_not_found", "pending_decided", "pending_stale", "busy"),
    description:
      "Approves or rejects a change. An approved change is carried out as requested. Repeating a decision returns the same answer.",
    request: { params: PendingParams, body: jsonBody(DecidePending) },
    responses: describeResponses(200, "The decided change", PendingInfo),
  }),
  async (c) => {
    const { approve } = c.req.valid("json");
    const { profile } = c.var;
    const decided = unwrap(await openDesk(c.env, profile).decide(c.req.valid("param").pending, approve));
    // Schedules the deletion of decided changes, for a profile that is otherwise inactive.
    await openCuration(c.env).markSweep(sweepDayOf(dayOf(Date.now()), parseEnvSettings(c.env)), profile);
    return c.json(decided, 200);
  },
);

function openDesk(env: Env, profile: ProfileId) {
  return createPendingDesk({
    pending: openPending(env, profile),
    skills: openSkills(env, profile),
    memory: openMemory(env, profile),
    seeds,
    settings: parseEnvSettings(env),
    clock: systemClock,
  });
}
