// What the operator allows one profile to spend. Set by the operator; read by the operator and by keys of the profile.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { ProfileId } from "../../../core/schemas/ids.ts";
import { QUOTA_KEY, Quota } from "../../../core/schemas/profile/quota.ts";
import type { ProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { OPERATOR_OR_KEY } from "../auth/guard-route.ts";
import { unwrap } from "../problems.ts";
import { createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { assertOwn } from "./profiles.ts";

export const quota = createRouter();

const path = "/v1/profiles/{profile}/quota";
const params = z.object({ profile: ProfileId });

quota.openapi(
  createRoute({
    method: "put",
    path,
    operationId: "putQuota",
    security: [{ operator: [] }] as Record<string, string[]>[],
    ...refuses("profile_gone"),
    description:
      "Sets what one profile may spend by UTC day and by UTC month, replacing what was set. The stricter of this and the deployment's settings is " +
      "in force, from the next turn on; a person can lower it further (PATCH /v1/settings). An empty object takes the quota away.",
    request: { params, body: jsonBody(Quota) },
    responses: describeResponses(200, "The quota", Quota),
  }),
  async (c) => {
    const { profile } = c.req.valid("param");
    const value = c.req.valid("json");
    unwrap(await openAccount(c.env, profile).putSetting("quota", QUOTA_KEY, value));
    forgetAcceptedKeys(profile);
    return c.json(value, 200);
  },
);

quota.openapi(
  createRoute({
    method: "get",
    path,
    operationId: "readQuota",
    security: OPERATOR_OR_KEY,
    description:
      "What the operator allows this profile to spend. Takes the operator's token, or a key of this profile.",
    request: { params },
    responses: describeResponses(200, "The quota; empty without one", Quota),
  }),
  async (c) => {
    const { profile } = c.req.valid("param");
    assertOwn(c.var.principal, profile);
    const { sections } = (await openAccount(c.env, profile).readSettings()) as ProfileSettings;
    return c.json(sections.quota[QUOTA_KEY] ?? {}, 200);
  },
);
