// What a delegated session says of itself: how far its turn is, and how it ended. Read by its parent. Changes nothing.
import { holdsContent } from "../../learning/taint/entries.ts";
import { type Entry, textOf } from "../../schemas/entry.ts";
import type { ChildProgress, ChildReport } from "../../schemas/sessions/delegation.ts";
import { sumUsageLines } from "../../schemas/usage.ts";
import type { EngineContext } from "../context.ts";
import { readTurnEntries } from "../learning/observations.ts";
import { addSpending, sessionTotals, toTurnLines } from "../ledger.ts";
import { type TurnRow, hasBegun, isOpen } from "../log-turns.ts";
import { countTurn } from "../turn/count-turn.ts";

/** A child has one turn. */
export const TURN = 1;
/** [own] Four times the longest answer of `turn.maxOutputTokens` tokens. A longer one is cut, so that a row holds it. */
const MAX_REPORT_CHARS = 250_000;

/** `lastProgressAt`: of the turn that this object drives. `null`: the session was not delegated. */
export function toProgress(context: EngineContext, lastProgressAt: number | null): ChildProgress | null {
  const { log, meta } = context;
  const turn = log.turn(TURN);
  if (meta().kind !== "delegated" || !turn) return null;
  const entries = isOpen(turn) ? readOpenEntries(context, turn) : readTurnEntries(context, turn);
  const isWaiting = turn.state === "parked" || turn.more.pausedUntil !== undefined;
  const report = toReport(context);
  return {
    isWaiting,
    activeAt: Math.max(entries.at(-1)?.at ?? 0, lastProgressAt ?? 0),
    stats: report?.stats ?? countTurn(entries),
    spent: report?.spent ?? countSpent(context, entries),
    ...(report && { report }),
  };
}

/** How the turn ended; `null` while it is open. */
export function toReport(context: EngineContext): ChildReport | null {
  const { log, host } = context;
  const turn = log.turn(TURN);
  if (!turn || isOpen(turn)) return null;
  const entries = readTurnEntries(context, turn);
  const said = entries.findLast((entry) => entry.kind === "assistant" && entry.answer.calls.length === 0);
  const text = said ? textOf(said) : "";
  const { calls, tokens, usdMicros } = sessionTotals(log);
  return {
    state: turn.state === "done" || turn.state === "stopped" ? turn.state : "failed",
    reason: turn.more.reason ?? "answer",
    text: text.slice(0, MAX_REPORT_CHARS).toWellFormed(),
    ...(text.length > MAX_REPORT_CHARS && { cut: true as const }),
    source: entries.some(holdsContent) ? "content" : "own",
    stats: turn.stats,
    spent: { calls, tokens, usdMicros },
    endedAt: turn.endedAt ?? host.clock.now(),
  };
}

function readOpenEntries({ log }: EngineContext, turn: TurnRow): Entry[] {
  return hasBegun(turn) ? log.entries(turn.input!).filter((entry) => entry.turn === turn.n) : [];
}

/** With what its own children have reported. */
function countSpent({ log }: EngineContext, entries: Entry[]): ChildProgress["spent"] {
  const lines = toTurnLines(entries);
  const before = sessionTotals(log);
  const calls = lines.reduce((sum, line) => sum + line.calls, before.calls);
  return { calls, ...addSpending(before, sumUsageLines(lines)) };
}
