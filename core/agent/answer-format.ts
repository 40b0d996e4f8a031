// The form that a client wants the final answer in: whether an answer has it, what the model reads of it, and one request to repair it.
// Used by the loop for each last answer, and by the session, which tells the model of the form. Pure.
import { findProblems } from "../json-schema.ts";
import type { AnswerFormat } from "../schemas/sessions/client-part.ts";
import { isObject } from "../unknown-object.ts";

/** Longer answers are not sent again for a repair: the model is asked without them. */
const MAX_SHOWN_CHARS = 50_000;

/** The code of the notice about an answer without the form, and of the failure with which it is dropped. */
export const FORMAT_UNMET = "format_unmet";

/** What is wrong with the answer, as a sentence; `null` if it has the form. */
export function findFormatProblem(format: AnswerFormat, text: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "It is not JSON by itself: no words before or after it, and no code fence.";
  }
  if (format.type === "json_object") return isObject(value) ? null : "It is not a JSON object.";
  const problems = findProblems(value, format.schema);
  return problems.length === 0 ? null : `It does not fit the schema: ${problems.join("; ")}.`;
}

/** Tells the model before it begins. Needed even if a provider is sent the form: OpenAI refuses `json_object` without the word JSON. */
export function describeFormat(format: AnswerFormat): string {
  const only =
    "No words before or after it, and no code fence. This holds for the answer only, not for calls of tools.";
  return format.type === "json_object"
    ? `Answer the message above with one JSON object. ${only}`
    : `Answer the message above with JSON that fits this JSON Schema. ${only}\n${JSON.stringify(format.schema)}`;
}

export function askForRepair(problem: string): string {
  return `This answer does not have the form that was asked for. ${problem} Give the same answer again in that form, and nothing else.`;
}

/** The answer as the model reads it again. */
export function showForRepair(text: string): string {
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…`;
}
