// Uses of a text, written as a line of signs, oldest first: `+` succeeded, `-` failed, `?` nobody knows, `c` succeeded after
// the text had been contradicted, `x` failed after it had been.
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { dayOf } from "../../../core/schemas/ids.ts";
import { type Baseline, Evidence } from "../../../core/schemas/skill.ts";
import { SESSION } from "../../support/skills/reviews.ts";

export const TEXT = sha256Hex("present");
export const PARENT = sha256Hex("parent");

export interface UsesGiven {
  text?: string;
  skill?: string;
  /** Number of the first turn. */
  from?: number;
  baseline?: Baseline | null;
  calls?: number;
  /** One for all of them; without it each turn is a task of its own. */
  task?: string;
  /** The time of the first; each takes a minute. */
  startMs?: number;
  judge?: Evidence["judge"];
}

const START_MS = Date.UTC(2026, 0, 5, 9);
const MINUTE_MS = 60_000;

export function usesOf(signs: string, given: UsesGiven = {}): Evidence[] {
  const { text = TEXT, from = 1, baseline = null, calls = 5, startMs = START_MS, judge = "exit" } = given;
  return [...signs].map((sign, at) => {
    const n = from + at;
    const endedAt = startMs + n * MINUTE_MS;
    return Evidence.parse({
      ...{
        v: 2,
        skill: given.skill ?? "tables",
        text,
        turn: `${SESSION}-${n}`,
        judge,
        day: dayOf(endedAt),
        at: endedAt,
      },
      outcome: sign === "?" ? "unknown" : sign === "-" || sign === "x" ? "failure" : "success",
      contradicted: sign === "c" || sign === "x",
      task: given.task ?? `task ${n}`,
      ...{ modelCalls: 2, toolCalls: calls, failedCalls: 0, tokens: 100, baseline },
    });
  });
}

/** When the turn of a number ended. */
export function endOf(n: number): number {
  return START_MS + n * MINUTE_MS;
}
