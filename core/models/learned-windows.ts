// The windows that providers have told by refusing: a model of the operator's own server is in no catalog, and nobody has to
// configure its size. Wraps a Model; made by routing.ts. One memory an isolate: a new one learns again by one refused request.
import type { Model } from "../agent/contract.ts";

/** Tokens by the model's name. */
export type LearnedWindows = Map<string, number>;

/** The same model, whose window is never larger than its provider has said. */
export function withLearnedWindow(model: Model, learned: LearnedWindows): Model {
  return {
    ...model,
    get contextWindow() {
      return Math.min(model.contextWindow, learned.get(model.name) ?? Infinity);
    },
    async *stream(request, signal, heard) {
      for await (const event of model.stream(request, signal, heard)) {
        if (event.type === "failed" && event.failure.window) learned.set(model.name, event.failure.window);
        yield event;
      }
    },
  };
}
