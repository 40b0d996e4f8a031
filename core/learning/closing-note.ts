// What is recorded of the last words of a review or of a curation's work: the words, and why they are not whole. Pure.
import type { LoopEnd } from "../agent/loop.ts";
import { estimateTokens } from "../tokens.ts";

/** A model was asked for a sentence or two. */
const MAX_TOKENS = 1_000;

export function toClosingNote({ reason, text }: Extract<LoopEnd, { state: "done" }>): string {
  if (reason === "refusal") return `The model declined to go on. ${text}`.trim();
  if (reason === "length") return `The model's answer was cut off at its length limit. ${text}`.trim();
  return text.trim() === "" ? `The model ended without a closing word (${reason}).` : text;
}

/** As much of it as is kept. */
export function clipNote(text: string): string {
  // No token has more characters than that, but for a run of blanks.
  let end = Math.min(text.length, 20 * MAX_TOKENS);
  let tokens = estimateTokens(text.slice(0, end));
  while (tokens > MAX_TOKENS) {
    end = Math.floor((0.98 * end * MAX_TOKENS) / tokens);
    tokens = estimateTokens(text.slice(0, end));
  }
  return end < text.length ? `${text.slice(0, end).toWellFormed()}…` : text;
}
