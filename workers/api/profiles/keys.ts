// Keys of a profile: made by the operator or by an admin key of the profile, which also lists, changes, rotates and revokes them.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { ChangeKey, CreateKey, CreatedKey, KeyInfo, KeyList, RotateKey } from "../../../core/schemas/api.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { toActor } from "../auth/actor.ts";
import { OPERATOR_OR_KEY } from "../auth/guard-route.ts";
import type { Principal } from "../auth/principal.ts";
import { ascending, pageQuery, toPage } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, describeResponses, createRouter, jsonBody, optionalJsonBody, refuses } from "../router.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const keys = createRouter();

const KeyParams = z.object({ id: z.string().regex(/^key_[0-9a-z]{12}$/, "a key id is key_ and 12 characters") });

keys.openapi(
  createRoute({
    method: "post",
    path: "/v1/keys",
    operationId: "createKey",
    ...refuses("profile_not_found", "too_many_keys", "bad_profile_id", "scope_exceeded", "bad_expiry"),
    security: OPERATOR_OR_KEY,
    scope: "admin",
    description:
      "Creates a key. The operator says of which `profile`; the key has all scopes unless `scopes` names fewer. An admin key creates " +
      "keys of its own profile, with no scope that it does not have and no later expiry than its own; the old secret of a rotated key and a " +
      "browser's sign-in end before their key.",
    request: { body: jsonBody(CreateKey) },
    responses: describeResponses(201, "The key, which is never shown again", CreatedKey),
  }),
  async (c) => {
    const { principal } = c.var as { principal?: Principal };
    const { profile = principal?.profile, ...input } = c.req.valid("json");
    if (profile === undefined) throw new AppError("bad_profile_id", "Say of which `profile` the key is to be.");
    if (principal && principal.profile !== profile) {
      throw new AppError("operator_required", "This key belongs to another profile. Leave `profile` out.");
    }
    const actor = toActor(principal);
    const desk = openAccount(c.env, profile).keyDesk();
    return c.json(unwrap(await askDesk(desk, (asked) => asked.create(input, actor))), 201);
  },
);

keys.openapi(
  createRoute({
    method: "get",
    path: "/v1/keys",
    operationId: "listKeys",
    scope: "admin",
    description: "Lists the keys that are not revoked, without their secrets. Expired ones stay for 90 days.",
    request: { query: z.strictObject(pageQuery(100)) },
    responses: describeResponses(200, "Keys, oldest first", KeyList),
  }),
  async (c) => {
    const all = await askDesk(openAccount(c.env, c.var.profile).keyDesk(), (desk) => desk.list());
    const sortKey = ({ createdAt, id }: KeyInfo) => `${ascending(createdAt)}.${id}`;
    const { page, next } = toPage(all, { ...c.req.valid("query"), sortKey });
    return c.json({ keys: page, ...(next !== undefined && { next }) }, 200);
  },
);

keys.openapi(
  createRoute({
    method: "patch",
    path: "/v1/keys/{id}",
    operationId: "changeKey",
    ...refuses("key_not_found", "last_key", "scope_exceeded", "bad_expiry"),
    scope: "admin",
    description: "Gives a key another label, or another expiry (`null`: none). What is left out stays.",
    request: { params: KeyParams, body: jsonBody(ChangeKey) },
    responses: describeResponses(200, "The key as it is now", KeyInfo),
  }),
  async (c) => {
    const desk = openAccount(c.env, c.var.profile).keyDesk();
    const changed = await askDesk(desk, (asked) =>
      asked.change(c.req.valid("param").id, c.req.valid("json"), toActor(c.var.principal)),
    );
    forgetAcceptedKeys(c.var.profile);
    return c.json(unwrap(changed), 200);
  },
);

keys.openapi(
  createRoute({
    method: "post",
    path: "/v1/keys/{id}/rotate",
    operationId: "rotateKey",
    ...refuses("key_not_found", "scope_exceeded", "bad_expiry"),
    scope: "admin",
    description:
      "Gives a key a new secret. The old one works for `graceSeconds` more, at most a day; by default it ends at once. What " +
      "the old secret has opened is closed when it ends.",
    request: { params: KeyParams, body: optionalJsonBody(RotateKey) },
    responses: describeResponses(200, "The key with its new secret, which is never shown again", CreatedKey),
  }),
  async (c) => {
    const graceMs = c.req.valid("json").graceSeconds * 1_000;
    const desk = openAccount(c.env, c.var.profile).keyDesk();
    const rotated = await askDesk(desk, (asked) =>
      asked.rotate(c.req.valid("param").id, graceMs, toActor(c.var.principal)),
    );
    forgetAcceptedKeys(c.var.profile);
    return c.json(unwrap(rotated), 200);
  },
);

keys.openapi(
  createRoute({
    method: "delete",
    path: "/v1/keys/{id}",
    operationId: "revokeKey",
    ...refuses("key_not_found", "last_key"),
    scope: "admin",
    description:
      "Revokes a key. Some isolates may accept it for another 30 seconds; streams and sockets that it opened are closed within a " +
      "minute. The last admin key that does not expire cannot be revoked: the answer is 409 with the code `last_key`, until " +
      "another one exists.",
    request: { params: KeyParams },
    responses: { 204: { description: "Revoked" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    unwrap(await askDesk(openAccount(c.env, c.var.profile).keyDesk(), (desk) => desk.revoke(c.req.valid("param").id)));
    forgetAcceptedKeys(c.var.profile);
    return c.body(null, 204);
  },
);
