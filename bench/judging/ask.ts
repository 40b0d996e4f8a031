// One model call without a retry. Used by bench:judging for calls that need only text.
import type { Model, ModelFailure, ModelRequest } from "../../core/agent/contract.ts";
import { type Failure, type Result, err, ok } from "../../core/errors.ts";

/** The text of the answer. Failures: the model's, and `no_end`. */
export async function askOnce(model: Model, request: ModelRequest): Promise<Result<string, ModelFailure | Failure>> {
  for await (const event of model.stream(request, new AbortController().signal)) {
    if (event.type === "failed") return { ok: false, failure: event.failure };
    if (event.type === "done") return ok(event.answer.text);
  }
  return err("no_end", "The stream had no end.");
}
