// The words for the model of the slot `approval`, which decides on a dangerous command before a person is asked. Pure.
import { escapeTags } from "../prompt-block.ts";
import text from "./approval.md";

export function approvalPrompt(): string {
  return text.trim();
}

/** The command is data: its tags cannot close the block it is in. */
export function renderApprovalRequest(command: string, reasons: string[]): string {
  const why = reasons.map((reason) => `- ${reason}`).join("\n");
  return `The rules say:\n${why}\n\n<content>\n${escapeTags(command)}\n</content>\n\nDecide. One line of JSON.`;
}
