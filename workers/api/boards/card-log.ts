// What was said and done on a board: comments, runs, events, numbers.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import {
  AddComment,
  BoardStatsInfo,
  CardEventList,
  CardRunList,
  CommentList,
} from "../../../core/schemas/board/card-api.ts";
import type { BoardName, CardId, CardRun } from "../../../core/schemas/board/card.ts";
import { CardComment } from "../../../core/schemas/board/log.ts";
import { toBoardHolder } from "../../../durable-objects/keys/key-sockets.ts";
import { answerProtocols, isUpgrade, noteSocket } from "../auth/note-socket.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { ascending, pageQuery, toPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import { createRouter, describeResponses, jsonBody, numeric, refuses } from "../router.ts";
import { unwrapResponse } from "../sessions/session-rpc.ts";
import { BoardParams, CHANGE_REFUSALS, CardParams, OpHeader, openBoard, toCall } from "./open-board.ts";

export const cardLog = createRouter();

const MAX_COMMENTS = 100;
const MAX_RUNS = 200;
const MAX_EVENTS = 500;
const USUAL_EVENTS = 100;
/** The number of a comment or an event. */
const Position = numeric(0, 999_999_999);

cardLog.openapi(
  createRoute({
    method: "get",
    path: "/v1/boards/{board}/cards/{card}/comments",
    operationId: "listComments",
    ...refuses("card_not_found", "board_not_found"),
    description: "Lists what was said on a card.",
    request: { params: CardParams, query: z.strictObject(pageQuery(MAX_COMMENTS, { after: Position })) },
    responses: describeResponses(200, "Comments, oldest first", CommentList),
  }),
  async (c) => {
    const { board, card } = c.req.valid("param");
    const { after = 0, limit } = c.req.valid("query");
    const calls = openBoard(c, board);
    const found = unwrap(await calls.comments(card, after));
    if (found.length === 0) unwrap(await calls.show(card));
    const page = found.slice(0, limit);
    const isMore = found.length > limit || found.length === MAX_COMMENTS;
    return c.json({ comments: page, ...(isMore && { next: String(page.at(-1)!.n) }) }, 200);
  },
);

cardLog.openapi(
  createRoute({
    method: "post",
    path: "/v1/boards/{board}/cards/{card}/comments",
    operationId: "addComment",
    ...refuses(...CHANGE_REFUSALS, "too_many_comments"),
    description: "Says something on a card. Who works on it next reads it as your word.",
    request: { params: CardParams, headers: OpHeader, body: jsonBody(AddComment) },
    responses: describeResponses(201, "The comment", CardComment),
  }),
  async (c) => {
    const { board, card } = c.req.valid("param");
    const call = toCall(c, c.req.valid("json"));
    const said = unwrap(await openBoard(c, board).comment(call, card, c.req.valid("json").text));
    return c.json(said.comment, 201);
  },
);

cardLog.openapi(
  createRoute({
    method: "get",
    path: "/v1/boards/{board}/cards/{card}/runs",
    operationId: "listCardRuns",
    ...refuses("card_not_found", "board_not_found"),
    description:
      "Lists how often a card was worked on, by which session, and how that ended. A session may have been deleted since.",
    request: { params: CardParams, query: z.strictObject(pageQuery(MAX_RUNS)) },
    responses: describeResponses(200, "Runs, oldest first", CardRunList),
  }),
  async (c) => {
    const { board, card } = c.req.valid("param");
    const calls = openBoard(c, board);
    const runs = unwrap(await calls.runs(card));
    if (runs.length === 0) unwrap(await calls.show(card));
    const sortKey = ({ startedAt, id }: CardRun) => `${ascending(startedAt)}.${id}`;
    const sorted = runs.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
    const { page, ...next } = toPage(sorted, { ...c.req.valid("query"), sortKey });
    return c.json({ runs: page, ...next }, 200);
  },
);

cardLog.openapi(
  createRoute({
    method: "get",
    path: "/v1/boards/{board}/events",
    operationId: "listBoardEvents",
    ...refuses("board_not_found", "upgrade_required", "too_many_readers"),
    description:
      "Lists what happened on the board, in order. `next` is always there unless the page is empty: ask again with it to hear what came since. " +
      "With `card`, of that card alone. " +
      "As a WebSocket upgrade, it sends the same events as they happen, one JSON object each: first those after the number `after`, then new ones; " +
      "without `after` only new ones. `ping` is answered with `pong`; any other message closes the socket with 4400. After a close with 4001, " +
      "connect again with the `n` of the last event; 4003 means that the key or the sign-in has ended, 4404 that the board was deleted. A client that " +
      "cannot send headers offers the protocols `talaria.v1` and `bearer.<key>`.",
    request: {
      params: BoardParams,
      query: z.strictObject({
        ...pageQuery(MAX_EVENTS, { usual: USUAL_EVENTS }),
        after: Position.optional().meta({ description: "`next` of the page before" }),
        card: CardParams.shape.card.optional(),
      }),
    },
    responses: {
      101: { description: "The connection" },
      ...describeResponses(200, "Events, oldest first", CardEventList),
    },
  }),
  async (c) => {
    if (isUpgrade(c)) return watchBoard(c, c.req.valid("param").board, c.req.valid("query"));
    const { after = 0, limit, card } = c.req.valid("query");
    const page = { after, limit, ...(card !== undefined && { card }) };
    const events = unwrap(await openBoard(c, c.req.valid("param").board).events(page));
    return c.json({ events, ...(events.length > 0 && { next: String(events.at(-1)!.n) }) }, 200);
  },
);

/** The Board object accepts the WebSocket, which may stay open while it hibernates. */
async function watchBoard(
  c: Context<ApiEnv>,
  board: BoardName,
  { after, card }: { after?: number | undefined; card?: CardId | undefined },
): Promise<Response> {
  const headers = answerProtocols(c);
  unwrap(await openBoard(c, board).events({ after: 0, limit: 1 })); // nothing is noted of a board that does not exist
  // A new request without the client's headers, above all without the key.
  const url = new URL("https://board/events");
  if (after !== undefined) url.searchParams.set("after", String(after));
  if (card !== undefined) url.searchParams.set("card", card);
  url.searchParams.set("owner", await noteSocket(c, toBoardHolder(board)));
  const object = c.env.BOARD.getByName(`${c.var.profile}/${board}`);
  const answer = await unwrapResponse(await object.fetch(new Request(url, { headers: { upgrade: "websocket" } })));
  return new Response(null, { status: 101, webSocket: answer.webSocket, headers });
}

cardLog.openapi(
  createRoute({
    method: "get",
    path: "/v1/boards/{board}/stats",
    operationId: "readBoardStats",
    ...refuses("board_not_found"),
    description: "Counts the board's cards by status and by assignee.",
    request: { params: BoardParams },
    responses: describeResponses(200, "The numbers", BoardStatsInfo),
  }),
  async (c) => c.json(unwrap(await openBoard(c, c.req.valid("param").board).stats()), 200),
);
