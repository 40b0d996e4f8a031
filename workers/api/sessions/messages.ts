// Routes that post a message to a session, stream its events, list its entries and stop its turns. The session drives a turn and the
// response only listens, so a reader that disconnects does not stop the turn.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { Accepted, EntryList, PostMessage, Stopped } from "../../../core/schemas/api.ts";
import { pageQuery } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import { describeResponses, createRouter, numeric, jsonBody, refuses } from "../router.ts";
import { openSession, unwrapResponse } from "./session-rpc.ts";
import { SessionParams } from "./sessions.ts";

export const messages = createRouter();

/** One event of a stream. `data` is the event as JSON (docs/TURNS.md). */
const StreamedEvent = z.object({ id: z.string().optional(), event: z.string().optional(), data: z.string() });
export const EVENTS_RESPONSE = {
  description: "Server-sent events",
  content: { "text/event-stream": { schema: StreamedEvent } },
};

export const EventId = z.string().regex(/^\d{1,15}\.\d{1,15}$/, "an event id is <entry>.<offset>, such as 7.120");
/** Entries of one page of the log; fewer when they are large. */
const MAX_ENTRIES = 500;
/** A placeholder host: the stub addresses one object. */
const SESSION_URL = "https://session/messages";

export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, "an idempotency key is 1 to 255 visible ASCII characters");

messages.openapi(
  createRoute({
    method: "post",
    path: "/v1/sessions/{session}/messages",
    operationId: "postMessage",
    ...refuses(
      "bad_text",
      "message_too_long",
      "too_many_queued",
      "idempotency_conflict",
      "file_not_found",
      "bad_path",
      "image_type_refused",
      "image_too_large",
      "too_many_images",
      "images_full",
      "session_delegated",
      "too_many_readers",
    ),
    description:
      "Sends a message. With `Accept: text/event-stream` the response streams the turn. Otherwise it is 202 and the turn continues in the background.",
    request: {
      params: SessionParams,
      headers: z.object({ "idempotency-key": IdempotencyKey.optional() }),
      body: jsonBody(PostMessage),
    },
    responses: { 200: EVENTS_RESPONSE, ...describeResponses(202, "Accepted", Accepted) },
  }),
  async (c) => {
    const session = openSession(c.env, c.var.profile, c.req.valid("param").session);
    const key = c.req.valid("header")["idempotency-key"];
    const { text, images, busy } = c.req.valid("json");
    assertUsableText(text, images !== undefined);
    const { settingsRev } = c.var;
    const message = { text, images, key, busy, ...(settingsRev > 0 && { settingsRev }) };
    if (/\btext\/event-stream\b/i.test(c.req.header("accept") ?? "")) {
      const body = JSON.stringify(message);
      const answer = await unwrapResponse(await session.fetch(new Request(SESSION_URL, { method: "POST", body })));
      return respondWithStream(answer.body!, { "talaria-turn": answer.headers.get("talaria-turn")! });
    }
    const accepted = unwrap(await session.post(message));
    return c.json(accepted, 202, { "talaria-turn": accepted.turn, location: accepted.events });
  },
);

messages.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/events",
    operationId: "readEvents",
    ...refuses("turn_not_found", "too_many_readers"),
    description: "Streams events after `Last-Event-ID` or `after`, up to the end of the newest turn.",
    request: {
      params: SessionParams,
      headers: z.object({ "last-event-id": EventId.optional() }),
      query: z.strictObject({ after: EventId.optional(), turn: numeric(1, 999_999_999).optional() }),
    },
    responses: { 200: EVENTS_RESPONSE, default: describeResponses(200, "", z.never()).default },
  }),
  async (c) => {
    const { after, turn } = c.req.valid("query");
    const session = openSession(c.env, c.var.profile, c.req.valid("param").session);
    const from = { after: c.req.valid("header")["last-event-id"] ?? after, turn };
    return respondWithStream(unwrap(await session.events(from)));
  },
);

messages.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/entries",
    operationId: "listEntries",
    description: "Reads the log: what the person, the model, the tools and the harness wrote.",
    request: {
      params: SessionParams,
      query: z.strictObject(pageQuery(MAX_ENTRIES, { after: numeric(0, 999_999_999) })),
    },
    responses: describeResponses(200, "The log, oldest first", EntryList),
  }),
  async (c) => {
    const session = openSession(c.env, c.var.profile, c.req.valid("param").session);
    const { after = 0, limit } = c.req.valid("query");
    return c.json(unwrap(await session.entryPage({ after, limit })), 200);
  },
);

messages.openapi(
  createRoute({
    method: "post",
    path: "/v1/sessions/{session}/stop",
    operationId: "stopSession",
    description: "Stops the running turn and the waiting ones, and records that in the log.",
    request: { params: SessionParams },
    responses: describeResponses(200, "The turns that were stopped", Stopped),
  }),
  async (c) => c.json(unwrap(await openSession(c.env, c.var.profile, c.req.valid("param").session).stop()), 200),
);

/** Providers refuse a blank text and half of a surrogate pair. Once stored, such a message would make every later turn fail. */
export function assertUsableText(text: string, hasImages: boolean): void {
  if (text.trim() === "" && !hasImages) throw new AppError("body_invalid", "The message is blank. Send a text.");
  if (!text.isWellFormed())
    throw new AppError("bad_text", "The text contains half of a surrogate pair. Send well-formed Unicode.");
}

export function respondWithStream(events: ReadableStream<Uint8Array>, headers: Record<string, string> = {}): Response {
  // `no-transform`: a compressing proxy would buffer the events.
  const type = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache, no-transform" };
  return new Response(events, { headers: { ...type, ...headers } });
}
