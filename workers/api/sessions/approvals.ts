// Changes of instruction files that a session's agent wants: listed, read and decided by the person. What is approved is
// theirs from then on, and counts from the session's next new prompt.
import { createRoute } from "@hono/zod-openapi";
import { ApprovalDetail, ApprovalInfo, ApprovalList, DecideApproval } from "../../../core/schemas/api.ts";
import * as z from "zod";
import { ApprovalId } from "../../../core/schemas/approval.ts";
import { ascending, pageQuery, toPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import { answers, createRouter, takesJson } from "../router.ts";
import { openSession } from "./session-rpc.ts";
import { InSession } from "./sessions.ts";

export const approvals = createRouter();

const OfApproval = InSession.extend({ approval: ApprovalId });

approvals.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/approvals",
    operationId: "listApprovals",
    description: "Lists the agent's requests to change a project file or `SOUL.md`.",
    request: { params: InSession, query: z.strictObject(pageQuery(100)) },
    responses: answers(200, "Those that wait and those decided lately, oldest first", ApprovalList),
  }),
  async (c) => {
    const { session } = c.req.valid("param");
    const all = unwrap(await openSession(c.env, c.var.profile, session).listApprovals());
    const placeOf = ({ askedAt, id }: ApprovalInfo) => `${ascending(askedAt)}.${id}`;
    const { page, next } = toPage(all, { ...c.req.valid("query"), placeOf });
    return c.json({ approvals: page, ...(next !== undefined && { next }) }, 200);
  },
);

approvals.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/approvals/{approval}",
    operationId: "readApproval",
    description: "With the content that is wanted and the content that is there, to be compared.",
    request: { params: OfApproval },
    responses: answers(200, "The change", ApprovalDetail),
  }),
  async (c) => {
    const { session, approval } = c.req.valid("param");
    return c.json(unwrap(await openSession(c.env, c.var.profile, session).openApproval(approval)), 200);
  },
);

approvals.openapi(
  createRoute({
    method: "post",
    path: "/v1/sessions/{session}/approvals/{approval}",
    operationId: "decideApproval",
    description: "Approved, the file holds the content as the person's own. The same decision again answers the same.",
    request: { params: OfApproval, body: takesJson(DecideApproval) },
    responses: answers(200, "The change as it was decided", ApprovalInfo),
  }),
  async (c) => {
    const { session, approval } = c.req.valid("param");
    const { approve } = c.req.valid("json");
    return c.json(unwrap(await openSession(c.env, c.var.profile, session).decideApproval(approval, approve)), 200);
  },
);
