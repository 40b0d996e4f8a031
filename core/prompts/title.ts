// The words of whoever names a session, and what it reads. Pure.
import policy from "./title.md";

const TAGS = /<(?=\s*(?:\/\s*)?(?:request|answer)\b)/gi;

export function titlePrompt(): string {
  return policy.trim();
}

/** Of both the beginning, `maxChars` each. */
export function renderTitleRequest(request: string, answer: string, maxChars: number): string {
  const begin = (text: string) => text.slice(0, maxChars).toWellFormed().replace(TAGS, "&lt;");
  return `<request>\n${begin(request)}\n</request>\n\n<answer>\n${begin(answer)}\n</answer>`;
}
