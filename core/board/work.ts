// What is done with a card's work: begun, completed, blocked, handed to review, taken back. Used by core/board/board.ts.
import { err, ok } from "../errors.ts";
import type { CardId } from "../schemas/board/card.ts";
import { type BoardContext, badTransition, enter, parentsOpen, refuseBegin } from "./context.ts";
import type { Board, Call } from "./contract.ts";
import { dueOfBlock } from "./edit.ts";
import { extendRun, openRun } from "./open-run.ts";
import { type StoredCard, keyOfAssignee, toCard } from "./rows/card-rows.ts";

/** [hermes] Of a summary in an event. */
const EVENT_CHARS = 400;
/** [own] Ids in a summary's text that are looked up. */
const MAX_NAMED = 20;
/** [own] Of a card's newest runs, how many may be a reviewer's requests for changes. The next one brings it to a person. */
const [MAX_SENT_BACK, SEEN_RUNS] = [3, 30];
const CARD_IDS = /\bc[0-9a-hjkmnp-tv-z]{12}\b/g;

type Work = Pick<
  Board,
  "start" | "complete" | "block" | "unblock" | "requestReview" | "requestChanges" | "heartbeat" | "reclaim"
>;

export function createWork(context: BoardContext): Work {
  const { sql, limits, now, newId, cards, links, runs, log, find, change, refuse, refuseEnd, endRunOf } = context;

  return {
    start: (call, id) =>
      sql.transaction(() => {
        const repeated = context.replay(call, id);
        if (repeated) return repeated;
        const found = find(id);
        if (!found.ok) return found;
        const refused = refuse(call.author, "start", id) ?? refuseBegin(found.value, "start");
        if (refused) return refused;
        const started = openRun(context, found.value, { author: call.author, session: null });
        context.noteOp(call, id);
        return ok({ card: toCard(started), stopped: null, replayed: false });
      }),

    complete: (call, id, { summary, children = [] }) =>
      change(call, "complete", id, (card) => {
        const refused = refuseBegin(card, "complete") ?? refuseEnd(call.author, card);
        if (refused) return refused;
        const unknown = [...new Set(children)].filter((child) => !cards.exists(child));
        if (unknown.length > 0) {
          noteRejected(call, card, unknown);
          const message = `There are no cards ${unknown.slice(0, 10).join(", ")}. Name only cards that exist, and complete again.`;
          return err("unknown_cards", message, { unknown });
        }
        const open = links.openParents(id);
        if (open.length > 0) return parentsOpen(id, open);
        const named = [...new Set(summary.match(CARD_IDS) ?? [])].slice(0, MAX_NAMED);
        const doubtful = named.filter((name) => !cards.exists(name));
        const ended = card.status === "running" ? endRunOf(card, { outcome: "completed", summary }) : null;
        if (!ended) addInstantRun(card, summary);
        const done = {
          ...enter(card, "done", "complete"),
          summary,
          endedAt: now(),
          startedAt: card.startedAt ?? now(),
        };
        const facts = { from: card.status, summary: summary.slice(0, EVENT_CHARS), children, unknown: doubtful };
        return ok({
          card: { ...done, failures: 0, recurrences: 0, lastBlock: null },
          notes: [{ kind: "completed", facts }],
          ended,
        });
      }),

    block: (call, id, { kind, reason }) =>
      change(call, "block", id, (card) => {
        const refused = refuseBegin(card, "block") ?? refuseEnd(call.author, card);
        if (refused) return refused;
        if (kind === "dependency") return waitForParents(card, reason);
        const recurrences = card.lastBlock === kind ? card.recurrences + 1 : 1;
        const isLoop = recurrences >= limits.recurrences;
        const ended = card.status === "running" ? endRunOf(card, { outcome: "blocked", summary: reason }) : null;
        const facts = { from: card.status, kind, reason: reason.slice(0, EVENT_CHARS), recurrences };
        const blocked = isLoop
          ? { ...enter(card, "triage", "block"), reason }
          : { ...enter(card, "blocked", "block", dueOfBlock(kind, context)), block: { kind, reason } };
        const notes = [{ kind: isLoop ? "block_loop_detected" : "blocked", facts }];
        return ok({ card: { ...blocked, lastBlock: kind, recurrences }, notes, ended });
      }),

    unblock: (call, id) =>
      change(call, "unblock", id, (card) => {
        const refused = refuseBegin(card, "unblock");
        if (refused) return refused;
        const next = { ...enter(card, context.restOf(card), "unblock"), failures: 0 };
        return ok({ card: next, notes: [{ kind: "unblocked", facts: { to: next.status } }] });
      }),

    requestReview: (call, id, { summary, reviewer = null }) =>
      change(call, "request_review", id, (card) => {
        const refused = refuseBegin(card, "request_review") ?? refuseEnd(call.author, card);
        if (refused) return refused;
        const ended = card.status === "running" ? endRunOf(card, { outcome: "review_requested", summary }) : null;
        const next = toReview(enter(card, "review", "request_review"), card, reviewer);
        const facts = { from: card.status, summary: summary.slice(0, EVENT_CHARS), reviewer: keyOfAssignee(reviewer) };
        return ok({ card: { ...next, summary, failures: 0 }, notes: [{ kind: "review_requested", facts }], ended });
      }),

    requestChanges: (call, id, reason) =>
      change(call, "request_changes", id, (card) => {
        const refused = refuseBegin(card, "request_changes") ?? refuseEnd(call.author, card);
        if (refused) return refused;
        if (card.lane !== "review") {
          return err("not_in_review", `The run of '${id}' does not review it. Complete, block or request a review.`);
        }
        const ended =
          card.status === "running" ? endRunOf(card, { outcome: "changes_requested", summary: reason }) : null;
        const facts = { from: card.status, reason: reason.slice(0, EVENT_CHARS) };
        if (ended && call.author.by === "agent" && isLoopOfReviews(id)) {
          const looped = { ...enter(card, "review", "request_changes"), assignee: null, reason };
          return ok({ card: looped, notes: [{ kind: "review_loop_detected", facts }], ended });
        }
        const next = {
          ...enter(card, links.openParents(id).length > 0 ? "todo" : "ready", "request_changes"),
          reason,
          failures: 0,
        };
        // The next run reads it as the word of who said it; what a run says is in its summary.
        if (call.author.by !== "agent") log.addComment(id, { author: call.author, at: now(), text: reason });
        return ok({ card: next, notes: [{ kind: "changes_requested", facts }], ended });
      }),

    heartbeat: (call, id, note) =>
      change(call, "heartbeat", id, (card) => {
        if (card.status !== "running") return badTransition(card, "heartbeat");
        const refused = refuseEnd(call.author, card);
        if (refused) return refused;
        const claimUntil = extendRun(context, runs.find(card.run!)!, card);
        // Without a note it is no news: a board with many long runs would fill its log.
        if (note === undefined) {
          cards.save(card, { ...card, claimUntil });
          return ok({ card: { ...card, claimUntil }, notes: [] });
        }
        return ok({
          card: { ...card, claimUntil },
          notes: [{ kind: "heartbeat", facts: { note: note.slice(0, EVENT_CHARS) } }],
        });
      }),

    reclaim: (call, id, reason) =>
      change(call, "reclaim", id, (card) => {
        const refused = refuseBegin(card, "reclaim");
        if (refused) return refused;
        const ended = endRunOf(card, { outcome: "reclaimed", ...(reason === undefined ? {} : { error: reason }) });
        return ok({
          card: enter(card, context.restOf(card), "reclaim"),
          notes: [{ kind: "reclaimed", facts: { reason: reason ?? null } }],
          ended,
        });
      }),
  };

  /** A reviewer and a worker that never agree would cost a run each without end. The run that has just ended counts. */
  function isLoopOfReviews(id: CardId): boolean {
    const sentBack = runs.listOf(id, SEEN_RUNS).filter(({ outcome }) => outcome === "changes_requested");
    return sentBack.length > MAX_SENT_BACK;
  }

  /** The attempt is refused, and stays in the log. */
  function noteRejected({ author }: Call, card: StoredCard, unknown: CardId[]): void {
    const facts = { unknown: unknown.slice(0, MAX_NAMED) };
    log.note({ card: card.id, run: card.run, kind: "completion_rejected", author, at: now(), facts });
  }

  function waitForParents(card: StoredCard, reason: string) {
    if (card.status !== "running" || card.lane === "review") return badTransition(card, "block for a dependency");
    const open = links.openParents(card.id);
    if (open.length === 0) {
      const message = `No open card comes before '${card.id}'. Link the one that it waits for first, or block it for another kind.`;
      return err("no_open_parent", message);
    }
    const ended = endRunOf(card, { outcome: "blocked", summary: reason });
    const facts = { parents: open, reason: reason.slice(0, EVENT_CHARS) };
    return ok({
      card: { ...enter(card, "todo", "block"), reason },
      notes: [{ kind: "dependency_wait", facts }],
      ended,
    });
  }

  /** A card that nobody had claimed is done: the log of runs has it nevertheless. [hermes] */
  function addInstantRun(card: StoredCard, summary: string): void {
    const at = now();
    runs.add(
      {
        ...{ id: newId("r"), card: card.id, lane: card.lane, assignee: card.assignee, session: null, turn: null },
        ...{ startedAt: at, claimUntil: at, heartbeatAt: at, endedAt: at, outcome: "completed", summary, error: null },
      },
      { due: null, dispatched: false },
    );
  }
}

/** The card waits for a reviewer; who did the work is kept. `before`: as it was. */
export function toReview(card: StoredCard, before: StoredCard, reviewer: StoredCard["assignee"]): StoredCard {
  const implementer = before.lane === "review" ? before.implementer : before.assignee;
  return { ...card, lane: "review", implementer, assignee: reviewer };
}
