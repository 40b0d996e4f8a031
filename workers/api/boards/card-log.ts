// What was said and done on a board: comments, runs, events, numbers.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import {
  AddComment,
  BoardStatsInfo,
  CardEventList,
  CardRunList,
  CommentList,
} from "../../../core/schemas/board/card-api.ts";
import type { CardRun } from "../../../core/schemas/board/card.ts";
import { CardComment } from "../../../core/schemas/board/log.ts";
import { ascending, pageQuery, toPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import { createRouter, describeResponses, jsonBody, numeric, refuses } from "../router.ts";
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
    const call = toCall(c.req.valid("header"));
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
    ...refuses("board_not_found"),
    description:
      "Lists what happened on the board, in order. `next` is always there unless the page is empty: ask again with it to hear what came since. " +
      "With `card`, of that card alone.",
    request: {
      params: BoardParams,
      query: z.strictObject({
        ...pageQuery(MAX_EVENTS, { usual: USUAL_EVENTS }),
        after: Position.optional().meta({ description: "`next` of the page before" }),
        card: CardParams.shape.card.optional(),
      }),
    },
    responses: describeResponses(200, "Events, oldest first", CardEventList),
  }),
  async (c) => {
    const { after = 0, limit, card } = c.req.valid("query");
    const page = { after, limit, ...(card !== undefined && { card }) };
    const events = unwrap(await openBoard(c, c.req.valid("param").board).events(page));
    return c.json({ events, ...(events.length > 0 && { next: String(events.at(-1)!.n) }) }, 200);
  },
);

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
