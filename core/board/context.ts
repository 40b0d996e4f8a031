// What the operations of a board share: the rows, the frame of every change (repetition, fence, event), and what follows from a change for
// other cards. Used by the operations of core/board/ only.
import { type Failure, type Result, assert, err, ok } from "../errors.ts";
import type { Clock, Random, Sql } from "../ports.ts";
import type { Author, Card, CardId, CardRun, CardStatus, RunId, RunOutcome } from "../schemas/board/card.ts";
import type { BoardSettings } from "../schemas/board/settings.ts";
import { createShortId } from "../short-id.ts";
import type { Call, Changed } from "./contract.ts";
import { createAttachmentRows } from "./rows/attachment-rows.ts";
import { type StoredCard, createCardRows, toCard } from "./rows/card-rows.ts";
import { createLinkRows } from "./rows/link-rows.ts";
import { type KnownOp, createLogRows } from "./rows/log-rows.ts";
import { createNewsRows } from "./rows/news-rows.ts";
import { createRunRows } from "./rows/run-rows.ts";
import { toNews } from "./news.ts";
import { type Operation, canBegin, isTransition, stepsFrom } from "./transitions.ts";

export interface BoardParts {
  sql: Sql;
  clock: Pick<Clock, "now">;
  random: Random;
  /** Read at each use, so that a change of the settings counts at once. */
  limits: BoardSettings;
}

export type BoardContext = ReturnType<typeof createContext>;
/** What a worker may do, and with which cards. Everything else is for people and for agents that plan. [hermes] */
const OF_WORKERS: Record<string, "own" | "any"> = {
  ...{ create: "any", comment: "any", link: "any" },
  ...{ complete: "own", block: "own", request_review: "own", request_changes: "own", heartbeat: "own", attach: "own" },
};
export const BOARD: Author = { by: "board" };

/** An event of a change. */
export interface Note {
  kind: string;
  facts?: Record<string, unknown>;
}
export interface Step {
  card: StoredCard;
  /** In their order. None: nothing has changed. */
  notes: Note[];
  /** The run that the change ended. */
  ended?: CardRun | null;
}

export function createContext({ sql, clock, random, limits }: BoardParts) {
  const rows = {
    cards: createCardRows(sql),
    links: createLinkRows(sql),
    runs: createRunRows(sql),
    log: createLogRows(sql),
    attachments: createAttachmentRows(sql),
    news: createNewsRows(sql),
  };
  const { cards, links, runs, log, news } = rows;
  const now = () => clock.now();
  const newId = (letter: "c" | "r") => createShortId(letter, random);

  /** `null`: the author may do it. */
  function refuse(author: Author, operation: string, card: CardId | null): { ok: false; failure: Failure } | null {
    if (author.by !== "agent" || author.run === undefined) return null;
    const run = runs.find(author.run);
    if (!run || run.endedAt !== null || run.claimUntil <= now()) {
      return err("claim_lost", "This run no longer has its card: it ended, or its claim expired. Stop working on it.");
    }
    const reach = OF_WORKERS[operation];
    if (!reach) return err("not_for_workers", "A worker cannot do this. Say in a comment what is needed.");
    if (reach === "own" && run.card !== card) {
      return err(
        "not_your_card",
        `This run may change only its own card ${run.card}. Comment on the other one instead.`,
      );
    }
    return null;
  }

  function find(id: CardId): Result<StoredCard> {
    const card = cards.find(id);
    return card ? ok(card) : err("card_not_found", `There is no card '${id}'.`);
  }

  /** Stores a card as it has become, with its events, and what follows for the cards that wait for it. */
  function save(before: StoredCard, { card, notes }: Step, author: Author, run: RunId | null): StoredCard {
    if (notes.length === 0) return card;
    const saved = { ...card, changedAt: now() };
    cards.save(before, saved);
    const noted = notes.map(({ kind, facts = {} }) => log.note({ card: card.id, run, kind, author, at: now(), facts }));
    const kinds = notes.map(({ kind }) => kind);
    tell(noted.at(-1)!, card.id, toNews(before, saved, { kinds }), { author, run });
    if (!isOver(before.status) && isOver(card.status)) recompute(links.children(card.id));
    return saved;
  }

  /** Inside the transaction of the change. `n`: of its event. The event leaves with the session that did it. */
  function tell(
    n: number,
    card: CardId,
    told: ReturnType<typeof toNews>,
    { author, run }: { author: Author; run: RunId | null },
  ): void {
    if (!told) return;
    const session = author.by === "agent" ? author.session : run === null ? null : runs.find(run)?.session;
    news.add({ n, card, news: { ...told, at: now(), ...(session && { session }) } });
  }

  /** Cards that waited for what is done or gone now. */
  function recompute(ids: CardId[]): void {
    for (const id of ids) {
      const card = cards.find(id);
      if (card?.status !== "todo" || links.openParents(id).length > 0) continue;
      save(card, { card: enter(card, "ready", "recompute"), notes: [{ kind: "promoted" }] }, BOARD, null);
    }
  }

  /** The frame of a change of one card. */
  function change(
    call: Call,
    operation: string,
    id: CardId,
    decide: (card: StoredCard) => Result<Step>,
  ): Result<Changed> {
    const { author } = call;
    return sql.transaction((): Result<Changed> => {
      const repeated = replay(call, id);
      if (repeated) return repeated;
      const found = find(id);
      if (!found.ok) return found;
      const refused = refuse(author, operation, id);
      if (refused) return refused;
      const before = found.value;
      const decided = decide(before);
      if (!decided.ok) return decided;
      const { ended = null } = decided.value;
      const saved = save(before, decided.value, author, ended?.id ?? decided.value.card.run ?? runOf(author));
      noteOp(call, id);
      const isOwn = author.by === "agent" && author.run !== undefined && author.run === ended?.id;
      return ok({ card: toCard(saved), stopped: isOwn ? null : ended, replayed: false });
    });
  }

  /** An earlier attempt of the operation; `null`: there was none. `id`: `null` for a card that the operation makes. */
  function findOp({ op, asked }: Call, id: CardId | null): Result<KnownOp> | null {
    const known = op === undefined ? null : log.findOp(op);
    if (!known) return null;
    const isOther = (id !== null && known.card !== id) || (asked !== undefined && known.asked !== asked);
    return isOther ? opReused(op!) : ok(known);
  }

  /** Inside the transaction of the operation. */
  function noteOp({ op, asked }: Call, card: CardId, value: string | null = null): void {
    if (op !== undefined) log.addOp(op, { card, at: now(), asked: asked ?? null, value });
  }

  /** What an earlier attempt of the operation answered; `null`: there was none. */
  function replay(call: Call, id: CardId | null): Result<Changed> | null {
    const earlier = findOp(call, id);
    if (!earlier?.ok) return earlier;
    const found = find(earlier.value.card);
    return found.ok ? ok({ card: toCard(found.value), stopped: null, replayed: true }) : found;
  }

  /** `todo` while a parent is open, else `ready`; a review goes on as one. */
  function restOf(card: StoredCard): "todo" | "ready" | "review" {
    if (card.lane === "review") return "review";
    return links.openParents(card.id).length > 0 ? "todo" : "ready";
  }

  /** Ends the open run of a running card. */
  function endRunOf(card: StoredCard, end: { outcome: RunOutcome; summary?: string; error?: string }): CardRun {
    const run = card.run === null ? null : runs.find(card.run);
    assert(run, `the card ${card.id} is running without a run`);
    const { outcome, summary = null, error = null } = end;
    const ended = { ...run, endedAt: now(), outcome, summary, error };
    runs.end(ended);
    return ended;
  }

  /** `null`: the author may end what the card's run does. */
  function refuseEnd(author: Author, card: StoredCard): { ok: false; failure: Failure } | null {
    if (card.status !== "running" || author.by !== "agent" || author.run === card.run) return null;
    return err("card_running", `Another run works on the card '${card.id}'. Reclaim the card first.`);
  }

  return {
    ...{ sql, limits, now, newId, find, change, findOp, noteOp, replay },
    ...{ ...rows, refuse, save, tell, recompute, restOf, endRunOf, refuseEnd },
  };
}

export function opReused(op: string): { ok: false; failure: Failure } {
  return err("op_reused", `The operation id '${op}' belongs to another operation. Use a new one.`);
}

export function isOver(status: CardStatus): boolean {
  return status === "done" || status === "archived";
}

/** The run whose worker the author is. */
export function runOf(author: Author): RunId | null {
  return author.by === "agent" ? (author.run ?? null) : null;
}

/** The card in its next status. What no longer holds in it is gone. The table of transitions must have the row. */
export function enter(card: StoredCard, to: CardStatus, operation: Operation, due: number | null = null): StoredCard {
  assert(isTransition(card.status, to, operation), `no transition ${card.status} > ${to} by ${operation}`);
  const base: StoredCard = {
    ...{ ...card, status: to, due, run: null, claimUntil: null, block: null, notBefore: null },
    waitsForRole: false,
  };
  return to === "blocked" || to === "review" || to === "running" ? base : toWork(base);
}

/** The review of a card is over: it belongs to who did the work. */
function toWork(card: StoredCard): StoredCard {
  if (card.lane === "work") return card;
  return { ...card, lane: "work", assignee: card.implementer, implementer: null };
}

/** `null`: the operation is possible in the card's status. */
export function refuseBegin(card: Card, operation: Operation): { ok: false; failure: Failure } | null {
  if (canBegin(card.status, operation)) return null;
  return badTransition(card, operation.replace("_", " "));
}

export function badTransition({ id, status }: Card, wanted: string): { ok: false; failure: Failure } {
  const can = stepsFrom(status).map((operation) => operation.replace("_", "-"));
  const possible = can.length === 0 ? "Nothing but deleting it is possible." : `Possible are: ${can.join(", ")}.`;
  return err("bad_transition", `The card '${id}' is ${status}: '${wanted}' is not possible. ${possible}`, { status });
}

export function parentsOpen(id: CardId, parents: CardId[]): { ok: false; failure: Failure } {
  const named = parents.slice(0, 10).join(", ");
  return err("parents_open", `The card '${id}' waits for ${named}. Finish or unlink these first.`, { parents });
}
