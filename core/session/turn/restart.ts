// Decides whether a turn that was cut off may resume, so that no loop of crashes can run up a bill. Asked by resume-turn.ts. The
// counters it decides by are stored with the turn. Pure.
import { type Result, err, ok } from "../../errors.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { TurnDetails, TurnRow } from "../log-turns.ts";

export type TurnLimits = Pick<Settings["turn"], "maxAttempts" | "maxMemoryStrikes" | "maxWork" | "noProgressMs">;

/**
 * The turn as it resumes. `entries` are its own. Each failure ends the turn: `memory_exhausted`, `work_spent`, `gave_up` (too
 * many restarts, or too much time, without a new answer or result).
 */
export function decideRestart(turn: TurnRow, entries: Entry[], now: number, limits: TurnLimits): Result<TurnRow> {
  const done = countDone(entries);
  const attempts = turn.attempts + 1;
  const { doneAtRestart = 0, fruitless = 0, fruitlessSince, memoryStrikes = 0, ...rest } = turn.more;
  if (memoryStrikes >= limits.maxMemoryStrikes) {
    return err("memory_exhausted", `The turn was stopped: it ran out of memory ${memoryStrikes} times.`);
  }
  if (done + attempts > limits.maxWork) {
    return err(
      "work_spent",
      `The turn was stopped: it reached its limit of ${limits.maxWork} answers, calls and restarts.`,
    );
  }
  const progressed = done > doneAtRestart;
  const tries = progressed ? 1 : fruitless + 1;
  const since = progressed ? now : (fruitlessSince ?? now);
  if (tries >= limits.maxAttempts) {
    return err("gave_up", `The turn was stopped: it was interrupted ${tries} times without progress.`);
  }
  if (now - since > limits.noProgressMs) {
    const minutes = Math.round(limits.noProgressMs / 60_000);
    return err("gave_up", `The turn was stopped: it made no progress within ${minutes} minutes of restarts.`);
  }
  const more: TurnDetails = {
    ...rest,
    doneAtRestart: done,
    fruitless: tries,
    fruitlessSince: since,
    ...(progressed || memoryStrikes === 0 ? {} : { memoryStrikes }),
  };
  return ok({ ...turn, attempts, more });
}

/** Number of recorded answers, summaries and results, which are never repeated. */
export function countDone(entries: Entry[]): number {
  return entries.filter(
    (entry) =>
      entry.kind === "assistant" || entry.kind === "compaction" || (entry.kind === "tool" && entry.state === "done"),
  ).length;
}
