// POST /v1/chat/completions: the profile's agent as a model of OpenAI's API. Parses, opens the turn and renders it.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { createRouter, jsonBody, refuses } from "../../router.ts";
import { DOOR_REFUSALS, OPENAI_ERROR_RESPONSE } from "../describe-door.ts";
import { createStatsReader } from "../door-stats.ts";
import { respondWithEvents, toEventStream } from "../event-stream.ts";
import { openNamed } from "../open-named.ts";
import { readPieces } from "../pieces.ts";
import { readDoorHeaders } from "../read-headers.ts";
import { toErrorAnswer, toErrorBody, toTurnError } from "../shape-problem.ts";
import { type ChatHost, type StreamedChunk, collectCompletion, renderChunks } from "./render.ts";
import { parseChatBody, toChatField } from "./request.ts";

export const chatCompletions = createRouter();

const Completion = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  choices: z.array(z.unknown()),
});

chatCompletions.openapi(
  createRoute({
    method: "post",
    path: "/v1/chat/completions",
    operationId: "createChatCompletion",
    ...refuses(...DOOR_REFUSALS),
    description:
      "OpenAI's Chat Completions, answered by the profile's agent: the model `talaria`, or one that `GET /v1/models` lists. A client that " +
      "sends its whole history goes on in one session; one that changes its history branches it. Refusals have OpenAI's form.",
    request: {
      body: jsonBody(
        z.looseObject({
          model: z.unknown().optional(),
          messages: z.unknown().optional(),
          stream: z.unknown().optional(),
        }),
      ),
    },
    responses: {
      200: {
        description: "The completion, or with `stream` its chunks as server-sent events",
        content: { "application/json": { schema: Completion }, "text/event-stream": { schema: z.string() } },
      },
      default: OPENAI_ERROR_RESPONSE,
    },
  }),
  async (c) => {
    const body = await c.req.text();
    const { model, includeUsage, request } = parseChatBody(JSON.parse(body) as unknown);
    const turn = await openNamed(c, { ...request, ...readDoorHeaders(c, body) }, toChatField);
    const host: ChatHost = {
      frame: { id: `chatcmpl-${turn.session}-${turn.turn}`, model, created: Math.floor(Date.now() / 1_000) },
      readStats: createStatsReader(c.env, c.var.profile, turn),
    };
    const headers = { "x-talaria-session": turn.session, "x-talaria-turn": `${turn.session}-${turn.turn}` };
    const pieces = readPieces(turn.events, turn);
    if (request.stream) {
      const chunks = renderChunks(pieces, { ...host, includeUsage });
      return respondWithEvents(toEventStream(encode(chunks)), headers) as never;
    }
    const completion = await collectCompletion(pieces, host);
    if (!("how" in completion)) return c.json(completion, 200, headers);
    const failed = toErrorAnswer("openai", toTurnError(completion));
    for (const [name, value] of Object.entries(headers)) failed.headers.set(name, value);
    return failed as never;
  },
);

async function* encode(chunks: AsyncIterable<StreamedChunk>): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    const data = "failed" in chunk ? toErrorBody("openai", toTurnError(chunk.failed), "") : chunk;
    yield `data: ${JSON.stringify(data)}\n\n`;
  }
  yield "data: [DONE]\n\n";
}
