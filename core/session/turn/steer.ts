// How a model reads what the person put into a running turn. Used by the journal while the turn runs and by the history
// of later turns: both must give the same bytes. Pure.
import type { Message } from "../../agent/contract.ts";
import { type UserEntry, textOf } from "../../schemas/entry.ts";

/** Behind a marker that is random for each turn, so that a text from elsewhere cannot pass for it. */
export function toSteerMessage(entry: UserEntry): Message {
  return { role: "user", text: `[steer ${entry.steer?.marker}]\n${textOf(entry)}`, entry: entry.n };
}
