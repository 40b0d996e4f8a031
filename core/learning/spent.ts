// What the model calls of a review or a curation used and cost, from its script: for its result, and for the session that settles
// a review which never came to one.
import * as z from "zod";
import type { Model } from "../agent/contract.ts";
import type { ReviewResult, ReviewStep } from "../schemas/review.ts";
import { SpentCall, type UsageLine, toSpentCall, toUsageLines } from "../schemas/usage.ts";

type Spent = NonNullable<ReviewResult["spent"]>;

/** One line for each model and source of its price. `failed`: calls that brought no answer, and a bill all the same. */
export function spentOf(script: ReviewStep[], failed: SpentCall[] = []): Spent {
  const lines = toReviewLines([...script.flatMap(spentIn), ...failed]);
  return lines.map(({ model, calls, usage, usdMicros, source }) => ({
    model,
    calls,
    usage,
    cost: { usdMicros, source },
  }));
}

/** The calls of a second judge are recorded with the write that it was asked about. */
const Judged = z.object({ judged: z.object({ spent: z.array(SpentCall) }) });

function spentIn(step: ReviewStep): SpentCall[] {
  if (step.kind === "answer") return [toSpentCall(step.answer)];
  return (step.kind === "intent" && Judged.safeParse(step.prepared).data?.judged.spent) || [];
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
