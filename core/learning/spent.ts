// What the model calls of a review or a curation used and cost, from its script: for its result, and for the session that settles
// a review which never came to one.
import type { Model } from "../agent/contract.ts";
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

/** Puts what calls cost that bring no answer into `failed`: a script holds answers only. */
export function tellFailed(model: Model, failed: SpentCall[]): Model {
  return {
    ...model,
    get contextWindow() {
      return model.contextWindow;
    },
    async *stream(request, signal, heard) {
      for await (const event of model.stream(request, signal, heard)) {
        if (event.type === "failed" && event.failure.spent) failed.push(event.failure.spent);
        yield event;
      }
    },
  };
}
