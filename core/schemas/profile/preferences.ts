// What a person may change of the operator's settings for their own profile. Each has the operator's name for it, except for three
// that the operator has no setting for. Which values are allowed: core/preferences.ts. Forms only.
import * as z from "zod";
import { Effort, Settings } from "../settings.ts";
import { PersonalityName } from "./personality.ts";

const { turn, budget, review, memory, skills } = Settings.shape;

/** Absent: as the operator has set it. */
export const Preferences = z
  .strictObject({
    model: z.string().min(1).max(200).describe("The model of sessions that have chosen none, from GET /v1/models."),
    personality: PersonalityName.describe("The personality of sessions that have chosen none."),
    learning: z
      .enum(["on", "off"])
      .describe("`off`: no session uses or produces learned skills and memory, whatever it was created with."),
    "models.effort.turn": Effort.describe(
      "How much the model of a conversation reasons, where the session has chosen nothing.",
    ),
    "turn.busy": turn.shape.busy,
    "turn.titles": turn.shape.titles,
    "turn.maxSteps": turn.shape.maxSteps,
    "turn.maxTokens": turn.shape.maxTokens,
    "turn.maxUsd": turn.shape.maxUsd,
    "turn.approvalMs": turn.shape.approvalMs,
    "turn.clarifyMs": turn.shape.clarifyMs,
    "budget.sessionTokens": budget.shape.sessionTokens,
    "budget.sessionUsd": budget.shape.sessionUsd,
    "budget.profileDayTokens": budget.shape.profileDayTokens,
    "budget.profileDayUsd": budget.shape.profileDayUsd,
    "review.enabled": review.shape.enabled,
    "review.without": review.shape.without.max(50),
    "review.notice": review.shape.notice,
    "review.afterModelCalls": review.shape.afterModelCalls,
    "review.minValue": review.shape.minValue,
    "review.memoryAfterTurns": review.shape.memoryAfterTurns,
    "review.replayTokens": review.shape.replayTokens,
    "memory.writeApproval": memory.shape.writeApproval,
    "skills.writeApproval": skills.shape.writeApproval,
    "skills.recall": skills.shape.recall,
  })
  .partial();
export type Preferences = z.infer<typeof Preferences>;
export type PreferenceName = keyof Preferences;

export const PREFERENCE_NAMES = Object.keys(Preferences.shape) as PreferenceName[];

/** How one is stored. Its own form is checked when it is read. */
export const StoredPreference = z.union([z.boolean(), z.number(), z.string(), z.array(z.string())]);
export type StoredPreference = z.infer<typeof StoredPreference>;

type Shape = typeof Preferences.shape;
type NullableShape = { [Name in PreferenceName]: z.ZodOptional<z.ZodNullable<ReturnType<Shape[Name]["unwrap"]>>> };

/** An absent field stays as it is; `null` goes back to the operator's. */
export const ChangePreferences = z.strictObject(
  Object.fromEntries(
    PREFERENCE_NAMES.map((name) => [name, Preferences.shape[name].unwrap().nullable().optional()]),
  ) as unknown as NullableShape,
);
export type ChangePreferences = z.infer<typeof ChangePreferences>;

/** Which values a person may set. `zero`: 0 is also allowed, and means no limit. `always`: in force whatever the person sets. */
const AllowedValues = z.object({
  oneOf: z.array(z.union([z.string(), z.boolean()])).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  zero: z.literal("no limit").optional(),
  always: z.array(z.string()).optional(),
});

/** `value`: in force. `operator`: without the person's. `own`: the person's; `null` if there is none. */
export const PreferenceInfo = z.object({
  value: StoredPreference.nullable(),
  operator: StoredPreference.nullable(),
  own: StoredPreference.nullable(),
  allowed: AllowedValues,
  about: z.string(),
});
export type PreferenceInfo = z.infer<typeof PreferenceInfo>;

export const PreferenceList = z.object({
  settings: z.record(z.string(), PreferenceInfo),
  /** What else a person sets for their agent, and the route of each. */
  elsewhere: z.record(z.string(), z.string()),
});
export type PreferenceList = z.infer<typeof PreferenceList>;
