// Vectors of texts by Workers AI, as the Similarity of the core. Used by the Archive object where the operator has bound it.
import * as z from "zod";
import type { Similarity } from "../../core/ports.ts";

/** Many languages in one space, 1,024 numbers: https://developers.cloudflare.com/workers-ai/models/bge-m3/ */
const MODEL = "@cf/baai/bge-m3";
/** [own] Not measured: a development machine has no such binding. Too high finds less than words do, too low lists what does not fit. */
const LEAST = 0.5;

const Reply = z.object({ data: z.array(z.array(z.number())) });

export function toSimilarity(ai: {
  run(model: typeof MODEL, inputs: { text: string[] }): Promise<unknown>;
}): Similarity {
  return {
    model: MODEL,
    least: LEAST,
    async embed(texts) {
      const { data } = Reply.parse(await ai.run(MODEL, { text: texts }));
      if (data.length !== texts.length)
        throw new Error(`${MODEL} answered ${data.length} vectors for ${texts.length} texts`);
      return data;
    },
  };
}
