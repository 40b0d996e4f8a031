// Chooses what the tool session_search shows of found messages: one hit a session, an order, and texts cut to limits. Pure.
import { toSnippet } from "../../archive/messages/message-snippets.ts";
import { clip } from "../../clip.ts";
import type { FoundMessage, IndexedMessage } from "../../schemas/archived-message.ts";

export type SearchOrder = "relevance" | "newest" | "oldest";

/** A message as it is shown. `text` may be cut. */
export type ShownMessage = Pick<IndexedMessage, "session" | "n" | "role" | "at" | "text">;

/** Characters of a tool result in a window of messages. */
const MAX_RESULT_CHARS = 200;
/** Share of a window's limit that the message which was found may take. */
const HIT_SHARE = 0.5;

/** `found`: best first. Keeps the best hit of each session, then the best `limit` of these, in the requested order. */
export function pickHits(found: FoundMessage[], limit: number, order: SearchOrder): FoundMessage[] {
  const sessions = new Set<string>();
  const best = found.filter(({ session }) => !sessions.has(session) && sessions.add(session));
  return sortHits(best, limit, order);
}

/** `found`: best first. The best `limit` of them, in the requested order. */
export function sortHits(found: FoundMessage[], limit: number, order: SearchOrder): FoundMessage[] {
  const best = found.slice(0, limit);
  if (order === "relevance") return best;
  const sign = order === "newest" ? -1 : 1;
  return best.toSorted((a, b) => sign * (a.at - b.at || a.id - b.id));
}

/**
 * The messages in their order, whose texts take at most `maxChars` together. The hit, the message `n`, shows the passage with the
 * query's words. Short messages stay whole; the others share the rest equally.
 */
export function fitWindow(
  messages: IndexedMessage[],
  { n, words, maxChars }: { n: number; words: string[]; maxChars: number },
): ShownMessage[] {
  const hit = messages.find((message) => message.n === n);
  const shownHit = hit && toShown(hit, toSnippet(hit.text, words, Math.floor(maxChars * HIT_SHARE)).text);
  const others = messages.filter((message) => message !== hit);
  const fitted = fitEqually(others, maxChars - (shownHit?.text.length ?? 0));
  return [...(shownHit ? [shownHit] : []), ...fitted].toSorted((a, b) => a.n - b.n);
}

/** Texts that take at most `maxChars` together. What a short one leaves is for the longer ones. */
export function fitEqually(messages: IndexedMessage[], maxChars: number): ShownMessage[] {
  const byLength = messages.toSorted((a, b) => a.text.length - b.text.length);
  let left = Math.max(0, maxChars);
  return byLength.map((message, i) => {
    const share = Math.floor(left / (byLength.length - i));
    const shown = clipMessage(message, share);
    left -= shown.text.length;
    return shown;
  });
}

/** A message with at most `maxChars` characters of its text, and fewer of a tool's result. */
export function clipMessage(message: IndexedMessage, maxChars: number): ShownMessage {
  const most = message.role === "tool" ? Math.min(maxChars, MAX_RESULT_CHARS) : maxChars;
  return toShown(message, most < 1 ? "" : clip(message.text, most));
}

/** Each message once, in the order of the log. */
export function joinMessages<Message extends ShownMessage>(...lists: Message[][]): Message[] {
  const byEntry = new Map(lists.flat().map((message) => [message.n, message]));
  return [...byEntry.values()].toSorted((a, b) => a.n - b.n);
}

export function toShown({ session, n, role, at }: ShownMessage, text: string): ShownMessage {
  return { session, n, role, at, text };
}
