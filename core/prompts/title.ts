// The words of whoever names a session, and what it reads. Pure.
import { escapeTags } from "../prompt-block.ts";
import policy from "./title.md";

export function titlePrompt(): string {
  return policy.trim();
}

/** Of both the beginning, `maxChars` each. */
export function renderTitleRequest(request: string, answer: string, maxChars: number): string {
  const begin = (text: string) => escapeTags(text.slice(0, maxChars).toWellFormed());
  return `<request>\n${begin(request)}\n</request>\n\n<answer>\n${begin(answer)}\n</answer>`;
}
