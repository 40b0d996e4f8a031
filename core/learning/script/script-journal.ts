// The loop's Journal over a script: one create-only object for each step, in strict order. A run that loses a create adopts the
// existing step, so that resumed and concurrent runs follow the same script. Used by review/review.ts for a review, and by
// curation/work/run-work.ts for a curation's work.
import type { Journal, ModelFailure, Recorded, ToolResult } from "../../agent/contract.ts";
import { fail } from "../../agent/tool-result.ts";
import { type Result, assert, ok } from "../../errors.ts";
import type { Clock, ReviewStore } from "../../ports.ts";
import type { Answer } from "../../schemas/entry.ts";
import type { ReviewId } from "../../schemas/ids.ts";
import type { ReviewStep } from "../../schemas/learning/review.ts";

export interface ScriptJournal extends Journal {
  /** The script up to the present step of the run. */
  steps(): ReviewStep[];
}

interface ScriptJournalOptions {
  reviews: Pick<ReviewStore, "script" | "createStep">;
  /** The owner of the script, such as a review. Part of the keys of its steps, and of the op of each write. */
  review: ReviewId;
  clock: Clock;
  /** The steps recorded so far; the first is `start`. */
  script: ReviewStep[];
}

/**
 * Throws when a store does, and when a recorded step is not the one that the loop expects. Another version of the program wrote it
 * then, and guessing could repeat a write.
 */
export function createScriptJournal(options: ScriptJournalOptions): ScriptJournal {
  const { reviews, review, clock } = options;
  let script = [...options.script];
  let next = 1;

  /** Records the next step. If another delivery has recorded it, adopts that step and all later ones. */
  async function record(step: ReviewStep): Promise<ReviewStep> {
    const put = await reviews.createStep(review, next, step);
    script[next] = put.step;
    if (!put.won) {
      const fresh = (await reviews.script(review)).steps;
      if (fresh.length > script.length) script = fresh;
    }
    return put.step;
  }

  /** Takes the next step as the intent of the call. `resumed`: an earlier run recorded it, and may have begun the call. */
  async function adoptOrRecordIntent(work: JournaledCall): Promise<Attempt> {
    const { id } = work.call;
    const known = script[next];
    const intent =
      known ??
      (await record({ v: 1, kind: "intent", at: clock.now(), call: id, prepared: (await work.prepare?.()) ?? {} }));
    assert(
      intent.kind === "intent" && intent.call === id,
      describeDivergence(review, next, `the intent of ${id}`, intent),
    );
    const attempt = { op: toOp(review, next), prepared: intent.prepared, entry: next };
    next += 1;
    return known ? { ...attempt, resumed: true } : attempt;
  }

  return {
    steps: () => script.slice(0, next),
    /** Steps have consecutive numbers, so calls cannot run in parallel. */
    parallel: false,
    toolsNeverChange: true,

    async answer(_step, ask): Promise<Result<Recorded<Answer>, ModelFailure>> {
      let recorded = script[next];
      if (!recorded) {
        const asked = await ask(SILENT);
        if (!asked.ok) return asked;
        recorded = await record({ v: 1, kind: "answer", at: clock.now(), answer: withoutUndefined(asked.value) });
      }
      assert(recorded.kind === "answer", describeDivergence(review, next, "an answer", recorded));
      next += 1;
      return ok({ value: recorded.answer, entry: next - 1 });
    },

    async call(_step, _index, work): Promise<Recorded<ToolResult>> {
      const id = work.call.id;
      const needsIntent = work.effect !== "read" && script[next]?.kind !== "outcome";
      const attempt: Attempt = needsIntent
        ? await adoptOrRecordIntent(work)
        : { op: toOp(review, next), prepared: {}, entry: next };
      let recorded = script[next];
      if (!recorded) {
        const isUnknown = attempt.resumed === true && work.effect === "unkeyed";
        const result = isUnknown ? outcomeUnknown() : await work.run(attempt);
        recorded = await record({ v: 1, kind: "outcome", at: clock.now(), call: id, ...result });
      }
      assert(
        recorded.kind === "outcome" && recorded.call === id,
        describeDivergence(review, next, `the outcome of ${id}`, recorded),
      );
      next += 1;
      const { failed, parts, print } = recorded;
      return { value: { failed, parts, ...(print !== undefined && { print }) }, entry: next - 1 };
    },
  };
}

/** The idempotency key of a write: its place in the script, the same in every delivery. */
function toOp(review: ReviewId, n: number): string {
  return `${review}.${String(n).padStart(4, "0")}`;
}

type JournaledCall = Parameters<Journal["call"]>[2];
type Attempt = Parameters<JournaledCall["run"]>[0];

/** A review has no readers. */
const SILENT = { text() {}, reasoning() {}, restart() {} };

/** The answer as a later run reads it from JSON, so that both runs see the same value. */
function withoutUndefined(answer: Answer): Answer {
  return JSON.parse(JSON.stringify(answer)) as Answer;
}

function outcomeUnknown(): ToolResult {
  return fail("outcome_unknown", "The review was interrupted while this ran, so whether it took effect is unknown.");
}

function describeDivergence(review: ReviewId, n: number, expected: string, found: ReviewStep): string {
  return `step ${n} of review ${review} should be ${expected}, but the script holds ${found.kind}`;
}
