// The models that GET /v1/models lists, in our form, OpenAI's and Anthropic's. Forms only.
import * as z from "zod";
import { DoctorReport } from "./doctor.ts";
import { Effort, Price } from "./settings.ts";

/**
 * `efforts`: how much it can reason, as far as known. `window`: its context window in tokens, as Talaria reckons with it. `price`: in
 * US dollars per million tokens, with who says so; absent if unknown.
 */
const KnownModel = z.object({
  name: z.string(),
  window: z.int().min(1).optional(),
  efforts: z.array(Effort).optional(),
  price: Price.extend({ source: z.enum(["operator", "catalog"]) }).optional(),
});
/** A model that may be chosen for a session. */
export const ModelInfo = KnownModel.extend({ isDefault: z.boolean() });
/** The models of one kind of work, the first choice first. `own`: named for this kind of work; otherwise those of the turns. */
export const SlotInfo = z.object({ slot: z.string(), own: z.boolean(), models: z.array(KnownModel) });
/** [OpenAI] `created`: 0, for unknown. */
export const OpenAiModel = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});
export type OpenAiModel = z.infer<typeof OpenAiModel>;

/**
 * `models`: those to choose from. `data`: the same, after the profile's agent. `slots`: which models do what. `next`: absent on the
 * last page.
 */
export const ModelList = z.object({
  object: z.literal("list"),
  data: z.array(OpenAiModel),
  models: z.array(ModelInfo),
  slots: z.array(SlotInfo),
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

/** Whether a model answers: what one short call to each of its keys found. `ms`: until the answer was whole. */
export const ModelTest = DoctorReport.pick({ ms: true, lines: true, spent: true });
