// The mark of a message with which a session goes on with a goal: kept with its entry. Forms only.
import * as z from "zod";

export const GoalId = z.string().regex(/^[0-9a-z]{16}$/, "16 digits and small letters");
export type GoalId = z.infer<typeof GoalId>;

export const GoalMark = z.object({ id: GoalId, serial: z.int().min(1) });
export type GoalMark = z.infer<typeof GoalMark>;
