// What each kind of wait does when its time is over, or when its turn ends first. One row for each kind.
import type { WaitKind } from "../../../schemas/entry.ts";
import { CLARIFY_END } from "../../approvals/clarifying.ts";
import { QUESTION_END } from "../../approvals/questions.ts";
import { CLIENT_END } from "../../client/client-calls.ts";
import { CHILDREN_END } from "../../delegation/settle-children.ts";
import type { WaitEnd } from "./park-turn.ts";

export const WAIT_ENDS: Record<WaitKind, WaitEnd> = {
  approval: QUESTION_END,
  clarify: CLARIFY_END,
  children: CHILDREN_END,
  client: CLIENT_END,
};
