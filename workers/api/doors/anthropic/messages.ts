// Anthropic's Messages API: the whole conversation comes with each request, and the answer is one message. Errors have Anthropic's form.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { ulid } from "ulid";
import { createRouter, jsonBody, refuses } from "../../router.ts";
import { createStatsReader } from "../door-stats.ts";
import { respondWithEvents, toEventStream, toSse } from "../event-stream.ts";
import { openNamed } from "../open-named.ts";
import { readPieces } from "../pieces.ts";
import { readDoorHeaders } from "../read-headers.ts";
import { ANTHROPIC_ERROR_RESPONSE, ANY_QUERY, DOOR_REFUSALS } from "../describe-door.ts";
import { toErrorAnswer, toErrorBody, toTurnError } from "../shape-problem.ts";
import { type StreamedEvent, collectMessage, renderMessageEvents } from "./render.ts";
import { CountBody, MessagesBody, countTokens, parseMessagesBody, toMessagesField } from "./request.ts";

export const anthropicMessages = createRouter();

const Message = z.looseObject({ id: z.string(), type: z.literal("message"), role: z.literal("assistant") });
const Count = z.object({ input_tokens: z.int() });
const PING = toSse("ping", { type: "ping" });

anthropicMessages.openapi(
  createRoute({
    method: "post",
    path: "/v1/messages",
    operationId: "createMessage",
    ...refuses(...DOOR_REFUSALS),
    description:
      "Anthropic's Messages API, with the key as `x-api-key` or as Bearer. With `stream` the events of that API. The session by " +
      "`X-Talaria-Session`, else by the messages sent before. Errors have Anthropic's form.",
    request: { query: ANY_QUERY, body: jsonBody(MessagesBody) },
    responses: {
      200: {
        description: "The message, or with `stream` its events as server-sent events",
        content: { "application/json": { schema: Message }, "text/event-stream": { schema: z.string() } },
      },
      default: ANTHROPIC_ERROR_RESPONSE,
    },
  }),
  async (c) => {
    const text = await c.req.text();
    const { model, request } = parseMessagesBody(JSON.parse(text));
    const turn = await openNamed(c, { ...request, ...readDoorHeaders(c, text) }, toMessagesField);
    const requestId = `req_${ulid()}`;
    const headers = {
      ...{ "x-talaria-session": turn.session, "x-talaria-turn": `${turn.session}-${turn.turn}` },
      "request-id": requestId,
    };
    const frame = { id: `msg_${crypto.randomUUID().replaceAll("-", "")}`, model };
    const host = { frame, readStats: createStatsReader(c.env, c.var.profile, turn) };
    const pieces = readPieces(turn.events, turn);
    if (request.stream) {
      const texts = toSseTexts(renderMessageEvents(pieces, host), requestId);
      return respondWithEvents(toEventStream(texts, PING), headers) as never;
    }
    const message = await collectMessage(pieces, host);
    if ("how" in message) return toErrorAnswer("anthropic", toTurnError(message), requestId) as never;
    return c.json(message, 200, headers) as never;
  },
);

anthropicMessages.openapi(
  createRoute({
    method: "post",
    path: "/v1/messages/count_tokens",
    operationId: "countMessageTokens",
    scope: "read",
    description:
      "Estimates the tokens of what the client sends. The agent's own prompt and tools are not counted. Errors have Anthropic's form.",
    request: { query: ANY_QUERY, body: jsonBody(CountBody) },
    responses: {
      200: { description: "The estimate", content: { "application/json": { schema: Count } } },
      default: ANTHROPIC_ERROR_RESPONSE,
    },
  }),
  async (c) => c.json({ input_tokens: countTokens(await c.req.json()) }, 200),
);

async function* toSseTexts(events: AsyncIterable<StreamedEvent>, requestId: string): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type === "failed") yield toSse("error", toErrorBody("anthropic", toTurnError(event.end), requestId));
    else yield toSse(event.type, event);
  }
}
