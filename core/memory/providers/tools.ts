// The two tools that a memory provider may give the model: a search and a question. Used by the adapters. What they
// return is content. The words of a call are cleared of secrets before they leave.
import * as z from "zod";
import type { Tool } from "../../agent/contract.ts";
import { fail as failCall, succeed } from "../../agent/tool-result.ts";
import type { Result } from "../../errors.ts";
import { redactText } from "../../redact.ts";
import type { ProviderFailure } from "../provider.ts";
import { toQuery } from "../recall.ts";

const SEARCHES = ["mem0_search", "openviking_search", "supermemory_search"] as const;
const QUESTIONS = ["hindsight_ask", "honcho_ask"] as const;
/** Settings of tools may hold these names, also while the operator has chosen another provider or none. */
export const PROVIDER_TOOLS: readonly string[] = [...SEARCHES, ...QUESTIONS];

type Answer<T> = (query: string, signal: AbortSignal) => Promise<Result<T, ProviderFailure>>;

const SearchArgs = z.strictObject({
  query: z.string().min(1).describe("What to look for, in a few words or a question."),
});

/** `search` returns memories, best first. */
export function createSearchTool(
  name: (typeof SEARCHES)[number],
  search: Answer<string[]>,
): Tool<z.infer<typeof SearchArgs>> {
  return {
    name,
    description:
      "Searches what earlier conversations left in the external memory. Results are recollections, not facts.",
    parameters: SearchArgs,
    effect: "read",
    async run({ query }, { signal }) {
      const found = await search(toQuery(redactText(query)), signal);
      if (!found.ok) return toFailedCall(found.failure);
      return succeed({ count: found.value.length }, { content: { memories: found.value } });
    },
  };
}

const QuestionArgs = z.strictObject({ question: z.string().min(1).describe("One question about the person.") });

/** `ask` returns the answer, "" for none. */
export function createQuestionTool(
  name: (typeof QUESTIONS)[number],
  ask: Answer<string>,
): Tool<z.infer<typeof QuestionArgs>> {
  return {
    name,
    description:
      "Asks the external memory a question about the person: what they prefer, said before, are working on. It may take seconds, and its answer is an inference.",
    parameters: QuestionArgs,
    effect: "read",
    async run({ question }, { signal }) {
      const answer = await ask(toQuery(redactText(question)), signal);
      if (!answer.ok) return toFailedCall(answer.failure);
      if (answer.value === "") return succeed({ known: false });
      return succeed({ known: true }, { content: { answer: answer.value } });
    },
  };
}

function toFailedCall({ code, message }: ProviderFailure) {
  return failCall(code, `${message} Go on without it.`);
}
