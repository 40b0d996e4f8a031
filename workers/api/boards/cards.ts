// The cards of a board: made, listed, read, changed and deleted. What is done with one is in card-actions.ts, what was said and done in card-log.ts.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import type { CardFilter } from "../../../core/board/contract.ts";
import { RoleName } from "../../../core/schemas/agenda/role.ts";
import { Card, CardStatus } from "../../../core/schemas/board/card.ts";
import { CardDetail, CardList, ChangeCard, CreateCard } from "../../../core/schemas/board/card-api.ts";
import { pageQuery } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import { Flag, PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, numeric, refuses } from "../router.ts";
import { BoardParams, CHANGE_REFUSALS, CardParams, OpHeader, openBoard, toCall } from "./open-board.ts";

export const cards = createRouter();

/** [hermes] */
const MAX_PAGE = 200;
const USUAL_PAGE = 50;

cards.openapi(
  createRoute({
    method: "get",
    path: "/v1/boards/{board}/cards",
    operationId: "listCards",
    ...refuses("board_not_found"),
    description:
      "Lists cards without their texts. Without `status`, those that are not archived. A page of a filtered list may be short, or empty, and " +
      "still have a `next`.",
    request: {
      params: BoardParams,
      query: z.strictObject({
        ...pageQuery(MAX_PAGE, { usual: USUAL_PAGE }),
        after: numeric(1, 999_999_999).optional().meta({ description: "`next` of the page before" }),
        status: CardStatus.optional(),
        role: RoleName.optional().meta({ description: "Assigned to this role" }),
        person: z.string().min(1).max(200).optional().meta({ description: "Assigned to this person" }),
        label: z.string().max(100).optional(),
        counts: Flag.meta({ description: "`1`: with the numbers of comments and of cards before and after each" }),
      }),
    },
    responses: describeResponses(200, "Cards, newest first", CardList),
  }),
  async (c) => {
    const { after, limit, status, role, person, label, counts } = c.req.valid("query");
    if (role !== undefined && person !== undefined) {
      throw new AppError("query_invalid", "A card has one assignee: give `role` or `person`, not both.");
    }
    const filter: CardFilter = {
      limit,
      counts,
      ...(after !== undefined && { before: after }),
      ...(status && { status }),
      ...(role !== undefined && { assignee: { role } }),
      ...(person !== undefined && { assignee: { person } }),
      ...(label !== undefined && { label }),
    };
    const { cards: page, next } = unwrap(await openBoard(c, c.req.valid("param").board).list(filter));
    return c.json({ cards: page, ...(next !== null && { next: String(next) }) }, 200);
  },
);

cards.openapi(
  createRoute({
    method: "post",
    path: "/v1/boards/{board}/cards",
    operationId: "createCard",
    ...refuses(...CHANGE_REFUSALS, "too_many_boards", "too_many_cards", "too_many_links", "parents_open"),
    description:
      "Makes a card. It is `ready` at once, or `todo` while one of its `parents` is not done. A ready card is worked on by a session of its own " +
      "as soon as a place is free: of its role, or of the profile itself if it has no assignee. A person's card is not, and one of a role that does " +
      "not exist waits. What you write on it is your own word to that session. The board `main` is made with its first card.",
    request: { params: BoardParams, headers: OpHeader, body: jsonBody(CreateCard) },
    responses: describeResponses(201, "The card, also after a repetition", Card),
  }),
  async (c) => {
    const { board } = c.req.valid("param");
    const { card } = unwrap(await openBoard(c, board).create(toCall(c, c.req.valid("json")), c.req.valid("json")));
    return c.json(card, 201, { location: `${c.req.path}/${card.id}` });
  },
);

cards.openapi(
  createRoute({
    method: "get",
    path: "/v1/boards/{board}/cards/{card}",
    operationId: "readCard",
    ...refuses("card_not_found", "board_not_found"),
    description: "Reads a card with what belongs to it: cards before and after it, comments, runs, attachments.",
    request: { params: CardParams },
    responses: describeResponses(200, "The card", CardDetail),
  }),
  async (c) => {
    const { board, card } = c.req.valid("param");
    return c.json(unwrap(await openBoard(c, board).show(card)), 200);
  },
);

cards.openapi(
  createRoute({
    method: "patch",
    path: "/v1/boards/{board}/cards/{card}",
    operationId: "changeCard",
    ...refuses(...CHANGE_REFUSALS, "bad_transition"),
    description: "Changes single fields of a card. A run that is open keeps what it began with.",
    request: { params: CardParams, headers: OpHeader, body: jsonBody(ChangeCard) },
    responses: describeResponses(200, "The card", Card),
  }),
  async (c) => {
    const { board, card } = c.req.valid("param");
    const call = toCall(c, c.req.valid("json"));
    return c.json(unwrap(await openBoard(c, board).update(call, card, c.req.valid("json"))).card, 200);
  },
);

cards.openapi(
  createRoute({
    method: "delete",
    path: "/v1/boards/{board}/cards/{card}",
    operationId: "deleteCard",
    ...refuses("card_not_found", "board_not_found", "profile_gone", "card_running"),
    description:
      "Deletes a card with its comments, runs and attachments, for good. Not while it is worked on: cancel it first. To keep it out of the lists, archive it instead.",
    request: { params: CardParams },
    responses: { 204: { description: "Deleted" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { board, card } = c.req.valid("param");
    unwrap(await openBoard(c, board).delete({ author: { by: "owner" } }, card));
    return c.body(null, 204);
  },
);
