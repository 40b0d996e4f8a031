// What a profile's owner allows its skills. Forms only.
import * as z from "zod";

/** `inlineShell`: a skill that a person loads by a slash command may run its inline snippets in the session's shell. */
export const SkillSettings = z.strictObject({ inlineShell: z.boolean().default(false) });
export type SkillSettings = z.infer<typeof SkillSettings>;
