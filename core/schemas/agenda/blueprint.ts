// Blueprints and suggestions as the API shows and takes them. Forms only.
import * as z from "zod";
import { SessionId, TurnId } from "../ids.ts";
import { Goal } from "./goal.ts";
import { JobInfo } from "./job-api.ts";
import { JobName } from "./job.ts";

export const BlueprintId = z.string().regex(/^[a-z](?:[a-z-]{0,38}[a-z])?$/, "1 to 40 characters: a-z, and - inside");
export type BlueprintId = z.infer<typeof BlueprintId>;

const SLOT_TYPES = [
  ...(["text", "time", "weekday", "days", "timeZone", "url", "deliver", "number", "choice"] as const),
] as const;

/** One question of a form. A slot with a default, or that is optional, may be left out. */
export const SlotInfo = z.object({
  name: z.string(),
  type: z.enum(SLOT_TYPES),
  ask: z.string().meta({ description: "What to ask a person" }),
  required: z.boolean(),
  default: z.union([z.string(), z.number()]).optional(),
  options: z.array(z.string()).optional(),
});
export type SlotInfo = z.infer<typeof SlotInfo>;

export const BlueprintInfo = z.object({
  id: BlueprintId,
  title: z.string(),
  purpose: z.string(),
  kind: z.enum(["job", "goal"]),
  slots: z.array(SlotInfo),
  form: z.record(z.string(), z.unknown()).meta({ description: "JSON Schema of `slots` in a request" }),
  example: z.string().meta({ description: "The command that makes it" }),
});
export type BlueprintInfo = z.infer<typeof BlueprintInfo>;

export const BlueprintList = z.object({ blueprints: z.array(BlueprintInfo) });

/** As a person writes them; numbers may be texts. */
export const SlotValues = z.record(z.string().max(40), z.union([z.string().max(8_000), z.number()]));
export type SlotValues = z.infer<typeof SlotValues>;

const slots = SlotValues.default({}).meta({ description: "As the blueprint's `form` says" });

export const UseBlueprint = z.strictObject({
  name: JobName.optional().meta({ description: "Of the job. Default: the blueprint's id" }),
  session: SessionId.optional().meta({ description: "Which session works at the goal. A goal needs one" }),
  slots,
});

export const AcceptSuggestion = z.strictObject({
  name: JobName.optional().meta({ description: "Of the job. Default: made from the suggestion's id" }),
  slots: slots.meta({ description: "In place of what the suggestion proposes" }),
});

export const MadeOfBlueprint = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("job"), blueprint: BlueprintId, job: JobInfo }),
  z.object({ kind: z.literal("goal"), blueprint: BlueprintId, goal: Goal }),
]);
export type MadeOfBlueprint = z.infer<typeof MadeOfBlueprint>;

/** The same proposal has the same id, however often it is computed. */
export const SuggestionId = z.string().regex(/^[0-9a-f]{16}$/, "16 hexadecimal digits");
export type SuggestionId = z.infer<typeof SuggestionId>;

export const Suggestion = z.object({
  id: SuggestionId,
  blueprint: BlueprintId,
  title: z.string(),
  why: z.string().meta({ description: "What was counted" }),
  slots: SlotValues.meta({ description: "What the blueprint would be filled with" }),
  sources: z
    .array(z.object({ session: SessionId, turn: TurnId, at: z.int(), request: z.string() }))
    .meta({ description: "The owner's own requests that it rests on, newest first" }),
});
export type Suggestion = z.infer<typeof Suggestion>;
export const SuggestionList = z.object({ suggestions: z.array(Suggestion).max(5) });

/**
 * What the owner said of a suggestion. `words`: hashes of the words of its requests, so that the same proposal is known again in other words.
 * A stored form: for a change, raise `v`.
 */
export const SuggestionDecision = z.object({
  v: z.literal(1),
  id: SuggestionId,
  blueprint: BlueprintId,
  state: z.enum(["accepted", "dismissed"]),
  words: z.array(z.string().max(16)).max(40),
  at: z.int(),
});
export type SuggestionDecision = z.infer<typeof SuggestionDecision>;
