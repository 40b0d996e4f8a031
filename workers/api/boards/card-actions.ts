// What is done with a card, a route an action: POST /v1/boards/{board}/cards/{card}/{action}; and which cards come before it.
import { createRoute } from "@hono/zod-openapi";
import type * as z from "zod";
import type { BoardCalls } from "../../../core/board/board-calls.ts";
import type { Call, Changed } from "../../../core/board/contract.ts";
import type { Result } from "../../../core/errors.ts";
import { type ActionFacts, CARD_ACTIONS, type CardAction } from "../../../core/schemas/board/card-api.ts";
import { Card, CardId } from "../../../core/schemas/board/card.ts";
import { performAction } from "../../../core/board/perform-action.ts";
import { type ProblemCode, unwrap } from "../problems.ts";
import { createRouter, describeResponses, optionalJsonBody, jsonBody, refuses } from "../router.ts";
import { CHANGE_REFUSALS, CardParams, OpHeader, openBoard, toCall } from "./open-board.ts";

export const cardActions = createRouter();

interface ActionRoute {
  operationId: string;
  description: string;
  /** Beside those of every change. */
  refusals: ProblemCode[];
}

const PLAN_REFUSALS = [
  ...(["card_changed", "plan_failed", "plan_unreadable", "profile_budget_spent"] as const),
] satisfies ProblemCode[];

const ROUTES: Record<CardAction, ActionRoute> = {
  assign: {
    operationId: "assignCard",
    description:
      "Gives a card to a role or a person, or to nobody. Earlier failures are forgotten. Not while it is worked on.",
    refusals: ["card_running"],
  },
  move: {
    operationId: "moveCard",
    description:
      "Brings a card into a status by the operation that leads there, if there is one. `reason`, `summary` and `notBefore` are what that operation asks for.",
    refusals: ["bad_transition", "parents_open", "card_running", "no_open_parent", "not_in_review"],
  },
  promote: {
    operationId: "promoteCard",
    description:
      "Takes a card out of triage, the schedule or a block, so that it is worked on when its parents are done.",
    refusals: ["bad_transition", "parents_open"],
  },
  start: {
    operationId: "startCard",
    description: "Begins the work on a card yourself. Your claim holds a day; nobody else works on it meanwhile.",
    refusals: ["bad_transition", "parents_open", "card_running"],
  },
  complete: {
    operationId: "completeCard",
    description: "Says that a card is done. A session that works on it is stopped.",
    refusals: ["bad_transition", "parents_open", "card_running", "unknown_cards"],
  },
  block: {
    operationId: "blockCard",
    description:
      "Says why a card cannot go on. `dependency`: it waits for a card that is linked already, and becomes `todo`. `transient`: it is tried again " +
      "after a while. The same kind again and again sends the card to triage.",
    refusals: ["bad_transition", "card_running", "no_open_parent"],
  },
  unblock: {
    operationId: "unblockCard",
    description: "Lets a blocked card go on.",
    refusals: ["bad_transition"],
  },
  "request-review": {
    operationId: "requestCardReview",
    description: "Says that the work of a card is ready to be judged: by the reviewer, or by a person.",
    refusals: ["bad_transition", "card_running"],
  },
  "request-changes": {
    operationId: "requestCardChanges",
    description: "Gives a card in review back to who did the work, with what is wrong.",
    refusals: ["bad_transition", "card_running", "not_in_review"],
  },
  heartbeat: {
    operationId: "heartbeatCard",
    description: "Says that the work goes on, and holds the claim longer.",
    refusals: ["bad_transition", "card_running"],
  },
  reclaim: {
    operationId: "reclaimCard",
    description: "Takes a card from the session that works on it, and stops that. It counts as no failure.",
    refusals: ["bad_transition"],
  },
  cancel: {
    operationId: "cancelCard",
    description: "Archives a card with a reason, and stops a session that works on it.",
    refusals: ["bad_transition"],
  },
  archive: {
    operationId: "archiveCard",
    description: "Takes a card off the board. Its events and runs are kept for 30 days.",
    refusals: ["bad_transition"],
  },
  specify: {
    operationId: "specifyCard",
    description:
      "Has a model write a rough card of triage (or todo) so that somebody else can work on it: title, text, acceptance, priority. The card leaves " +
      "triage. Your own words stay on it as `asked`; what the model wrote is not your word. Takes seconds, and costs model calls.",
    refusals: ["bad_transition", ...PLAN_REFUSALS],
  },
  decompose: {
    operationId: "decomposeCard",
    description:
      "Has a model divide a card of triage (or todo) into at most 12 cards with roles and an order. All of them come before the card, which is worked " +
      "on last, to judge the whole. A card is divided once: again, nothing changes. Takes seconds, and costs model calls.",
    refusals: ["bad_transition", "too_many_cards", "too_many_links", ...PLAN_REFUSALS],
  },
};

for (const action of Object.keys(ROUTES) as CardAction[]) registerAction(action, ROUTES[action]);

function registerAction(action: CardAction, { operationId, description, refusals }: ActionRoute): void {
  const form: z.ZodType<ActionFacts<CardAction>> = CARD_ACTIONS[action];
  const needsBody = !CARD_ACTIONS[action].safeParse({}).success;
  cardActions.openapi(
    createRoute({
      method: "post",
      path: `/v1/boards/{board}/cards/{card}/${action}`,
      operationId,
      ...refuses(...CHANGE_REFUSALS, ...refusals),
      description,
      request: {
        params: CardParams,
        headers: OpHeader,
        body: needsBody ? jsonBody(form) : optionalJsonBody(form),
      },
      responses: describeResponses(200, "The card", Card),
    }),
    async (c) => {
      const { board, card } = c.req.valid("param");
      const call = toCall(c, c.req.valid("json"));
      const facts = { action, ...c.req.valid("json") } as Parameters<typeof performAction>[3];
      return c.json(unwrap(await performAction(openBoard(c, board), call, card, facts)).card, 200);
    },
  );
}

const ParentParams = CardParams.extend({ parent: CardId });

registerLink("put", {
  operationId: "linkCard",
  description:
    "Says that a card waits for another one, its parent. A child that was ready becomes `todo`. A circle is refused.",
  refusals: ["link_cycle", "too_many_links", "bad_transition"],
  change: (board, call, link) => board.link(call, link),
});
registerLink("delete", {
  operationId: "unlinkCard",
  description: "Says that a card no longer waits for another one. Without such a link nothing changes.",
  refusals: [],
  change: (board, call, link) => board.unlink(call, link),
});

interface LinkRoute extends ActionRoute {
  change(board: BoardCalls, call: Call, link: { parent: CardId; child: CardId }): Promise<Result<Changed>>;
}

function registerLink(method: "put" | "delete", { operationId, description, refusals, change }: LinkRoute): void {
  cardActions.openapi(
    createRoute({
      method,
      path: "/v1/boards/{board}/cards/{card}/parents/{parent}",
      operationId,
      ...refuses(...CHANGE_REFUSALS, ...refusals),
      description,
      request: { params: ParentParams, headers: OpHeader },
      responses: describeResponses(200, "The card that waits, or waited", Card),
    }),
    async (c) => {
      const { board, card, parent } = c.req.valid("param");
      const call = toCall(c);
      return c.json(unwrap(await change(openBoard(c, board), call, { parent, child: card })).card, 200);
    },
  );
}
