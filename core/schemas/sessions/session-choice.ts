// What a person has chosen for one session instead of the deployment's defaults. Stored with the session and, while a turn runs,
// with that turn. Forms only.
import * as z from "zod";
import { PersonalityName } from "../profile/personality.ts";
import { ToolSettings } from "../profile/tools.ts";
import { Effort } from "../settings.ts";

/** An absent field: the default. `model`: a name from the deployment's list of models to choose from. */
export const SessionChoice = z.object({
  model: z.string().optional(),
  effort: Effort.optional(),
  personality: PersonalityName.optional(),
  tools: ToolSettings.optional(),
});
export type SessionChoice = z.infer<typeof SessionChoice>;

/** Changes of a session. An absent field stays as it is; `null` goes back to the default. */
export const ChangeSession = z.strictObject({
  title: z.string().trim().min(1).max(200).optional(),
  model: z.string().min(1).max(200).nullable().optional(),
  effort: Effort.nullable().optional(),
  personality: PersonalityName.nullable().optional(),
  tools: ToolSettings.nullable().optional(),
});
export type ChangeSession = z.infer<typeof ChangeSession>;
