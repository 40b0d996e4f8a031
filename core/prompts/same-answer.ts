// The words for the model that compares two answers to one request, in an experiment. Pure.
import { escapeTags } from "../prompt-block.ts";
import text from "./same-answer.md";

export function sameAnswerPrompt(): string {
  return text.trim();
}

/** Nothing says which answer is the accepted one. */
export function renderSameAnswerRequest(request: string, first: string, second: string): string {
  const block = (tag: string, body: string) => `<${tag}>\n${escapeTags(body)}\n</${tag}>`;
  return `${block("request", request)}\n\n${block("answer_1", first)}\n\n${block("answer_2", second)}\n\nDecide. One line of JSON.`;
}
