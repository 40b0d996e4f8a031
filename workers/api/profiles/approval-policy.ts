// What a profile allows its sessions to run without a question: its own mode, which may only be stricter than the operator's, and
// its standing allowances.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { ApprovalPolicyInfo, PutApprovalMode } from "../../../core/schemas/api.ts";
import { ApprovalId, stricterMode } from "../../../core/schemas/approvals/approval.ts";
import { readSettings } from "../../../wiring/settings.ts";
import { ascending, pageQuery, toPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const approvalPolicy = createRouter();

/** The most allowances that a profile has (allowance-room.ts): by default all are on one page. */
const MAX_LISTED = 200;

approvalPolicy.openapi(
  createRoute({
    method: "get",
    path: "/v1/approvals",
    operationId: "readApprovalPolicy",
    description: "Reads which commands ask a person first, and which are always allowed.",
    request: { query: z.strictObject(pageQuery(MAX_LISTED)) },
    responses: describeResponses(
      200,
      "The mode in force, and the standing allowances, oldest first",
      ApprovalPolicyInfo,
    ),
  }),
  async (c) => c.json(await readPolicy(c.env, c.var.profile, c.req.valid("query")), 200),
);

approvalPolicy.openapi(
  createRoute({
    method: "put",
    path: "/v1/approvals",
    operationId: "putApprovalMode",
    scope: "admin",
    description: "Sets the profile's own mode. It is in force where it is stricter than the operator's.",
    request: { body: jsonBody(PutApprovalMode) },
    responses: describeResponses(200, "The mode in force, and the standing allowances", ApprovalPolicyInfo),
  }),
  async (c) => {
    unwrap(await openAccount(c.env, c.var.profile).putApprovalMode(c.req.valid("json").mode));
    return c.json(await readPolicy(c.env, c.var.profile), 200);
  },
);

approvalPolicy.openapi(
  createRoute({
    method: "delete",
    path: "/v1/approvals/{allowance}",
    operationId: "revokeProfileAllowance",
    ...refuses("allowance_not_found"),
    description: "Revokes an allowance of the profile. Such calls ask again.",
    request: { params: z.object({ allowance: ApprovalId }) },
    responses: { 204: { description: "Revoked" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    unwrap(await openAccount(c.env, c.var.profile).revokeAllowance(c.req.valid("param").allowance));
    return c.body(null, 204);
  },
);

async function readPolicy(
  env: ApiEnv["Bindings"],
  profile: string,
  asked: { limit: number; after?: string | undefined } = { limit: MAX_LISTED },
): Promise<z.infer<typeof ApprovalPolicyInfo>> {
  const { mode: own, allowances } = await openAccount(env, profile).readApprovals();
  const operator = readSettings(env).approvals.mode;
  const listed = allowances.map(({ id, kind, key, at }) => ({ id, kind, key, at }));
  const { page, ...next } = toPage(listed, { ...asked, sortKey: ({ at, id }) => `${ascending(at)}.${id}` });
  return { mode: own ? stricterMode(operator, own) : operator, operator, profile: own, allowances: page, ...next };
}
