// What a review's model calls used and cost, from its script: for its result, and for the session that settles a review
// which never came to one. Pure.
import type { ReviewResult, ReviewStep } from "../schemas/review.ts";
import { type SpentCall, type UsageLine, toSpentCall, toUsageLines } from "../schemas/usage.ts";

type Spent = NonNullable<ReviewResult["spent"]>;

/** One line for each model and source of its price. `failed`: calls that brought no answer, and a bill all the same. */
export function spentOf(script: ReviewStep[], failed: SpentCall[] = []): Spent {
  const answers = script.flatMap((step) => (step.kind === "answer" ? [toSpentCall(step.answer)] : []));
  const lines = toReviewLines([...answers, ...failed]);
  return lines.map(({ model, calls, usage, usdMicros, source }) => ({
    model,
    calls,
    usage,
    cost: { usdMicros, source },
  }));
}

export function toReviewLines(calls: (SpentCall | Spent[number])[]): UsageLine[] {
  return toUsageLines(calls.map((call) => ({ kind: "review", ...call })));
}
