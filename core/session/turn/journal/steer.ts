// Renders a message of the person for the model, also one that steers a running turn. Used by the journal while the turn runs and by
// the history of later turns: both must give the same bytes. Pure.
import type { Message } from "../../../agent/contract.ts";
import { type UserEntry, textOf } from "../../../schemas/entry.ts";

/** The marker is random for each turn, so that text from other sources cannot imitate it. */
export function toSteerMessage(entry: UserEntry): Message {
  return toUserMessage(entry, `[steer ${entry.steer?.marker}]\n${textOf(entry)}`);
}

export function toUserMessage({ images, n }: UserEntry, text: string): Message {
  return { role: "user", text, ...(images && { images }), entry: n };
}
