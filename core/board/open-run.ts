// A run begins, by the dispatch or by hand, and its claim is extended. Used by the operations of core/board/, inside their transactions.
import type { Author, CardRun } from "../schemas/board/card.ts";
import { DAY_MS, type SessionId } from "../schemas/ids.ts";
import { type BoardContext, enter } from "./context.ts";
import type { StoredCard } from "./rows/card-rows.ts";

/** [own] A person does not send heartbeats. */
const BY_HAND_MS = DAY_MS;

/** Of a card in `ready` or `review`. Returns it as stored. `session`: of the dispatch; `null`: by hand. */
export function openRun(
  context: BoardContext,
  card: StoredCard,
  { author, session }: { author: Author; session: SessionId | null },
): StoredCard {
  const { now, newId, limits, runs, save } = context;
  const at = now();
  const isByPerson = author.by === "owner" || author.by === "person";
  const run: CardRun = {
    id: newId("r"),
    card: card.id,
    lane: card.lane,
    assignee: card.assignee,
    session: session ?? (author.by === "agent" ? author.session : null),
    turn: null,
    startedAt: at,
    claimUntil: at + (isByPerson ? BY_HAND_MS : limits.claimMs),
    heartbeatAt: at,
    endedAt: null,
    outcome: null,
    summary: null,
    error: null,
  };
  runs.add(run, { due: dueOfRun(run, card, context), dispatched: session !== null });
  const operation = session === null ? "start" : "claim";
  const started = {
    ...enter(card, "running", operation),
    run: run.id,
    claimUntil: run.claimUntil,
    startedAt: card.startedAt ?? at,
  };
  const notes = [{ kind: "claimed", facts: { run: run.id, session: run.session, lane: run.lane } }];
  return save(card, { card: started, notes }, author, run.id);
}

/** Stores the open run with a later end of its claim, and returns that. */
export function extendRun(context: BoardContext, run: CardRun, card: StoredCard): number {
  const { now, limits, runs } = context;
  const extended = { ...run, heartbeatAt: now(), claimUntil: Math.max(run.claimUntil, now() + limits.claimMs) };
  runs.save(extended, dueOfRun(extended, card, context));
  return extended.claimUntil;
}

/** When the board must look at an open run: its claim expires, or its time is over. A person's run, which has no session, has a claim alone. */
function dueOfRun(run: CardRun, card: StoredCard, { limits }: BoardContext): number {
  if (run.session === null) return run.claimUntil;
  return Math.min(run.claimUntil, run.startedAt + (card.limits.runMs ?? limits.runMs));
}
