// Keys of a profile: created by the operator, listed and revoked by the profile itself.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { CreateKey, CreatedKey, type KeyInfo, KeyList } from "../../../core/schemas/api.ts";
import { OPERATOR_OR_KEY } from "../auth/guard-route.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { ascending, pageQuery, toPage } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, describeResponses, createRouter, jsonBody, refuses } from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const keys = createRouter();

const KeyId = z.string().regex(/^key_[0-9a-z]{12}$/, "a key id is key_ and 12 characters");

keys.openapi(
  createRoute({
    method: "post",
    path: "/v1/keys",
    operationId: "createKey",
    ...refuses("profile_not_found", "too_many_keys", "bad_profile_id"),
    security: OPERATOR_OR_KEY,
    scope: "admin",
    description: "Creates a key of a profile.",
    request: { body: jsonBody(CreateKey) },
    responses: describeResponses(201, "The key, which is never shown again", CreatedKey),
  }),
  async (c) => {
    const { profile, label } = c.req.valid("json");
    if (c.var.principal && c.var.principal.profile !== profile) {
      throw new AppError("operator_required", "This key belongs to another profile. Use a key of that profile.");
    }
    return c.json(unwrap(await openAccount(c.env, profile).createKey(label ?? "")), 201);
  },
);

keys.openapi(
  createRoute({
    method: "get",
    path: "/v1/keys",
    operationId: "listKeys",
    description: "Lists the valid keys, without their secrets.",
    request: { query: z.strictObject(pageQuery(100)) },
    responses: describeResponses(200, "Valid keys, oldest first", KeyList),
  }),
  async (c) => {
    const all = await openAccount(c.env, c.var.profile).listKeys();
    const sortKey = ({ createdAt, id }: KeyInfo) => `${ascending(createdAt)}.${id}`;
    const { page, next } = toPage(all, { ...c.req.valid("query"), sortKey });
    return c.json({ keys: page, ...(next !== undefined && { next }) }, 200);
  },
);

keys.openapi(
  createRoute({
    method: "delete",
    path: "/v1/keys/{id}",
    operationId: "revokeKey",
    ...refuses("key_not_found", "last_key"),
    description:
      "Revokes a key. Some isolates may accept it for another 30 seconds. A profile's last key cannot be revoked: the " +
      "answer is 409 with the code `last_key`, until the operator has created another key.",
    request: { params: z.object({ id: KeyId }) },
    responses: { 204: { description: "Revoked" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    unwrap(await openAccount(c.env, c.var.profile).revokeKey(c.req.valid("param").id));
    forgetAcceptedKeys(c.var.profile);
    return c.body(null, 204);
  },
);
