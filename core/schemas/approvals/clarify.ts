// Questions that the agent asks the person with `clarify`, and what the person answered. Stored with the approval of kind
// `clarify` (approval.ts), shown to readers, and sent by the API.
import * as z from "zod";

/** `choices`: none for a question that is answered in words. Other words are an answer to every question. */
export const ClarifyQuestion = z.object({
  question: z.string(),
  choices: z.array(z.string()),
  /** Several choices may be picked. */
  multiSelect: z.boolean(),
});
export type ClarifyQuestion = z.infer<typeof ClarifyQuestion>;

const PLACE = /^\d[.)]?$/;

/** The place among the choices that these words name, from 1; `null`: none. */
export function readPlace(words: string): number | null {
  return PLACE.test(words) ? Number(words[0]) : null;
}

/** Whether a number means the choice of that place. Not where a choice is itself a number: "3" would mean two of "3", "2" and "1". */
export function isNumbered({ choices }: Pick<ClarifyQuestion, "choices">): boolean {
  return choices.every((choice) => readPlace(choice) === null);
}

/** The picked choices as they were offered, and the person's own words. */
export const ClarifyAnswer = z.object({ choices: z.array(z.string()), text: z.string().nullable() });
export type ClarifyAnswer = z.infer<typeof ClarifyAnswer>;

/**
 * `declined`: the person does not want to answer. `expired`: nobody answered in time. `withdrawn`: the turn ended first. In these
 * the agent decides by itself.
 */
export const ClarifyState = z.enum(["waiting", "answered", "declined", "expired", "withdrawn"]);
export type ClarifyState = z.infer<typeof ClarifyState>;
