// What the board does by itself: gives cards to runs, ends runs that their workers did not end, moves cards whose time has come. Used by
// core/board/board.ts; called by the Board object and its alarm.
import { clip } from "../clip.ts";
import { MAX_REASON_CHARS, MAX_SUMMARY_CHARS, type RunOutcome } from "../schemas/board/card.ts";
import { BOARD, type BoardContext, type Note, enter } from "./context.ts";
import type { Board, RunEnd } from "./contract.ts";
import { extendRun, openRun } from "./open-run.ts";
import { type StoredCard, keyOfAssignee, toCard } from "./rows/card-rows.ts";
import { toReview } from "./work.ts";

/** [own] What one call moves or removes, so that it stays short. */
const BATCH = 100;

const OUTCOMES: Record<RunEnd["how"], RunOutcome> = {
  ...{ crashed: "crashed", timed_out: "timed_out", spawn_failed: "spawn_failed", lost: "reclaimed" },
  no_role: "spawn_failed",
  ...{ rate_limited: "rate_limited", handed_over: "review_requested", cancelled: "cancelled" },
};

type Dispatch = Pick<
  Board,
  | "claimNext"
  | "countRunning"
  | "listExpired"
  | "listOpen"
  | "noteTurn"
  | "extendClaim"
  | "endRun"
  | "releaseDue"
  | "releaseRole"
  | "tidy"
  | "nextDue"
>;

export function createDispatch(context: BoardContext): Dispatch {
  const { sql, limits, now, cards, runs, log, save } = context;
  const countRunning = () => {
    const { work, review } = runs.countOpen();
    return work + review;
  };
  /** The next card to be claimed. A free place goes to a review first, unless one is running: so none of both waits for ever. */
  const nextCard = () => {
    const review = runs.countOpen().review === 0 ? cards.first(["review"]) : null;
    const work = review ?? cards.first(limits.dispatchUnassigned ? ["work", "nobody"] : ["work"]);
    return work ?? cards.first(["review"]);
  };

  return {
    claimNext: (session) =>
      sql.transaction(() => {
        if (countRunning() >= limits.maxRunning) return null;
        const id = nextCard();
        if (id === null) return null;
        const card = openRun(context, cards.find(id)!, { author: BOARD, session });
        return { card: toCard(card), run: runs.find(card.run!)! };
      }),
    countRunning,
    listExpired: (limit) => runs.listDue(now(), limit),
    listOpen: () => runs.listDue(Number.MAX_SAFE_INTEGER, -1).sort((one, other) => one.startedAt - other.startedAt),
    noteTurn(id, turn) {
      const run = runs.find(id);
      if (run && run.endedAt === null) runs.saveRecord({ ...run, turn });
    },
    extendClaim: (id) =>
      sql.transaction(() => {
        const run = runs.find(id);
        const card = run && run.endedAt === null ? cards.find(run.card) : null;
        if (!run || !card) return false;
        cards.save(card, { ...card, claimUntil: extendRun(context, run, card) });
        return true;
      }),

    endRun: (id, said) =>
      sql.transaction(() => {
        const end = toStorable(said);
        const run = runs.find(id);
        const before = run && run.endedAt === null ? cards.find(run.card) : null;
        if (!before) return null;
        const { card, outcome, notes } = afterEnd(before, end);
        const { summary, error } = end;
        const ended = context.endRunOf(before, {
          outcome,
          ...(summary === undefined ? {} : { summary }),
          ...(error === undefined ? {} : { error }),
        });
        const saved = save(before, { card, notes }, BOARD, id);
        return { card: toCard(saved), stopped: ended, replayed: false };
      }),

    releaseDue: () =>
      sql.transaction(() => {
        const due = cards.listDue(now(), BATCH);
        for (const id of due) {
          const card = cards.find(id)!;
          if (card.status === "scheduled" || card.status === "blocked") {
            const next = enter(card, context.restOf(card), "release");
            const notes = [{ kind: card.status === "blocked" ? "unblocked" : "promoted", facts: { to: next.status } }];
            save(card, { card: next, notes }, BOARD, null);
          } else cards.save(card, { ...card, due: null });
        }
        return due.length === BATCH;
      }),

    releaseRole: (role) =>
      sql.transaction(() => {
        const waiting = cards.listWaiting(role, BATCH);
        for (const id of waiting) {
          const card = cards.find(id)!;
          save(
            card,
            { card: { ...card, waitsForRole: false }, notes: [{ kind: "role_found", facts: { role } }] },
            BOARD,
            null,
          );
        }
        return waiting.length === BATCH;
      }),

    tidy: () =>
      sql.transaction(() => {
        log.removeOps(now());
        const stale = cards.listStale(now(), BATCH);
        for (const id of stale) {
          log.removeEventsOf(id);
          runs.removeOf(id);
          cards.markTidied(id);
        }
        return stale.length === BATCH;
      }),

    nextDue(places = limits.maxRunning) {
      const canClaim = countRunning() < Math.min(places, limits.maxRunning) && nextCard() !== null;
      const times = [canClaim ? now() : null, runs.nextDue(), cards.nextDue(), cards.nextStale(), log.nextOpExpiry()];
      const known = times.filter((time) => time !== null);
      return known.length === 0 ? null : Math.min(...known);
    },
  };

  /** What becomes of the card. */
  function afterEnd(card: StoredCard, end: RunEnd): { card: StoredCard; outcome: RunOutcome; notes: Note[] } {
    const outcome = OUTCOMES[end.how];
    const facts = { error: end.error ?? null };
    if (end.how === "handed_over") {
      const next = { ...toReview(enter(card, "review", "end_run"), card, null), failures: 0 };
      const notes = [
        { kind: "review_requested", facts: { ...facts, handedOver: true, reviewer: keyOfAssignee(null) } },
      ];
      return { card: { ...next, summary: end.summary ?? card.summary }, outcome, notes };
    }
    if (end.how === "cancelled") {
      const block = { kind: "needs_input" as const, reason: end.error ?? "A person stopped the run." };
      return { card: { ...enter(card, "blocked", "end_run"), block }, outcome, notes: [{ kind: "cancelled", facts }] };
    }
    const rest = context.restOf(card);
    if (end.how === "no_role") {
      const next = { ...enter(card, rest, "end_run"), waitsForRole: rest !== "todo" };
      return { card: next, outcome, notes: [{ kind: "waits_for_role", facts }] };
    }
    const again = (waitMs: number) => enter(card, rest, "end_run", rest === "todo" ? null : now() + waitMs);
    if (end.how === "rate_limited") {
      return { card: again(limits.coolMs), outcome, notes: [{ kind: "rate_limited", facts }] };
    }
    const failures = card.failures + 1;
    const failed = { kind: end.how === "lost" ? "reclaimed" : end.how, facts: { ...facts, failures } };
    if (failures < (card.limits.failures ?? limits.failures)) {
      return { card: { ...again(limits.retryMs), failures }, outcome, notes: [failed] };
    }
    const reason = `${failures} runs failed in a row. The last: ${end.how.replace("_", " ")}${end.error ? `: ${end.error}` : ""}`;
    const blocked = { ...enter(card, "blocked", "end_run"), failures };
    return {
      card: { ...blocked, block: { kind: "needs_input", reason: clip(reason, MAX_REASON_CHARS) } },
      outcome: "gave_up",
      notes: [failed, { kind: "gave_up", facts: { failures } }],
    };
  }
}

/** A worker's last words have any length. A card that cannot be read again would take its board with it. */
function toStorable({ summary, error, ...end }: RunEnd): RunEnd {
  return {
    ...end,
    ...(summary !== undefined && { summary: clip(summary, MAX_SUMMARY_CHARS) }),
    ...(error !== undefined && { error: clip(error, MAX_REASON_CHARS) }),
  };
}
