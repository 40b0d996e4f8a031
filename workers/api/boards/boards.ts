// The boards of a profile: made, listed and erased. Their cards are in cards.ts. The profile's Agenda keeps the list.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { BoardInfo, BoardInfoList } from "../../../core/schemas/board/board-api.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { pageQuery, toSortedPage } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import { BoardParams } from "./open-board.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, refuses } from "../router.ts";
import { addBoard, openAgenda } from "./open-agenda.ts";

export const boards = createRouter();

boards.openapi(
  createRoute({
    method: "get",
    path: "/v1/boards",
    operationId: "listBoards",
    description: "Lists the profile's boards, at most 20.",
    request: { query: z.strictObject(pageQuery(100)) },
    responses: describeResponses(200, "Boards, by name", BoardInfoList),
  }),
  async (c) => {
    const sortKey = ({ name }: BoardInfo) => name;
    const { page, ...next } = toSortedPage(await openAgenda(c).listBoards(), { ...c.req.valid("query"), sortKey });
    return c.json({ boards: page, ...next }, 200);
  },
);

boards.openapi(
  createRoute({
    method: "put",
    path: "/v1/boards/{board}",
    operationId: "putBoard",
    ...refuses("too_many_boards", "profile_gone"),
    description:
      "Makes a board. One that exists stays as it is. From then on the agent has the tool `board` in the profile's chats, and cards that are " +
      "ready are worked on, unless they are a person's.",
    request: { params: BoardParams },
    responses: describeResponses(200, "The board", BoardInfo),
  }),
  async (c) => {
    const { board: name } = c.req.valid("param");
    unwrap(await addBoard(c, name));
    const made = (await openAgenda(c).listBoards()).find((board) => board.name === name);
    if (!made) throw new AppError("profile_gone", "This profile has been deleted.");
    return c.json(made, 200);
  },
);

boards.openapi(
  createRoute({
    method: "delete",
    path: "/v1/boards/{board}",
    operationId: "deleteBoard",
    scope: "admin",
    ...refuses("board_not_found"),
    description:
      "Erases a board with its cards, comments, runs and attachments, and stops the runs that are open. The sessions of its runs stay. This " +
      "cannot be undone.",
    request: { params: BoardParams },
    responses: { 204: { description: "Erased" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { board: name } = c.req.valid("param");
    const agenda = openAgenda(c);
    const known = (await agenda.listBoards()).some((board) => board.name === name);
    if (!known) throw new AppError("board_not_found", describeMissingBoard(name));
    await agenda.removeBoard(name);
    forgetAcceptedKeys(c.var.profile);
    return c.body(null, 204);
  },
);

export function describeMissingBoard(name: string): string {
  return `There is no board '${name}'. Make it with PUT /v1/boards/${name}, or list the boards with GET /v1/boards.`;
}
