// What stands in the record of a review or a curation's work when its model has said its last: its words, and why they are not
// whole where they are not. Pure.
import type { LoopEnd } from "../agent/loop.ts";

export function toClosingNote({ reason, text }: Extract<LoopEnd, { state: "done" }>): string {
  if (reason === "refusal") return `The model declined to go on. ${text}`.trim();
  if (reason === "length") return `The model's answer was cut off at its length limit. ${text}`.trim();
  return text.trim() === "" ? `The model ended without a closing word (${reason}).` : text;
}
