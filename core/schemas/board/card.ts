// Cards of a board: what is stored and what the API shows. Forms only. A stored form: for a change, raise `v`.
import * as z from "zod";
import { RoleName } from "../agenda/role.ts";
import { SessionId, TurnId } from "../ids.ts";

/** Part of the address `/v1/boards/{board}`. [hermes] */
export const BoardName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "1 to 64 characters: a-z, 0-9, - and _, beginning with a letter or digit");
export type BoardName = z.infer<typeof BoardName>;

/** The board that is meant where none is named. */
export const DEFAULT_BOARD: BoardName = "main";

/** `c` and 12 letters and digits, unique in its board, never used again. */
export const CardId = z
  .string()
  .regex(/^c[0-9a-hjkmnp-tv-z]{12}$/, "a card id is c and 12 lower-case base32 characters");
export type CardId = z.infer<typeof CardId>;

/** Names one run of a card, and is its fencing token: a write of an older run is refused. */
export const RunId = z.string().regex(/^r[0-9a-hjkmnp-tv-z]{12}$/, "a run id is r and 12 lower-case base32 characters");
export type RunId = z.infer<typeof RunId>;

export const CardStatus = z.enum([
  "triage",
  "todo",
  "scheduled",
  "ready",
  "running",
  "blocked",
  "review",
  "done",
  "archived",
]);
export type CardStatus = z.infer<typeof CardStatus>;

/** Why a card waits for somebody. `dependency`: for another card, which is no block: the card is `todo`. [hermes] */
export const BlockKind = z.enum(
  ["dependency", "needs_input", "capability", "transient"],
  "one of needs_input, capability, transient, dependency",
);
export type BlockKind = z.infer<typeof BlockKind>;

/** How a run ended. [hermes] */
export const RunOutcome = z.enum([
  "completed",
  "blocked",
  "crashed",
  "timed_out",
  "spawn_failed",
  "gave_up",
  "reclaimed",
  "review_requested",
  "changes_requested",
  "rate_limited",
  "cancelled",
]);
export type RunOutcome = z.infer<typeof RunOutcome>;

/**
 * Who wrote or did something. `owner`: a holder of a key of the profile, whose words are `principal`. `person`: another person, of a channel.
 * `agent`: a session of the profile; `run`: of a worker. `board`: the dispatcher. All but the owner's words are `content`.
 */
export const Author = z.discriminatedUnion("by", [
  z.strictObject({ by: z.literal("owner"), name: z.string().max(200).optional() }),
  z.strictObject({ by: z.literal("person"), name: z.string().max(200) }),
  z.strictObject({ by: z.literal("agent"), session: SessionId, run: RunId.optional() }),
  z.strictObject({ by: z.literal("board") }),
]);
export type Author = z.infer<typeof Author>;

/** A role of the profile, or a person, who is asked and never dispatched. */
export const Assignee = z.union(
  [z.strictObject({ role: RoleName }), z.strictObject({ person: z.string().min(1).max(200) })],
  'a role as {"role": NAME}, a person as {"person": NAME}, or null',
);
export type Assignee = z.infer<typeof Assignee>;

/** The words from which a model wrote a card's text, its own or that of the card of which it is a part. */
export const AskedWords = z.object({
  title: z.string(),
  body: z.string(),
  /** Nobody but the owner wrote them. */
  isOwners: z.boolean(),
});
export type AskedWords = z.infer<typeof AskedWords>;

export const MAX_SUMMARY_CHARS = 16_000;
export const MAX_REASON_CHARS = 4_000;

export const Card = z.object({
  v: z.literal(2),
  id: CardId,
  title: z.string().min(1).max(300),
  /** Markdown. */
  body: z.string().max(64_000),
  author: Author,
  assignee: Assignee.nullable(),
  status: CardStatus,
  /** Higher first; 0 by default. */
  priority: z.int().min(-1_000).max(1_000),
  /** A soft filter, no boundary. */
  label: z.string().max(100).nullable(),
  createdAt: z.int(),
  changedAt: z.int(),
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
  /** Not before this; of a `scheduled` card. */
  notBefore: z.int().nullable(),
  /** Of the open run; `null` exactly when no run is open. */
  run: RunId.nullable(),
  claimUntil: z.int().nullable(),
  block: z.object({ kind: BlockKind, reason: z.string().max(MAX_REASON_CHARS) }).nullable(),
  /** Why it was archived, or cancelled. */
  reason: z.string().max(MAX_REASON_CHARS).nullable(),
  /** What its last run said of its work. */
  summary: z.string().max(MAX_SUMMARY_CHARS).nullable(),
  failures: z.int().min(0),
  /** How often it was blocked for the same reason in a row. */
  recurrences: z.int().min(0),
  /** Limits of its own; absent: the board's. */
  limits: z.object({
    runMs: z.int().min(1_000).optional(),
    tokens: z.int().min(1_000).optional(),
    failures: z.int().min(1).optional(),
  }),
  skills: z.array(z.string()).max(20),
  /** Absent: no model wrote its text. */
  asked: AskedWords.optional(),
  /** Into how many cards it was decomposed, which come before it. */
  divided: z.int().min(1).optional(),
});
export type Card = z.infer<typeof Card>;

export const CardRun = z.object({
  id: RunId,
  card: CardId,
  /** `review`: a run that judges what another one did. */
  lane: z.enum(["work", "review"]),
  assignee: Assignee.nullable(),
  session: SessionId.nullable(),
  turn: TurnId.nullable(),
  startedAt: z.int(),
  claimUntil: z.int(),
  heartbeatAt: z.int(),
  endedAt: z.int().nullable(),
  outcome: RunOutcome.nullable(),
  summary: z.string().nullable(),
  error: z.string().nullable(),
});
export type CardRun = z.infer<typeof CardRun>;

export const CardEvent = z.object({
  /** Ascending in the board: a reader goes on from the last that it has. */
  n: z.int().min(1),
  card: CardId,
  run: RunId.nullable(),
  kind: z.string().max(40),
  author: Author,
  at: z.int(),
  facts: z.record(z.string(), z.unknown()),
});
export type CardEvent = z.infer<typeof CardEvent>;
