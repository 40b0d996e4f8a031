// The models that GET /v1/models lists, in our form, OpenAI's and Anthropic's. Forms only.
import * as z from "zod";
import { Effort } from "./settings.ts";

/**
 * A model that may be chosen for a session. `efforts`: how much it can reason, as far as known. `window`: its context window in
 * tokens, as Talaria reckons with it.
 */
export const ModelInfo = z.object({
  name: z.string(),
  isDefault: z.boolean(),
  window: z.int().min(1).optional(),
  efforts: z.array(Effort).optional(),
});
/** [OpenAI] `created`: 0, for unknown. */
export const OpenAiModel = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});
export type OpenAiModel = z.infer<typeof OpenAiModel>;

/** `models`: those to choose from. `data`: the same, after the profile's agent. `next`: absent on the last page. */
export const ModelList = z.object({
  object: z.literal("list"),
  data: z.array(OpenAiModel),
  models: z.array(ModelInfo),
  next: z.string().optional(),
});

export const AnthropicModel = z.object({
  type: z.literal("model"),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string(),
});
export type AnthropicModel = z.infer<typeof AnthropicModel>;
export const AnthropicModelList = z.object({
  data: z.array(AnthropicModel),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});
