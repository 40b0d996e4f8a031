// What the person's client says of how the agent should work: in the prompt of each epoch, and as a note before the message that changes
// it within one. Stored once, under the meta key `guidance`. Called when turns begin, by the prompt, and by `/undo`.
import type { NoteEntry, NoticeEntry } from "../../schemas/entry.ts";
import type { Sha256 } from "../../schemas/ids.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { TurnRow } from "../log-turns.ts";
import type { Log } from "../log.ts";

/** `shown`: the fingerprint of the text that the model has read last. */
interface Guidance {
  v: 1;
  hash: Sha256;
  text: string;
  shown: Sha256 | null;
}

const KEY = "guidance";
const CODE = "guidance";
/** Of a notice that no model reads: the prompt has the text. With it the log says what the person's client has said. */
const IN_PROMPT = "guidance_given";

/** "" for none. */
export function guidanceText(log: Log): string {
  return log.meta<Guidance>(KEY)?.text ?? "";
}

/**
 * Inside the transaction that begins the turn: stores what its client says, if that is new, and returns the entry that says so, which the
 * caller writes before the message. The same guidance again changes nothing.
 */
export function takeGuidance(
  log: Log,
  text: string,
  place: Pick<NoteEntry, "n" | "turn" | "at">,
): NoteEntry | NoticeEntry | null {
  if (text.trim() === "") return null;
  const before = log.meta<Guidance>(KEY);
  const hash = before?.text === text ? before.hash : sha256Hex(text);
  if (before?.hash === hash && before.shown === hash) return null;
  // The first prompt is made later, with this text in it.
  const isInNote = log.meta("prompt") !== null;
  log.setMeta(KEY, { v: 1, hash, text, shown: isInNote ? hash : null } satisfies Guidance);
  if (!isInNote) {
    return before?.hash === hash
      ? null
      : { v: 1, ...place, kind: "notice", code: IN_PROMPT, parts: [{ source: "principal", text }] };
  }
  const parts: NoteEntry["parts"] = [
    { source: "outcome", text: "The person's client now guides you by this, in place of earlier guidance:\n" },
    { source: "principal", text },
  ];
  return { v: 1, ...place, kind: "note", code: CODE, parts };
}

/** Of the session that this one branches from. Its first prompt has the text. */
export function putGuidance(log: Log, text: string): void {
  log.setMeta(KEY, { v: 1, hash: sha256Hex(text), text, shown: null } satisfies Guidance);
}

/** Inside the transaction that stores a new prompt, which holds the text. */
export function markGuidanceShown(log: Log): void {
  const guidance = log.meta<Guidance>(KEY);
  if (guidance && guidance.shown !== guidance.hash) log.setMeta(KEY, { ...guidance, shown: guidance.hash });
}

/** Inside the transaction that takes the turn back: a note before its message is no longer read, so the text counts as unread. */
export function forgetGuidanceNote(log: Log, turn: Pick<TurnRow, "n" | "input">): void {
  const guidance = log.meta<Guidance>(KEY);
  if (guidance && findGuidanceEntry(log, turn)?.kind === "note") log.setMeta(KEY, { ...guidance, shown: null });
}

/** What was written before the turn's message; `null`: nothing. */
export function findGuidanceEntry(
  log: Log,
  { n, input }: Pick<TurnRow, "n" | "input">,
): NoteEntry | NoticeEntry | null {
  const before = input !== null && input > 1 ? log.entry(input - 1) : null;
  if (before?.turn !== n || (before.kind !== "note" && before.kind !== "notice")) return null;
  return before.code === CODE || before.code === IN_PROMPT ? before : null;
}
