// What a board offers to those who use it: the Board object, and through it tools, routes and commands. Types only; core/board/board.ts makes it.
import type { Result } from "../errors.ts";
import type { PlanKind } from "../prompts/plan/plan.ts";
import type {
  Assignee,
  Author,
  BlockKind,
  Card,
  CardEvent,
  CardId,
  CardRun,
  CardStatus,
  RunId,
} from "../schemas/board/card.ts";
import type { CardCounts } from "../schemas/board/card-api.ts";
import type { CardAttachment, CardComment } from "../schemas/board/log.ts";
import type { RoleName } from "../schemas/agenda/role.ts";
import type { SessionId, TurnId } from "../schemas/ids.ts";
import type { CardPart, Specification } from "./plan/read-plan.ts";

/**
 * Who does it, and which operation it is. An author with a `run` is that run's worker: each of its writes is refused with `claim_lost` once the
 * run has ended or its claim has expired, and with `not_your_card` on another card (but `create`, `comment`, and a `link` of a card that its card's runs made).
 */
export interface Call {
  author: Author;
  /** Unique to the operation and the same in each attempt. A repetition within 7 days changes nothing and says `replayed`. */
  op?: string;
  /** A fingerprint of what is asked, where a caller chose `op` and may have used it for something else. */
  asked?: string;
}

/** Failure of every changing operation: `op_reused`: `op` belongs to an operation on another card, or to one that asked something else. */
export interface Changed {
  /** As it is now, also after a repetition. */
  card: Card;
  /** A run that this operation took away from its worker. Stop its session. */
  stopped: CardRun | null;
  replayed: boolean;
}

export interface NewCard {
  title: string;
  body?: string;
  assignee?: Assignee | null;
  priority?: number;
  label?: string | null;
  /** Cards that must be done first. */
  parents?: CardId[];
  triage?: boolean;
  /** Milliseconds since 1970. */
  notBefore?: number | null;
  block?: { kind: Exclude<BlockKind, "dependency">; reason: string };
  /** The author works on it at once. */
  start?: boolean;
  limits?: Card["limits"];
  skills?: string[];
  /** A card that is not archived and has the same key is returned in its place. */
  key?: string;
}

export type CardPatch = Partial<
  Pick<Card, "title" | "body" | "priority" | "label" | "notBefore" | "limits" | "skills">
>;

/** A card without its text. `counts`: where the filter asked for it. */
export type CardLine = Omit<Card, "body" | "asked"> & { counts?: CardCounts };
export interface CardFilter {
  /** Absent: all that are not archived. */
  status?: CardStatus;
  assignee?: Assignee;
  label?: string;
  /** The `next` of the page before. */
  before?: number;
  /** 1 to 200. [hermes] 50 */
  limit?: number;
  /** Counts what belongs to each card. */
  counts?: boolean;
}
/** Newest first. `next` is not null while there may be more; a filtered page may be short, or empty, and have a next one. */
export interface CardPage {
  cards: CardLine[];
  next: number | null;
}

export interface LinkedCard {
  id: CardId;
  title: string;
  status: CardStatus;
  summary: string | null;
}
export interface CardView {
  card: Card;
  /** Nobody but the owner wrote its title, body and skills. */
  isOwners: boolean;
  parents: LinkedCard[];
  children: LinkedCard[];
  /** The newest 30, and of the owner's the newest 30, oldest first. [hermes] 30 */
  comments: CardComment[];
  /** The newest 10, oldest first. [hermes] */
  runs: CardRun[];
  attachments: CardAttachment[];
  /** Who did the work of a card that is or was in review. */
  implementer: Assignee | null;
}

export interface BoardStats {
  byStatus: Record<CardStatus, number>;
  /** Without archived ones. `null`: of nobody. */
  byAssignee: { assignee: Assignee | null; status: CardStatus; cards: number }[];
  /** Of the ready card that can be claimed next; `null`: there is none. */
  oldestReadyAt: number | null;
}

/** How a run ended that its worker did not end itself. */
export interface RunEnd {
  /**
   * `crashed`, `timed_out`, `spawn_failed`, `lost` (nothing was heard until the claim expired): a failure; at the limit the card is blocked.
   * `rate_limited`: no failure; the card cools down. `handed_over`: it ended without a word on its card, which goes to a person's review.
   * `cancelled`: a person stopped its turn; the card is blocked until they say more. `no_role`: no failure; the card waits for `releaseRole`.
   */
  how: "crashed" | "timed_out" | "spawn_failed" | "no_role" | "lost" | "rate_limited" | "handed_over" | "cancelled";
  /** What the run said last: the card's summary when it is handed over. */
  summary?: string;
  error?: string;
}

/** What a plan is made from, and what must still be so when it changes the card. */
export interface PlanMaterial {
  title: string;
  body: string;
  status: CardStatus;
  /** As of `CardView`. */
  comments: string[];
}

export interface Board {
  // ---- cards ----

  /** Failures: `card_not_found` (a parent), `too_many_links`, `too_many_cards`, `parents_open` (`start`). */
  create(call: Call, card: NewCard): Result<Changed>;
  /** Failure: `card_not_found`. */
  show(id: CardId): Result<CardView>;
  list(filter: CardFilter): CardPage;
  /** A `notBefore` in the future schedules a card that waits; `null` leaves the status. Failures: `card_not_found`, `bad_transition`. */
  update(call: Call, id: CardId, patch: CardPatch): Result<Changed>;
  /** With all that belongs to it. Failures: `card_not_found`, `person_only`, `card_running`. */
  delete(call: Call, id: CardId): Result<null>;
  /** Forgets earlier failures. Failures: `card_not_found`, `card_running`. */
  assign(call: Call, id: CardId, assignee: Assignee | null): Result<Changed>;
  /** The operation that leads to the status, if the table has one. Failures: `bad_transition`, and those of the operation. */
  move(
    call: Call,
    id: CardId,
    to: CardStatus,
    facts?: { reason?: string; summary?: string; notBefore?: number },
  ): Result<Changed>;
  /** Failures: `card_not_found`, `too_many_comments`. */
  comment(call: Call, id: CardId, text: string): Result<{ comment: CardComment; replayed: boolean }>;
  stats(): BoardStats;

  // ---- order of work ----

  /** Failures: `card_not_found`, `link_cycle`, `too_many_links`, `bad_transition` (the child has ended), `not_your_card` (a worker's, of a child that is neither its card nor made by it). */
  link(call: Call, link: { parent: CardId; child: CardId }): Result<Changed>;
  /** Of a link that is not there: nothing changes. The card is the child. Failure: `card_not_found`. */
  unlink(call: Call, link: { parent: CardId; child: CardId }): Result<Changed>;
  /** Out of triage, the schedule or a block. Failures: `card_not_found`, `bad_transition`, `parents_open`. */
  promote(call: Call, id: CardId): Result<Changed>;

  // ---- work ----

  /** Claims by hand: `card.run` is the run. A person's claim lasts a day. Failures: `card_not_found`, `bad_transition`. */
  start(call: Call, id: CardId): Result<Changed>;
  /**
   * Failures: `card_not_found`, `bad_transition`, `parents_open`, `card_running` (another agent's run), `unknown_cards`: `children` names cards that
   * do not exist; the attempt is kept as an event.
   */
  complete(call: Call, id: CardId, done: { summary: string; children?: CardId[] }): Result<Changed>;
  /**
   * The same kind twice in a row sends the card to triage. Failures: `card_not_found`, `bad_transition`, `card_running`, `no_open_parent`: a
   * `dependency` is linked first.
   */
  block(call: Call, id: CardId, block: { kind: BlockKind; reason: string }): Result<Changed>;
  /** Forgets failures, not recurrences. Failures: `card_not_found`, `bad_transition`. */
  unblock(call: Call, id: CardId): Result<Changed>;
  /** Without a reviewer the card waits for a person. Failures: `card_not_found`, `bad_transition`, `card_running`. */
  requestReview(call: Call, id: CardId, review: { summary: string; reviewer?: Assignee | null }): Result<Changed>;
  /** Failures: `card_not_found`, `bad_transition`, `card_running`, `not_in_review` (its run does not review). */
  requestChanges(call: Call, id: CardId, reason: string): Result<Changed>;
  /** Extends the claim. Of the run's worker, or of the board for it. Failures: `card_not_found`, `bad_transition`, `card_running`. */
  heartbeat(call: Call, id: CardId, note?: string): Result<Changed>;
  /** Takes the card from its run, which is no failure. Failures: `card_not_found`, `bad_transition`. */
  reclaim(call: Call, id: CardId, reason?: string): Result<Changed>;
  /** Archives with a reason, and stops the run. Failures: `card_not_found`, `bad_transition`. */
  cancel(call: Call, id: CardId, reason: string): Result<Changed>;
  /** Failures: `card_not_found`, `bad_transition` (it is archived). */
  archive(call: Call, id: CardId): Result<Changed>;

  // ---- plans, whose text a model writes ----

  /**
   * `done`: nothing is to be asked of a model, because the operation was carried out before. Failures: `card_not_found`, `bad_transition` (neither in
   * triage nor todo).
   */
  beginPlan(
    call: Call,
    kind: PlanKind,
    id: CardId,
  ): Result<{ done: Changed; material: null } | { done: null; material: PlanMaterial }>;
  /** The card leaves triage. The words that it had are kept as `asked`. Failures: as `beginPlan`, `card_changed`. */
  applySpecification(call: Call, id: CardId, seen: PlanMaterial, specification: Specification): Result<Changed>;
  /** Makes the cards, which come before this one; it leaves triage. Failures: as `beginPlan`, `card_changed`, `too_many_cards`, `too_many_links`. */
  applyParts(call: Call, id: CardId, seen: PlanMaterial, parts: CardPart[]): Result<Changed>;

  // ---- attachments ----

  /** Replaces one of the same name. Failures: `card_not_found`, `attachment_too_large`, `too_many_attachments`, `person_only` (an agent, a file that no agent put there). */
  attach(
    call: Call,
    id: CardId,
    file: { name: string; mediaType: string; bytes: Uint8Array },
  ): Result<{ attachment: CardAttachment; replayed: boolean }>;
  /** Failures: `card_not_found`, `attachment_not_found`. */
  detach(call: Call, id: CardId, name: string): Result<null>;
  /** Failure: `attachment_not_found`. */
  readAttachment(id: CardId, name: string): Result<{ attachment: CardAttachment; bytes: Uint8Array }>;

  // ---- the log ----

  /** In order, those after `after`, at most `limit` (1 to 500; 100). */
  events(page: { after: number; card?: CardId; limit?: number }): CardEvent[];
  /** 0: there is none yet. */
  lastEvent(): number;
  /** Oldest first, those after `after`; at most 100. */
  comments(id: CardId, after: number): CardComment[];
  /** Oldest first; at most 200. */
  runs(id: CardId): CardRun[];
  findRun(id: RunId): CardRun | null;

  // ---- the dispatch ----

  /**
   * Opens a run for the card that comes first: a review when none is running, else the highest priority, then the oldest. The caller chose the
   * session's id. `null`: nothing can be claimed, or `limits.maxRunning` runs are open.
   */
  claimNext(session: SessionId): { card: Card; run: CardRun } | null;
  /** How many runs are open. */
  countRunning(): number;
  /** Of these runs that are open: those whose claim has expired or whose time is over, the oldest first. Each is to be ended, or its claim extended. */
  listExpired(limit: number): CardRun[];
  /** All open runs, the oldest first. */
  listOpen(): CardRun[];
  /** The turn that the run's message became. Nothing changes for a run that has ended. */
  noteTurn(run: RunId, turn: TurnId): void;
  /** The claim holds `limits.claimMs` from now, but not beyond the run's time. False: the run has ended. */
  extendClaim(run: RunId): boolean;
  /** Ends an open run. `null`: it had ended before, and nothing changes. */
  endRun(run: RunId, end: RunEnd): Changed | null;
  /** Moves the cards whose time has come, at most 100. True: there may be more. */
  releaseDue(): boolean;
  /** The profile has a role of this name: frees the cards that wait for it, at most 100. True: there may be more. */
  releaseRole(role: RoleName): boolean;
  /** Removes what is kept no longer, at most 100 cards' worth. True: there may be more. */
  tidy(): boolean;
  /**
   * When the board must do something: at the latest `now`, when a card can be claimed and a place is free. `null`: nothing until somebody calls.
   * `places`: how many runs may be open, if fewer than `limits.maxRunning`.
   */
  nextDue(places?: number): number | null;
}
