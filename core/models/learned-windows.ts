// Learns window and longest answer of a model from refusals that name them. Models of the operator's own server are in no catalog,
// so this saves configuring them. Wraps a Model; created by routing.ts. A new isolate learns again from one refused request.
import type { Model } from "../agent/contract.ts";

/** By the model's name. */
export type LearnedWindows = Map<string, LearnedSizes>;

/** In tokens. */
interface LearnedSizes {
  window?: number;
  answer?: number;
}

/** Keeps a model within the sizes that its provider has named. `isSet`: the operator configured its window. */
export function withLearnedWindow(model: Model, learned: LearnedWindows, isSet = false): Model {
  return {
    ...model,
    get contextWindow() {
      return Math.min(model.contextWindow, learned.get(model.name)?.window ?? Infinity);
    },
    get isWindowKnown() {
      return isSet || learned.get(model.name)?.window !== undefined;
    },
    async *stream(request, signal, noteActivity) {
      const maxTokens = learned.get(model.name)?.answer ?? Infinity;
      const fitted = request.maxOutputTokens > maxTokens ? { ...request, maxOutputTokens: maxTokens } : request;
      for await (const event of model.stream(fitted, signal, noteActivity)) {
        if (event.type === "failed") {
          const { window, maxOutputTokens: answer } = event.failure;
          const known = learned.get(model.name);
          if (window || answer)
            learned.set(model.name, { ...known, ...(window && { window }), ...(answer && { answer }) });
        }
        yield event;
      }
    },
  };
}
