// Where a session's first turns were copied from. Forms only.
import * as z from "zod";
import { SessionId } from "../ids.ts";

/** Turns up to `turn` and entries up to `entry` have the same numbers in that session. */
export const Origin = z.object({ session: SessionId, turn: z.int().min(1), entry: z.int().min(1) });
export type Origin = z.infer<typeof Origin>;
