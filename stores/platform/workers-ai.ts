// The Similarity port over Workers AI. Used by the Archive object if the operator has bound it.
import * as z from "zod";
import type { Similarity } from "../../core/ports.ts";

/** A multilingual embedding model with 1,024 dimensions: https://developers.cloudflare.com/workers-ai/models/bge-m3/ */
const MODEL = "@cf/baai/bge-m3";
/**
 * [own] Not measured: a development machine has no such binding. Too high finds less than words do; too low lists skills that
 * do not match.
 */
const MIN_SIMILARITY = 0.5;

const Reply = z.object({ data: z.array(z.array(z.number())) });

export function toSimilarity(ai: {
  run(model: typeof MODEL, inputs: { text: string[] }): Promise<unknown>;
}): Similarity {
  return {
    model: MODEL,
    least: MIN_SIMILARITY,
    async embed(texts) {
      const { data } = Reply.parse(await ai.run(MODEL, { text: texts }));
      if (data.length !== texts.length)
        throw new Error(`${MODEL} returned ${data.length} vectors for ${texts.length} texts`);
      return data;
    },
  };
}
