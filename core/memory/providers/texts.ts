// Shortens texts to what a memory provider accepts. Used by the adapters. Pure.
import type { Message } from "../../agent/contract.ts";

/** Keeps the beginning, which holds the request, and the end, which holds the result. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2) - 10;
  return `${text.slice(0, half).toWellFormed()}\n[…]\n${text.slice(-half).toWellFormed()}`;
}

/** Leaves out blank pieces, which services refuse, and text after the last piece. */
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
/** Messages that the harness wrote with the role of the user. */
const HARNESS_BLOCK = /^<(?:note|skills|earlier_conversation)>/;

/** ["The person's last messages in a conversation.", ''] */
export function lastWords(messages: Message[]): string {
  const said = messages.filter(({ role, text }) => role === "user" && !HARNESS_BLOCK.test(text));
  return said
    .slice(-MAX_MESSAGES)
    .map(({ text }) => text.trim())
    .join("\n");
}
