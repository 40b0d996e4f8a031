// The API of a board's cards: /v1/boards/{board}/cards…, and what the board's tools and commands take. Forms only.
import * as z from "zod";
import {
  Assignee,
  BlockKind,
  Card,
  CardEvent,
  CardId,
  CardRun,
  CardStatus,
  MAX_REASON_CHARS,
  MAX_SUMMARY_CHARS,
} from "./card.ts";
import { CardAttachment, CardComment } from "./log.ts";
import { SkillName } from "../ids.ts";

const { body, priority, label, limits } = Card.shape;
const EMPTY = "it is empty";
const title = z
  .string()
  .trim()
  .min(1, EMPTY)
  .max(300)
  .regex(/^[^\r\n]*$/, "it is one line")
  .meta({ description: "One line" });
const Reason = z.string().trim().min(1, EMPTY).max(MAX_REASON_CHARS);
const Summary = z.string().trim().min(1, EMPTY).max(MAX_SUMMARY_CHARS);
const notBefore = Card.shape.notBefore.meta({ description: "Milliseconds since 1970: not worked on before" });
const skills = z.array(SkillName).max(20).meta({ description: "Loaded at the start of its runs" });

export const CreateCard = z.strictObject({
  title,
  body: body.optional().meta({ description: "Markdown" }),
  assignee: Assignee.nullable()
    .optional()
    .meta({ description: "A role of the profile, or a person, who is never dispatched" }),
  priority: priority.optional().meta({ description: "Higher first; 0 without it" }),
  label: label.optional(),
  parents: z.array(CardId).max(100).optional().meta({ description: "Cards that must be done first" }),
  triage: z.boolean().optional().meta({ description: "It waits until somebody specifies, decomposes or promotes it" }),
  notBefore: notBefore.optional(),
  block: z.strictObject({ kind: BlockKind.exclude(["dependency"]), reason: Reason }).optional(),
  start: z.boolean().optional().meta({ description: "You work on it yourself, from now on" }),
  limits: limits.optional(),
  skills: skills.optional(),
  key: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: "A card with the same key that is not archived is answered in its place" }),
});
export type CreateCard = z.infer<typeof CreateCard>;

export const ChangeCard = z.strictObject({
  title: title.optional(),
  body: body.optional(),
  priority: priority.optional(),
  label: label.optional(),
  notBefore: notBefore.optional(),
  limits: limits.optional(),
  skills: skills.optional(),
});
export type ChangeCard = z.infer<typeof ChangeCard>;

/** The body of `POST …/cards/{card}/{action}`, by the action. */
export const CARD_ACTIONS = {
  assign: z.strictObject({ assignee: Assignee.nullable() }),
  move: z.strictObject({
    to: CardStatus,
    reason: Reason.optional(),
    summary: Summary.optional(),
    notBefore: z.int("a time such as 2026-12-24T18:00, as milliseconds since 1970").optional(),
  }),
  promote: z.strictObject({}),
  start: z.strictObject({}),
  complete: z.strictObject({
    summary: Summary,
    children: z
      .array(CardId)
      .max(100)
      .optional()
      .meta({ description: "Cards that the work has made. Each must exist" }),
  }),
  block: z.strictObject({ kind: BlockKind, reason: Reason }),
  unblock: z.strictObject({}),
  "request-review": z.strictObject({
    summary: Summary,
    reviewer: Assignee.nullable().optional().meta({ description: "Absent: a person" }),
  }),
  "request-changes": z.strictObject({ reason: Reason }),
  heartbeat: z.strictObject({ note: z.string().max(2_000).optional() }),
  reclaim: z.strictObject({ reason: Reason.optional() }),
  cancel: z.strictObject({ reason: Reason }),
  archive: z.strictObject({}),
  specify: z.strictObject({}),
  decompose: z.strictObject({}),
} as const;
export type CardAction = keyof typeof CARD_ACTIONS;
export type ActionFacts<Action extends CardAction> = z.infer<(typeof CARD_ACTIONS)[Action]>;

/** What belongs to a card. Comments are counted to 100. */
export const CardCounts = z.object({
  comments: z.int().min(0),
  parents: z.int().min(0).meta({ description: "Cards that come before it" }),
  parentsDone: z.int().min(0).meta({ description: "Of those: done or archived" }),
  children: z.int().min(0).meta({ description: "Cards that come after it" }),
  childrenDone: z.int().min(0),
});
export type CardCounts = z.infer<typeof CardCounts>;

/** A card without its text. */
export const CardLine = Card.omit({ body: true, asked: true }).extend({
  counts: CardCounts.optional().meta({ description: "Where the request asked for `counts`" }),
});
export type CardLine = z.infer<typeof CardLine>;

export const CardList = z.object({ cards: z.array(CardLine), next: z.string().optional() });
export type CardList = z.infer<typeof CardList>;

const LinkedCard = z.object({ id: CardId, title: z.string(), status: CardStatus, summary: z.string().nullable() });

export const CardDetail = z.object({
  card: Card,
  isOwners: z
    .boolean()
    .meta({ description: "Nobody but you wrote its title, body and skills: they are your own word" }),
  parents: z.array(LinkedCard),
  children: z.array(LinkedCard),
  comments: z.array(CardComment).meta({ description: "The newest 30, and of yours the newest 30, oldest first" }),
  runs: z.array(CardRun).meta({ description: "The newest 10, oldest first" }),
  attachments: z.array(CardAttachment),
  implementer: Assignee.nullable().meta({ description: "Who did the work of a card that is or was in review" }),
});
export type CardDetail = z.infer<typeof CardDetail>;

export const AddComment = z.strictObject({ text: z.string().trim().min(1, EMPTY).max(16_000) });
export const CommentList = z.object({ comments: z.array(CardComment), next: z.string().optional() });
export const CardRunList = z.object({ runs: z.array(CardRun), next: z.string().optional() });
export const CardEventList = z.object({
  events: z.array(CardEvent),
  next: z.string().optional().meta({ description: "The last event's number. Absent: there were no events" }),
});
export type CardEventList = z.infer<typeof CardEventList>;

export const BoardStatsInfo = z.object({
  byStatus: z.record(CardStatus, z.int()),
  byAssignee: z.array(z.object({ assignee: Assignee.nullable(), status: CardStatus, cards: z.int() })),
  oldestReadyAt: z.int().nullable(),
});
export type BoardStatsInfo = z.infer<typeof BoardStatsInfo>;
