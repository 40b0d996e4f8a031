// The tool clarify: asks the person up to five questions and waits for the answer, with the turn parked. Absent where nobody can
// be asked. The session stores the question and parks the turn (core/session/approvals/clarifying.ts).
import * as z from "zod";
import type { CallWait, Tool, ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import type { ClarifyApproval } from "../../schemas/approvals/approval.ts";
import type { ClarifyAnswer, ClarifyQuestion } from "../../schemas/approvals/clarify.ts";
import type { JsonObject } from "../../schemas/entry.ts";

// From Hermes Agent.
const MAX_QUESTIONS = 5;
const MAX_CHOICES = 4;

/** [own] What a person reads on a small screen. */
const MAX_QUESTION_CHARS = 1_000;
const MAX_CHOICE_CHARS = 200;

const Question = z.string().trim().min(1).max(MAX_QUESTION_CHARS);
const Choices = z
  .array(z.string().trim().min(1).max(MAX_CHOICE_CHARS))
  .max(MAX_CHOICES)
  .refine((choices) => new Set(choices).size === choices.length, "the choices must differ");

const Args = z
  .strictObject({
    question: Question.optional().describe("The question, if there is one. It must make sense by itself."),
    choices: Choices.optional().describe("The one you recommend first. None: the person answers in words."),
    multi_select: z.boolean().optional().describe("Several choices may be picked. Default: false."),
    questions: z
      .array(z.strictObject({ question: Question, choices: Choices.optional(), multi_select: z.boolean().optional() }))
      .min(1)
      .max(MAX_QUESTIONS)
      .optional()
      .describe("Several questions, instead of question."),
  })
  .refine((args) => (args.question === undefined) !== (args.questions === undefined), "give question or questions")
  .refine(
    (args) => args.questions === undefined || (args.choices === undefined && args.multi_select === undefined),
    "choices and multi_select belong into each of questions",
  );
type Args = z.infer<typeof Args>;

const DESCRIPTION =
  "Asks the person and waits for the answer. Use it when a decision is theirs and a wrong guess would cost much; decide small " +
  "things yourself. Put all questions into one call. Words of their own are always possible: offer no choice 'other'.";

export interface ClarifyDesk {
  /** What the call of this `op` waits for; `null`: its question is decided, or nobody can be asked. */
  ask(op: string, questions: ClarifyQuestion[]): CallWait | null;
  /** The question of the call of this `op`; `null`: none was asked. */
  find(op: string): ClarifyApproval | null;
}

export function createClarify(desk: ClarifyDesk): Tool<Args> {
  return {
    name: "clarify",
    description: DESCRIPTION,
    parameters: Args,
    effect: "keyed",
    wait: async (args, { op }) => desk.ask(op, toQuestions(args)),
    run: async (_args, { op }) => toResult(desk.find(op)),
  };
}

function toQuestions({ question, choices, multi_select, questions }: Args): ClarifyQuestion[] {
  const all = questions ?? [{ question: question!, choices, multi_select }];
  return all.map((one) => {
    // A choice is one line in every channel.
    const choices = (one.choices ?? []).map((choice) => choice.replace(/\s+/g, " "));
    return { question: one.question, choices, multiSelect: one.multi_select ?? false };
  });
}

const DECIDE = "Decide by your own judgement, go on, and say in your answer what you decided without the person.";
const NOBODY = fail("nobody_answers", `Nobody can answer now, so nothing was asked. ${DECIDE}`);

/** The answer is the person's own words. Everything else is the harness's. */
function toResult(asked: ClarifyApproval | null): ToolResult {
  if (asked === null) return NOBODY;
  const { state, answers, said, reason, source = "principal" } = asked;
  if (state === "declined") {
    const declined = { answered: false, note: `The person does not want to answer. ${DECIDE}` };
    return succeed(declined, reason === null ? {} : { [source]: { reason } });
  }
  if (state !== "answered") {
    return succeed({ answered: false, note: `Nobody answered in time. Do not ask again in this turn. ${DECIDE}` });
  }
  if (answers !== null) return succeed({ answered: true }, { [source]: { answers: answers.map(toWords) } });
  if (said !== null) return succeed({ answered: true }, { [source]: { answer: said } });
  return succeed({ answered: true, note: "The answer is the person's message that follows." });
}

function toWords({ choices, text }: ClarifyAnswer): JsonObject {
  return { ...(choices.length > 0 && { chosen: choices }), ...(text !== null && { text }) };
}
