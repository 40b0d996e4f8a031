// The policies of a profile over its agent's tool calls: which run, which ask a person, which never run, which results stay unread.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import type { ProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { PolicyId, ToolPolicy } from "../../../core/schemas/profile/policies.ts";
import { ListedPolicy, PolicyList } from "../../../core/schemas/tool-list.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { pageQuery, toSortedPage } from "../pages.ts";

export const policies = createRouter();

const params = z.object({ policy: PolicyId });

policies.openapi(
  createRoute({
    method: "get",
    path: "/v1/policies",
    operationId: "listPolicies",
    description: "Lists the profile's policies over tool calls.",
    request: { query: z.strictObject(pageQuery(100)) },
    responses: describeResponses(200, "The policies, by id", PolicyList),
  }),
  async (c) => {
    const { sections } = (await openAccount(c.env, c.var.profile).readSettings()) as ProfileSettings;
    const all = Object.entries(sections.policies).map(([id, policy]) => ({ id, policy }));
    const { page, ...next } = toSortedPage(all, { ...c.req.valid("query"), sortKey: ({ id }) => id });
    return c.json({ policies: page, ...next }, 200);
  },
);

policies.openapi(
  createRoute({
    method: "put",
    path: "/v1/policies/{policy}",
    operationId: "putPolicy",
    scope: "admin",
    ...refuses("too_many_settings", "setting_too_large"),
    description:
      "Sets a policy over tool calls, by patterns in which `*` stands for any characters and `?` for one. `pre_tool_call` decides before a call: `deny`, `ask` a person, or `allow` without a question; the strictest of those that match counts. `post_tool_call` decides whether the model reads the result. What the harness refuses stays refused. In force from each session's next message on.",
    request: { params, body: jsonBody(ToolPolicy) },
    responses: describeResponses(200, "The policy as it is stored", ListedPolicy),
  }),
  async (c) => {
    const { policy: id } = c.req.valid("param");
    const policy = c.req.valid("json");
    unwrap(await openAccount(c.env, c.var.profile).putSetting("policies", id, policy));
    forgetAcceptedKeys(c.var.profile);
    return c.json({ id, policy }, 200);
  },
);

policies.openapi(
  createRoute({
    method: "delete",
    path: "/v1/policies/{policy}",
    operationId: "deletePolicy",
    scope: "admin",
    ...refuses("setting_not_found"),
    description: "Removes a policy.",
    request: { params },
    responses: { 204: { description: "Removed" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    unwrap(await openAccount(c.env, c.var.profile).removeSetting("policies", c.req.valid("param").policy));
    forgetAcceptedKeys(c.var.profile);
    return c.body(null, 204);
  },
);
