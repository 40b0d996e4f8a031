// Inbound webhooks of a profile: its routes, their secrets, and the log of what came in. The profile's Webhooks object keeps them.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import {
  ChangeWebhook,
  CreateWebhook,
  CreatedWebhook,
  InboundDeliveryList,
  RotateWebhook,
  RotatedWebhook,
  WebhookInfo,
  WebhookList,
  WebhookName,
} from "../../../core/schemas/webhooks/webhook.ts";
import type { Webhooks } from "../../../durable-objects/webhooks/webhooks.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { pageQuery, toSortedPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import {
  PROBLEM_RESPONSE,
  createRouter,
  describeResponses,
  jsonBody,
  numeric,
  optionalJsonBody,
  refuses,
} from "../router.ts";

export const webhooks = createRouter();

const WebhookParams = z.object({ webhook: WebhookName });
const MAX_DELIVERIES = 100;

/** The platform's types turn an `unknown` in an answer into `never`. The values cross unchanged. */
function openWebhooks({ env, var: { profile } }: Context<ApiEnv>): Omit<Webhooks, "fetch" | "alarm"> {
  return env.WEBHOOKS.getByName(profile) as unknown as Webhooks;
}

webhooks.openapi(
  createRoute({
    method: "post",
    path: "/v1/webhooks",
    operationId: "createWebhook",
    scope: "admin",
    ...refuses("webhook_exists", "webhook_invalid", "too_many_webhooks", "sealing_key_missing", "profile_gone"),
    description:
      "Makes a route that another system posts events to: `POST /hooks/{profile}/{name}`. Each event that the sender proves, and that the filters " +
      "let through, becomes a message of a session of the kind `webhook`: the agent has only the tools of the web, images and reading skills, what " +
      "the event says is content, and nothing is learned from it. The sender gets 202 once the event is stored, 200 for one that is repeated within " +
      "an hour or ignored, 401 `webhook_refused` for everything that is not proved, 413, and 429 `webhook_limited` above the operator's " +
      "`webhooks.perMinute`.",
    request: { body: jsonBody(CreateWebhook) },
    responses: describeResponses(201, "The route, with its secret, which is never shown again", CreatedWebhook),
  }),
  async (c) => c.json(unwrap(await openWebhooks(c).create(c.req.valid("json"))), 201),
);

webhooks.openapi(
  createRoute({
    method: "get",
    path: "/v1/webhooks",
    operationId: "listWebhooks",
    description: "Lists the profile's routes for events, at most 50.",
    request: { query: z.strictObject(pageQuery(100)) },
    responses: describeResponses(200, "Routes, by name", WebhookList),
  }),
  async (c) => {
    const sortKey = ({ name }: WebhookInfo) => name;
    const { page, ...next } = toSortedPage(await openWebhooks(c).list(), { ...c.req.valid("query"), sortKey });
    return c.json({ webhooks: page, ...next }, 200);
  },
);

webhooks.openapi(
  createRoute({
    method: "get",
    path: "/v1/webhooks/{webhook}",
    operationId: "readWebhook",
    ...refuses("webhook_not_found"),
    description: "Reads a route.",
    request: { params: WebhookParams },
    responses: describeResponses(200, "The route, without its secret", WebhookInfo),
  }),
  async (c) => c.json(unwrap(await openWebhooks(c).read(c.req.valid("param").webhook)), 200),
);

webhooks.openapi(
  createRoute({
    method: "patch",
    path: "/v1/webhooks/{webhook}",
    operationId: "changeWebhook",
    scope: "admin",
    ...refuses("webhook_not_found", "webhook_invalid"),
    description:
      "Changes single fields of a route. Events that were accepted before keep their text and their session.",
    request: { params: WebhookParams, body: jsonBody(ChangeWebhook) },
    responses: describeResponses(200, "The route", WebhookInfo),
  }),
  async (c) => c.json(unwrap(await openWebhooks(c).change(c.req.valid("param").webhook, c.req.valid("json"))), 200),
);

webhooks.openapi(
  createRoute({
    method: "delete",
    path: "/v1/webhooks/{webhook}",
    operationId: "deleteWebhook",
    scope: "admin",
    ...refuses("webhook_not_found"),
    description: "Deletes a route with its log and with what waits. Its sessions stay.",
    request: { params: WebhookParams },
    responses: { 204: { description: "Deleted" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    unwrap(await openWebhooks(c).remove(c.req.valid("param").webhook));
    return c.body(null, 204);
  },
);

webhooks.openapi(
  createRoute({
    method: "post",
    path: "/v1/webhooks/{webhook}/rotate",
    operationId: "rotateWebhookSecret",
    scope: "admin",
    ...refuses("webhook_not_found", "sealing_key_missing"),
    description:
      "Replaces the secret of a route: by a new one, or by one that the sender has made. For a day the former one is accepted too.",
    request: { params: WebhookParams, body: optionalJsonBody(RotateWebhook) },
    responses: describeResponses(200, "The new secret, which is never shown again", RotatedWebhook),
  }),
  async (c) => {
    const { secret } = c.req.valid("json");
    return c.json(unwrap(await openWebhooks(c).rotate(c.req.valid("param").webhook, secret)), 200);
  },
);

webhooks.openapi(
  createRoute({
    method: "get",
    path: "/v1/webhooks/{webhook}/deliveries",
    operationId: "listWebhookDeliveries",
    ...refuses("webhook_not_found"),
    description:
      "Lists what came in: what was accepted or ignored, and the turn it became. Without payloads. The log has all of the last hour, and of a " +
      "week the newest 500. Requests that were not proved are not in it.",
    request: {
      params: WebhookParams,
      query: z.strictObject({ ...pageQuery(MAX_DELIVERIES), after: numeric(1, 999_999_999).optional() }),
    },
    responses: describeResponses(200, "Deliveries, newest first", InboundDeliveryList),
  }),
  async (c) => {
    const { after, limit } = c.req.valid("query");
    const asked = { before: after ?? null, limit };
    const { deliveries, next } = unwrap(await openWebhooks(c).listDeliveries(c.req.valid("param").webhook, asked));
    return c.json({ deliveries, ...(next !== null && { next: String(next) }) }, 200);
  },
);
