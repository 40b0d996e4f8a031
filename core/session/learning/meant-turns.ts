// Selects the earlier turns that a `/refine` includes in addition to the new ones: those that match its focus. Called when the
// command is answered and when its review is planned. Reads the log.
import { type Entry, textOf } from "../../schemas/entry.ts";
import { wordsOf } from "../../skills/search/words.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import { readTurnEntries } from "./observations.ts";
import { isUndone } from "../undo/undone.ts";
import { reviewState } from "./review-state.ts";

/** Earlier turns that are searched for a focus. */
const MAX_TURNS_BACK = 40;
const MAX_MEANT = 3;
/** A turn matches when it holds this share of the words of a focus. */
const MEANT_SHARE = 0.5;
/** Characters of one turn that are searched. */
const MAX_TURN_CHARS = 100_000;

/**
 * The earlier turns that match the focus, whether or not they were reviewed. Without a match and without new turns: the
 * last turn.
 */
export function selectTurns(context: EngineContext, focus: string, order: Pick<TurnRow, "input">): number[] {
  const before = workBefore(context, order.input!);
  const [last] = before;
  const wanted = [...wordsOf(focus)];
  const ranked = before
    .map((turn) => ({ turn, share: wanted.length === 0 ? 0 : shareIn(wanted, readTurnEntries(context, turn)) }))
    .filter(({ share }) => share >= MEANT_SHARE)
    .toSorted((a, b) => b.share - a.share || b.turn.n - a.turn.n);
  const meant = ranked.slice(0, MAX_MEANT).map(({ turn }) => turn.n);
  const isNew = last !== undefined && last.input! > reviewState(context.log).reviewedTo;
  return last && !isNew && meant.length === 0 ? [last.n] : meant;
}

/** Turns with a model call that ended before an entry, newest first. */
export function workBefore({ log }: EngineContext, entry: number): TurnRow[] {
  const turns: TurnRow[] = [];
  for (let n = log.lastTurn()?.n ?? 0; n > 0 && turns.length < MAX_TURNS_BACK; n--) {
    const turn = log.turn(n);
    if (turn?.input && turn.input < entry && turn.final !== null && turn.stats.modelCalls > 0 && !isUndone(log, n))
      turns.push(turn);
  }
  return turns;
}

function shareIn(wanted: string[], entries: Entry[]): number {
  const text = entries.map((entry) => `${textOf(entry)} ${renderArguments(entry)}`).join(" ");
  const words = wordsOf(text.slice(0, MAX_TURN_CHARS));
  return wanted.filter((word) => words.has(word)).length / wanted.length;
}

function renderArguments(entry: Entry): string {
  return entry.kind === "assistant" ? JSON.stringify(entry.answer.calls.map(({ args }) => args)) : "";
}
