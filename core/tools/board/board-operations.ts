// The operations of the tool `board`: for each the form of its facts and what it does. What is done with a card has its rows in the table of
// actions (core/schemas/board/card-api.ts), which the API, `/board` and `talaria board` read too.
import * as z from "zod";
import type { ToolResult } from "../../agent/contract.ts";
import { succeed } from "../../agent/tool-result.ts";
import type { Changed } from "../../board/contract.ts";
import { type ActionAsked, performAction } from "../../board/perform-action.ts";
import { type Result, ok } from "../../errors.ts";
import { AddComment, CARD_ACTIONS, type CardAction, ChangeCard, CreateCard } from "../../schemas/board/card-api.ts";
import { Assignee, CardId, CardStatus } from "../../schemas/board/card.ts";
import { AttachmentName } from "../../schemas/board/log.ts";
import { attach, readAttachment } from "./attachments.ts";
import type { BoardCall } from "./board-call.ts";
import { showCard, showCards, showChange, showEvents, showStats } from "./show-board.ts";

export interface OperationRow {
  form: z.ZodObject;
  /** Whether it is about one card. `some`: it may be. */
  card: "needed" | "some" | "none";
  /** Changes nothing. */
  reads?: true;
  run(facts: unknown, about: BoardCall): Promise<Result<ToolResult>>;
}

/** [hermes] */
const MAX_PAGE = 200;
const MAX_EVENTS = 500;
const USUAL_EVENTS = 100;
const Nothing = z.strictObject({});
const Link = z.strictObject({ parent: CardId });

/** `delete` is not among them: only a person deletes. */
const OWN_OPERATIONS = {
  create: row(CreateCard.omit({ block: true, limits: true }), "none", async (facts, { board, call }) => {
    const made = await board.create(call, facts);
    return made.ok
      ? ok(showChange("create", made.value, { existing: facts.key !== undefined && made.value.replayed }))
      : made;
  }),
  show: reading(Nothing, "needed", async (_, { board, card }) => toResult(await board.show(card), showCard)),
  list: reading(
    z.strictObject({
      status: CardStatus.optional(),
      assignee: Assignee.optional(),
      label: z.string().optional(),
      before: z.int().optional(),
      limit: z.int().min(1).max(MAX_PAGE).optional(),
    }),
    "none",
    async ({ assignee, ...filter }, { board }) =>
      toResult(await board.list({ ...withoutAbsent(filter), ...(assignee && { assignee }) }), showCards),
  ),
  update: row(ChangeCard.omit({ limits: true }), "needed", async (facts, { board, call, card }) =>
    toChange("update", await board.update(call, card, withoutAbsent(facts))),
  ),
  comment: row(AddComment, "needed", async ({ text }, { board, call, card }) =>
    toResult(await board.comment(call, card, text), ({ comment }) =>
      succeed({ done: "comment", card, comment: comment.n }),
    ),
  ),
  link: row(Link, "needed", async ({ parent }, { board, call, card }) =>
    toChange("link", await board.link(call, { parent, child: card })),
  ),
  unlink: row(Link, "needed", async ({ parent }, { board, call, card }) =>
    toChange("unlink", await board.unlink(call, { parent, child: card })),
  ),
  attach: row(
    z.strictObject({ path: z.string().optional(), name: AttachmentName.optional(), text: z.string().optional() }),
    "needed",
    attach,
  ),
  "read-attachment": reading(
    z.strictObject({ name: AttachmentName, path: z.string().optional() }),
    "needed",
    readAttachment,
  ),
  watch: reading(
    z.strictObject({ after: z.int().optional(), limit: z.int().min(1).max(MAX_EVENTS).optional() }),
    "some",
    async ({ after = 0, limit = USUAL_EVENTS }, { board, card }) => {
      const events = await board.events({ after, limit, ...(card !== undefined && { card }) });
      return toResult(events, (found) => showEvents(found, after));
    },
  ),
  stats: reading(Nothing, "none", async (_, { board }) => toResult(await board.stats(), showStats)),
} satisfies Record<string, OperationRow>;

const actions = Object.keys(CARD_ACTIONS) as CardAction[];

export type OperationName = keyof typeof OWN_OPERATIONS | CardAction;
export const OPERATIONS: Record<OperationName, OperationRow> = {
  ...OWN_OPERATIONS,
  ...(Object.fromEntries(actions.map((action) => [action, toRow(action)])) as Record<CardAction, OperationRow>),
};

function toRow(action: CardAction): OperationRow {
  return row<z.ZodObject>(CARD_ACTIONS[action], "needed", async (facts, { board, call, card }) =>
    toChange(action, await performAction(board, call, card, { action, ...facts } as ActionAsked)),
  );
}

function row<Form extends z.ZodObject>(
  form: Form,
  card: OperationRow["card"],
  run: (facts: z.infer<Form>, about: BoardCall) => Promise<Result<ToolResult>>,
): OperationRow {
  return { form, card, run: (facts, about) => run(facts as z.infer<Form>, about) };
}
function reading<Form extends z.ZodObject>(...given: Parameters<typeof row<Form>>): OperationRow {
  return { ...row(...given), reads: true };
}

function toChange(done: string, changed: Result<Changed>): Result<ToolResult> {
  return toResult(changed, (value) => showChange(done, value));
}

function toResult<T>(answer: Result<T>, show: (value: T) => ToolResult): Result<ToolResult> {
  return answer.ok ? ok(show(answer.value)) : answer;
}

/** A field that is `undefined` is not one that was given. */
function withoutAbsent<T extends object>(fields: T): { [Field in keyof T]: Exclude<T[Field], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
