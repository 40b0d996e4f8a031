// The prompt that names a session, and the material it reads. Pure.
import { escapeTags } from "../prompt-block.ts";
import policy from "./title.md";

export function titlePrompt(): string {
  return policy.trim();
}

/** The first `maxChars` of the request and of the answer. */
export function renderTitleRequest(request: string, answer: string, maxChars: number): string {
  const begin = (text: string) => escapeTags(text.slice(0, maxChars).toWellFormed());
  return `<request>\n${begin(request)}\n</request>\n\n<answer>\n${begin(answer)}\n</answer>`;
}
