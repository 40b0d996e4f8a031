// Long texts on their way to a memory provider: cut where a service takes no more. Used by the adapters. Pure.
import type { Message } from "../../agent/contract.ts";

/** Beginning and end stay: what was asked stands first, what came of it last. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2) - 10;
  return `${text.slice(0, half).toWellFormed()}\n[…]\n${text.slice(-half).toWellFormed()}`;
}

/** None is blank, because a service refuses one that is; what is beyond the last piece is left out. */
export function cutIntoPieces(text: string, maxChars: number, maxPieces: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length && pieces.length < maxPieces;) {
    const isPairCut = /[\uD800-\uDBFF]/.test(text[from + maxChars - 1] ?? "");
    const to = from + maxChars - (isPairCut ? 1 : 0);
    pieces.push(text.slice(from, to).toWellFormed());
    from = to;
  }
  return pieces.filter((piece) => piece.trim() !== "");
}

const MAX_MESSAGES = 3;
/** What the harness put in the person's place. */
const OURS = /^<(?:note|skills|earlier_conversation)>/;

/** What the person said last in a conversation. */
export function lastWords(messages: Message[]): string {
  const said = messages.filter(({ role, text }) => role === "user" && !OURS.test(text));
  return said
    .slice(-MAX_MESSAGES)
    .map(({ text }) => text.trim())
    .join("\n");
}
