// What waits for a person in a session: calls of a parked turn, and changes of instruction files. A person lists, reads and
// decides them here, and revokes what was allowed for longer. Approved content counts as the person's own.
import { createRoute } from "@hono/zod-openapi";
import {
  type AllowanceInfo,
  ApprovalDetail,
  ApprovalInfo,
  ApprovalList,
  DecideApproval,
  SessionAllowances,
} from "../../../core/schemas/api.ts";
import * as z from "zod";
import { ApprovalId } from "../../../core/schemas/approvals/approval.ts";
import { ascending, pageQuery, toPage, toSortedPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, describeResponses, createRouter, jsonBody, refuses } from "../router.ts";
import { openSession } from "./session-rpc.ts";
import { SessionParams } from "./sessions.ts";

export const approvals = createRouter();

const ApprovalParams = SessionParams.extend({ approval: ApprovalId });

approvals.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/approvals",
    operationId: "listApprovals",
    description:
      "Lists what the agent asks for: calls that a parked turn wants to make (`command`), and changes of a project file or `SOUL.md` (`file`).",
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
    ...refuses("approval_not_found"),
    description: "Reads a request. Of a file: with its requested and its present content.",
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
    ...refuses(
      "approval_not_found",
      "approval_decided",
      "approval_replaced",
      "answer_invalid",
      "approval_too_wide",
      "too_many_allowances",
      "file_too_large",
      "workspace_full",
      "write_limit",
    ),
    description:
      "Approves or rejects a request. An approved call runs, and its turn goes on; `scope` allows calls like it for longer. Approved content is stored as the person's own. Repeating a decision returns the same answer.",
    request: { params: ApprovalParams, body: jsonBody(DecideApproval) },
    responses: describeResponses(200, "The decided request", ApprovalInfo),
  }),
  async (c) => {
    const { session, approval } = c.req.valid("param");
    const decision = c.req.valid("json");
    return c.json(unwrap(await openSession(c.env, c.var.profile, session).decideApproval(approval, decision)), 200);
  },
);

approvals.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/allowances",
    operationId: "listAllowances",
    description:
      "Lists the calls that run without a question: those allowed in this session, then those always allowed.",
    request: { params: SessionParams, query: z.strictObject(pageQuery(400)) },
    responses: describeResponses(200, "The standing allowances", SessionAllowances),
  }),
  async (c) => {
    const { session } = c.req.valid("param");
    const all = unwrap(await openSession(c.env, c.var.profile, session).listAllowances());
    const sortKey = ({ scope, at, id }: AllowanceInfo) => `${scope === "session" ? 0 : 1}.${ascending(at)}.${id}`;
    const { page, ...next } = toSortedPage(all, { ...c.req.valid("query"), sortKey });
    return c.json({ allowances: page, ...next }, 200);
  },
);

approvals.openapi(
  createRoute({
    method: "delete",
    path: "/v1/sessions/{session}/allowances/{allowance}",
    operationId: "revokeAllowance",
    ...refuses("allowance_not_found"),
    description: "Revokes an allowance of this session, or of the profile. Such calls ask again.",
    request: { params: SessionParams.extend({ allowance: ApprovalId }) },
    responses: { 204: { description: "Revoked" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { session, allowance } = c.req.valid("param");
    unwrap(await openSession(c.env, c.var.profile, session).revokeAllowance(allowance));
    return c.body(null, 204);
  },
);
