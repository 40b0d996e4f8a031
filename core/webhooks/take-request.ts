// Takes a proved request of a webhook route: an id that is known, a limit, filters, and one transaction that stores what is to be done before
// the sender gets its answer. Called by the Webhooks object. Synchronous.
import { type Result, err, ok } from "../errors.ts";
import type { Sql } from "../ports.ts";
import type { SessionId } from "../schemas/ids.ts";
import type { StoredWebhook, WebhookAnswer, WebhookName } from "../schemas/webhooks/webhook.ts";
import type { DeliveryRows, NewDelivery } from "./delivery-rows.ts";
import { passes } from "./filters.ts";
import { type Payload, readEventTypes, readPayload } from "./payload.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { RouteRows } from "./route-rows.ts";
import type { WebhookRequest } from "./schemes.ts";
import { MESSAGE_CHARS, defaultTemplate, fillKey, fillTemplate, toMessage } from "./template.ts";

/** [hermes] A group is closed this long after its first event. */
const MAX_GROUP_MS = 300_000;
const BETWEEN = "\n\n---\n\n";

export interface TakingDeps {
  sql: Sql;
  routes: RouteRows;
  deliveries: DeliveryRows;
  limit: RateLimit;
  /** A new session's id. */
  newSession(): SessionId;
}

export interface TakenRequest {
  name: WebhookName;
  route: StoredWebhook;
  /** Of the delivery. */
  id: string;
  request: WebhookRequest;
  now: number;
}

/** Once this has returned, what was accepted is stored. Failure: `webhook_limited`, with `retryAfterSeconds`. */
export function takeRequest(deps: TakingDeps, taken: TakenRequest): Result<WebhookAnswer> {
  const { sql, deliveries, limit } = deps;
  const { name, id, now } = taken;
  return sql.transaction(() => {
    if (deliveries.acceptedAt(name, id, now) !== null) return ok({ status: "duplicate", delivery: id });
    const waitMs = limit.take(name, now);
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1_000);
      return err("webhook_limited", `This route takes ${limit.perMinute} requests a minute. Send it again later.`, {
        retryAfterSeconds,
      });
    }
    const row = planDelivery(deps, taken);
    deliveries.add(row);
    if (row.state !== "ignored") return ok({ status: "accepted", delivery: id });
    return ok({ status: "ignored", delivery: id, reason: row.reason! });
  });
}

function planDelivery(deps: TakingDeps, taken: TakenRequest): NewDelivery {
  const { name, route, id, request, now } = taken;
  const payload = readPayload(request.body, request.headers["content-type"] ?? "");
  const types = readEventTypes(request.headers, payload);
  const base = { route: name, id, at: now, event: types[0] ?? null };
  const isPing = route.scheme === "github" && request.headers["x-github-event"] === "ping";
  const isWanted = route.events.length === 0 ? !isPing : types.some((type) => route.events.includes(type));
  if (!isWanted) return { ...base, state: "ignored", reason: "event" };
  if (!route.filters.every((filter) => passes(filter, payload.value)))
    return { ...base, state: "ignored", reason: "filter" };
  const text = toMessage(name, fillTemplate(route.prompt ?? defaultTemplate(name), payload));
  const session = route.deliverOnly ? null : chooseSession(deps, taken, payload);
  const lane = session ?? `only:${name}`;
  const answers = !route.deliverOnly && route.deliver !== null;
  const waiting = { ...base, state: "waiting", lane, session, text, answers } as const;
  return route.coalesce
    ? joinGroup(deps, taken, waiting, fillKey(route.coalesce.key, payload))
    : { ...waiting, due: now };
}

function chooseSession({ routes, newSession }: TakingDeps, { name, route }: TakenRequest, payload: Payload): SessionId {
  if (route.session === "new") return newSession();
  const key = route.session === "route" ? "" : `=${fillKey(route.session.key, payload)}`;
  return routes.bind(name, key, newSession());
}

/** The event becomes a part of the message of its group, or begins a group. A message that is full is posted, and another group begins. */
function joinGroup(
  { deliveries }: TakingDeps,
  { route, now }: TakenRequest,
  waiting: NewDelivery & { lane: string; text: string },
  key: string,
): NewDelivery {
  const windowMs = route.coalesce!.seconds * 1_000;
  // Events that would each begin a session meet in that of the first.
  const place = route.session === "new" && !route.deliverOnly ? "new" : waiting.lane;
  const part = `${waiting.route} ${place} ${key}`;
  const open = deliveries.openGroup(part, now);
  if (open && open.text.length + BETWEEN.length + waiting.text.length <= MESSAGE_CHARS) {
    const due = Math.min(now + windowMs, open.at + MAX_GROUP_MS);
    deliveries.extendGroup(open.n, open.text + BETWEEN + waiting.text, due);
    const { route: name, id, at, event } = waiting;
    return { route: name, id, at, event, state: "joined", session: open.session, joined: open.id };
  }
  if (open) deliveries.endGroup(open.n, now);
  return { ...waiting, part, due: now + windowMs };
}
