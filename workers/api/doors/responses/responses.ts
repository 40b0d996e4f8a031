// OpenAI's Responses API: a response is one exchange of a session. What is stored is its id; deleting it forgets the id, not the turn.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import {
  type ResponseId,
  ResponseId as ResponseIdForm,
  type StoredResponse,
} from "../../../../core/schemas/stored-response.ts";
import type { ApiEnv } from "../../auth/principal.ts";
import { AppError } from "../../problems.ts";
import { createRouter, jsonBody, refuses } from "../../router.ts";
import type { TurnPlace } from "../contract.ts";
import { respondWithEvents, toEventStream } from "../event-stream.ts";
import { openNamed } from "../open-named.ts";
import { ANY_QUERY, DOOR_REFUSALS, OPENAI_ERROR_RESPONSE } from "../describe-door.ts";
import { readDoorHeaders } from "../read-headers.ts";
import { collectResponse, createResponseId, readResponse, streamResponse, toSseTexts } from "./answer-response.ts";
import { ResponsesBody, parseResponsesBody, toResponsesField } from "./request.ts";
import { askResponseDesk } from "./response-desk-rpc.ts";
import type { ResponseFrame } from "./response-object.ts";

export const responses = createRouter();

const OpenAiResponse = z.looseObject({ id: z.string(), object: z.literal("response"), status: z.string() });
const ResponseParams = z.object({ response: z.string() });
const Deleted = z.object({ id: z.string(), object: z.literal("response"), deleted: z.literal(true) });

responses.openapi(
  createRoute({
    method: "post",
    path: "/v1/responses",
    operationId: "createResponse",
    ...refuses(...DOOR_REFUSALS, "previous_not_found"),
    description:
      "OpenAI's Responses API. With `stream` the events of that API. The session by `previous_response_id`, `conversation`, " +
      "`X-Talaria-Session`, or by the messages sent before. Errors have OpenAI's form.",
    request: { query: ANY_QUERY, body: jsonBody(ResponsesBody) },
    responses: {
      200: {
        description: "The response, or with `stream` its events as server-sent events",
        content: { "application/json": { schema: OpenAiResponse }, "text/event-stream": { schema: z.string() } },
      },
      default: OPENAI_ERROR_RESPONSE,
    },
  }),
  async (c) => {
    const text = await c.req.text();
    const parsed = parseResponsesBody(JSON.parse(text));
    const previous = parsed.previous === null ? undefined : await findPrevious(c, parsed.previous);
    const { conversation, echo, told } = parsed;
    const request = {
      ...parsed.request,
      ...readDoorHeaders(c, text),
      ...(conversation !== undefined && { conversation }),
      // The ids of calls name their turn by themselves.
      ...(previous && parsed.request.messages[0]?.role !== "tool" && { previous }),
    };
    const turn = await openNamed(c, request, toResponsesField);
    const frame: ResponseFrame = { id: createResponseId(), createdAtMs: Date.now(), echo, told };
    const events = streamResponse(c, turn, frame);
    const headers = { "x-talaria-session": turn.session, "x-talaria-turn": `${turn.session}-${turn.turn}` };
    if (parsed.request.stream) return respondWithEvents(toEventStream(toSseTexts(events)), headers) as never;
    return c.json(await collectResponse(events), 200, headers) as never;
  },
);

responses.openapi(
  createRoute({
    method: "get",
    path: "/v1/responses/{response}",
    operationId: "readResponse",
    ...refuses("response_not_found"),
    description:
      "Reads a stored response from its session's log. `instructions`, `tools` and the form of the text are those of the request only " +
      "in the answer to it. Errors have OpenAI's form.",
    request: { params: ResponseParams, query: ANY_QUERY },
    responses: describeAnswer("The response", OpenAiResponse),
  }),
  async (c) => {
    if (c.req.query("stream") === "true") {
      throw new AppError("query_invalid", "A stored response is not streamed. Read it without `stream`.");
    }
    const stored = await findStored(c, c.req.valid("param").response);
    return c.json(await readOrMissing(c, stored), 200) as never;
  },
);

responses.openapi(
  createRoute({
    method: "delete",
    path: "/v1/responses/{response}",
    operationId: "deleteResponse",
    ...refuses("response_not_found"),
    description: "Forgets the id of a response. The turn stays in its session. Errors have OpenAI's form.",
    request: { params: ResponseParams, query: ANY_QUERY },
    responses: describeAnswer("Forgotten", Deleted),
  }),
  async (c) => {
    const id = readId(c.req.valid("param").response);
    if (!(await askResponseDesk(c.env, c.var.profile, (desk) => desk.remove(id)))) throw noResponse(id);
    return c.json({ id, object: "response" as const, deleted: true as const }, 200);
  },
);

function describeAnswer<Schema extends z.ZodType>(description: string, schema: Schema) {
  const good = { description, content: { "application/json": { schema } } };
  return { 200: good, default: OPENAI_ERROR_RESPONSE };
}

async function findPrevious(c: Context<ApiEnv>, id: ResponseId): Promise<TurnPlace> {
  const stored = await askResponseDesk(c.env, c.var.profile, (desk) => desk.find(id));
  if (stored) return { session: stored.session, turn: stored.turn };
  const detail = `Previous response '${id}' is not known. It was not stored, was deleted, or is older than 30 days.`;
  throw new AppError("previous_not_found", detail, {
    errors: [{ in: "json", path: "previous_response_id", message: "unknown" }],
  });
}

async function findStored(c: Context<ApiEnv>, given: string): Promise<StoredResponse> {
  const id = readId(given);
  const stored = await askResponseDesk(c.env, c.var.profile, (desk) => desk.find(id));
  if (!stored) throw noResponse(id);
  return stored;
}

/** The session may have been deleted since the row was read. */
async function readOrMissing(c: Context<ApiEnv>, stored: StoredResponse) {
  try {
    return await readResponse(c, stored);
  } catch (error) {
    if (error instanceof AppError && error.code === "session_not_found") throw noResponse(stored.id);
    throw error;
  }
}

function readId(given: string): ResponseId {
  const id = ResponseIdForm.safeParse(given);
  if (!id.success) throw noResponse(given.slice(0, 60));
  return id.data;
}

function noResponse(id: string): AppError {
  return new AppError(
    "response_not_found",
    `There is no response '${id}'. It was not stored, was deleted, or is older than 30 days.`,
  );
}
