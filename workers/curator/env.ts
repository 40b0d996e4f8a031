// What the curator Worker is bound to: skills, its own queue, and the secrets of models. A test compares it with
// wrangler.toml.
import * as z from "zod";
import { MODEL_SECRETS, MODEL_VARIABLES, type ModelSecret, type ModelVariable } from "../../core/models/model-env.ts";
import type { CurationMessage } from "../../core/schemas/learning/curation.ts";

interface Bindings {
  SKILLS: R2Bucket;
  CURATION: Queue<CurationMessage>;
}

const variable = z.string().optional();

/** Variables and secrets. A Worker has its bindings in the same object, so that others are passed over. */
export const Variables = z.object({
  TALARIA_SETTINGS: variable,
  ...(Object.fromEntries([...MODEL_SECRETS, ...MODEL_VARIABLES].map((name) => [name, variable])) as Record<
    ModelSecret | ModelVariable,
    typeof variable
  >),
});

export type Env = Bindings & z.infer<typeof Variables>;
