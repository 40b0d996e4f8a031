// What the review Worker is bound to: skills, memory, and the secrets of models. Nothing else may ever stand here; a test
// compares it with wrangler.toml.
import * as z from "zod";
import { MODEL_SECRETS, MODEL_VARIABLES, type ModelSecret, type ModelVariable } from "../../core/models/model-env.ts";

export interface Bindings {
  SKILLS: R2Bucket;
  MEMORY: KVNamespace;
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
export type Variables = z.infer<typeof Variables>;

export type Env = Bindings & Variables;
