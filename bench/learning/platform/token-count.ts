// Counts the tokens of all model calls of a run, by what they were made for. The platform wraps its models with it.
import type { Model } from "../../../core/agent/contract.ts";
import { promptTokens } from "../../../core/schemas/entry.ts";

/** `turns`: all calls of sessions, titles and compactions too. `replays`: all calls of experiments. */
export interface TokensByUse {
  turns: number;
  reviews: number;
  curation: number;
  replays: number;
}

export function createTokenCount() {
  const used: TokensByUse = { turns: 0, reviews: 0, curation: 0, replays: 0 };
  return {
    used,
    /** The same model; what its answers use is added to `use`. */
    count(use: keyof TokensByUse, model: Model): Model {
      return {
        ...model,
        async *stream(request, signal, noteActivity) {
          for await (const event of model.stream(request, signal, noteActivity)) {
            if (event.type === "done") used[use] += promptTokens(event.answer.usage) + event.answer.usage.output;
            yield event;
          }
        },
      };
    },
  };
}
