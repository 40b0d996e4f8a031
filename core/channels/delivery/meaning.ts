// What a pressed button means. Stored with the button.
import * as z from "zod";
import { ApprovalScope } from "../../schemas/approvals/approval.ts";
import { SessionId } from "../../schemas/ids.ts";

const ofQuestion = { session: SessionId, approval: z.string() };

/** `approval`: the id of the session's question. `choice`: from 1. `command`: as if the person had written it. */
export const ButtonMeaning = z.discriminatedUnion("does", [
  z.object({ does: z.literal("approve"), ...ofQuestion, scope: ApprovalScope }),
  z.object({ does: z.literal("deny"), ...ofQuestion }),
  z.object({ does: z.literal("answer"), ...ofQuestion, choice: z.int().min(1) }),
  z.object({ does: z.literal("command"), text: z.string() }),
]);
export type ButtonMeaning = z.infer<typeof ButtonMeaning>;
