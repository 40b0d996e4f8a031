// What the review Worker is bound to: skills, memory, and the secrets of models. Nothing else may ever stand here; a test
// compares it with wrangler.toml.
import * as z from "zod";

export interface Bindings {
  SKILLS: R2Bucket;
  MEMORY: KVNamespace;
}

const variable = z.string().optional();

/** Variables and secrets. A Worker has its bindings in the same object, so that others are passed over. */
export const Variables = z.object({
  TALARIA_SETTINGS: variable,
  TALARIA_MODEL: variable,
  ANTHROPIC_API_KEY: variable,
  ANTHROPIC_BASE_URL: variable,
  OPENAI_API_KEY: variable,
  OPENAI_BASE_URL: variable,
  OPENAI_MODEL: variable,
});
export type Variables = z.infer<typeof Variables>;

export type Env = Bindings & Variables;
