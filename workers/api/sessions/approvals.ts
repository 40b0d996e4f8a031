// Changes of instruction files that a session's agent requests: a person lists, reads and decides them. Approved content counts
// as the person's own, from the session's next new prompt on.
import { createRoute } from "@hono/zod-openapi";
import { ApprovalDetail, ApprovalInfo, ApprovalList, DecideApproval } from "../../../core/schemas/api.ts";
import * as z from "zod";
import { ApprovalId } from "../../../core/schemas/approval.ts";
import { ascending, pageQuery, toPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import { describeResponses, createRouter, jsonBody } from "../router.ts";
import { openSession } from "./session-rpc.ts";
import { SessionParams } from "./sessions.ts";

export const approvals = createRouter();

const ApprovalParams = SessionParams.extend({ approval: ApprovalId });

approvals.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/approvals",
    operationId: "listApprovals",
    description: "Lists the agent's requests to change a project file or `SOUL.md`.",
    request: { params: SessionParams, query: z.strictObject(pageQuery(100)) },
    responses: describeResponses(200, "Waiting and recently decided requests, oldest first", ApprovalList),
  }),
  async (c) => {
    const { session } = c.req.valid("param");
    const all = unwrap(await openSession(c.env, c.var.profile, session).listApprovals());
    const sortKey = ({ askedAt, id }: ApprovalInfo) => `${ascending(askedAt)}.${id}`;
    const { page, next } = toPage(all, { ...c.req.valid("query"), sortKey });
    return c.json({ approvals: page, ...(next !== undefined && { next }) }, 200);
  },
);

approvals.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/approvals/{approval}",
    operationId: "readApproval",
    description: "Reads a request with the requested and the present content of the file.",
    request: { params: ApprovalParams },
    responses: describeResponses(200, "The request", ApprovalDetail),
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
    description:
      "Approves or rejects a request. Approved content is stored as the person's own. Repeating a decision returns the same answer.",
    request: { params: ApprovalParams, body: jsonBody(DecideApproval) },
    responses: describeResponses(200, "The decided request", ApprovalInfo),
  }),
  async (c) => {
    const { session, approval } = c.req.valid("param");
    const { approve } = c.req.valid("json");
    return c.json(unwrap(await openSession(c.env, c.var.profile, session).decideApproval(approval, approve)), 200);
  },
);
