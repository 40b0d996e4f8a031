// Outbound webhooks of a profile: subscriptions, their secrets, a test, and the log of deliveries. The profile's Account sends.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import {
  CreateHook,
  CreatedHook,
  type HookDelivery,
  HookDeliveryList,
  HookId,
  HookInfo,
  HookList,
  HookTest,
  RotatedSecret,
} from "../../../core/schemas/profile/hooks.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { descending, pageQuery, toPage, ascending, toSortedPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const hooks = createRouter();

const HookParams = z.object({ hook: HookId });
const MAX_DELIVERIES = 100;

type Desk = ReturnType<ReturnType<typeof openAccount>["hookDesk"]>;

function askHookDesk<Answer>({ env, var: { profile } }: Context<ApiEnv>, ask: (desk: Desk) => Promise<Answer>) {
  return askDesk(openAccount(env, profile).hookDesk(), ask);
}

hooks.openapi(
  createRoute({
    method: "post",
    path: "/v1/hooks",
    operationId: "createHook",
    scope: "admin",
    ...refuses("url_refused", "too_many_hooks", "sealing_key_missing", "setting_too_large"),
    description:
      "Subscribes a URL to events. Each is posted as JSON, signed by the rules of Standard Webhooks. A session sends events to a " +
      "new hook from its next message on; some isolates learn of it up to 30 seconds later.",
    request: { body: jsonBody(CreateHook) },
    responses: describeResponses(201, "The hook, with its secret, which is never shown again", CreatedHook),
  }),
  async (c) => {
    const created = unwrap(await askHookDesk(c, (desk) => desk.create(c.req.valid("json"))));
    forgetAcceptedKeys(c.var.profile);
    return c.json(created, 201);
  },
);

hooks.openapi(
  createRoute({
    method: "get",
    path: "/v1/hooks",
    operationId: "listHooks",
    description: "Lists the profile's hooks, at most ten.",
    request: { query: z.strictObject(pageQuery(100)) },
    responses: describeResponses(200, "Hooks, oldest first", HookList),
  }),
  async (c) => {
    const all = await askHookDesk(c, (desk) => desk.list());
    const sortKey = ({ createdAt, id }: HookInfo) => `${ascending(createdAt)}.${id}`;
    const { page, ...next } = toSortedPage(all, { ...c.req.valid("query"), sortKey });
    return c.json({ hooks: page, ...next }, 200);
  },
);

hooks.openapi(
  createRoute({
    method: "get",
    path: "/v1/hooks/{hook}",
    operationId: "readHook",
    ...refuses("hook_not_found"),
    description: "Reads a hook.",
    request: { params: HookParams },
    responses: describeResponses(200, "The hook, without its secret", HookInfo),
  }),
  async (c) => c.json(unwrap(await askHookDesk(c, (desk) => desk.read(c.req.valid("param").hook))), 200),
);

hooks.openapi(
  createRoute({
    method: "delete",
    path: "/v1/hooks/{hook}",
    operationId: "deleteHook",
    scope: "admin",
    ...refuses("hook_not_found"),
    description: "Deletes a hook with its log. What waits for it is not sent.",
    request: { params: HookParams },
    responses: { 204: { description: "Deleted" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    unwrap(await askHookDesk(c, (desk) => desk.remove(c.req.valid("param").hook)));
    forgetAcceptedKeys(c.var.profile);
    return c.body(null, 204);
  },
);

hooks.openapi(
  createRoute({
    method: "post",
    path: "/v1/hooks/{hook}/test",
    operationId: "testHook",
    scope: "admin",
    ...refuses("hook_not_found"),
    description:
      "Posts an event of type `ping` at once, in one attempt, also to a disabled hook. Answers with what came of it.",
    request: { params: HookParams },
    responses: describeResponses(200, "The attempt: the status of the reply, or why there was none", HookTest),
  }),
  async (c) => c.json(unwrap(await askHookDesk(c, (desk) => desk.test(c.req.valid("param").hook))), 200),
);

hooks.openapi(
  createRoute({
    method: "post",
    path: "/v1/hooks/{hook}/rotate",
    operationId: "rotateHookSecret",
    scope: "admin",
    ...refuses("hook_not_found", "sealing_key_missing"),
    description: "Makes a new secret. For a day, deliveries are signed with the former one too.",
    request: { params: HookParams },
    responses: describeResponses(200, "The new secret, which is never shown again", RotatedSecret),
  }),
  async (c) => c.json(unwrap(await askHookDesk(c, (desk) => desk.rotate(c.req.valid("param").hook))), 200),
);

hooks.openapi(
  createRoute({
    method: "get",
    path: "/v1/hooks/{hook}/deliveries",
    operationId: "listDeliveries",
    ...refuses("hook_not_found"),
    description:
      "Lists what was sent and what waits, with each attempt. The log has the last 100 ended deliveries of a week, without bodies.",
    request: { params: HookParams, query: z.strictObject(pageQuery(MAX_DELIVERIES)) },
    responses: describeResponses(200, "Deliveries, newest first", HookDeliveryList),
  }),
  async (c) => {
    const all = unwrap(await askHookDesk(c, (desk) => desk.deliveries(c.req.valid("param").hook)));
    const sortKey = ({ at, event }: HookDelivery) => `${descending(at)}.${event}`;
    const sorted = all.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
    const { page, next } = toPage(sorted, { ...c.req.valid("query"), sortKey });
    return c.json({ deliveries: page, ...(next !== undefined && { next }) }, 200);
  },
);
