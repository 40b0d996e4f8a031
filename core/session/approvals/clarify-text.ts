// The words of the agent's questions and of their answers, for a person in any channel. Pure.
import type { ClarifyApproval } from "../../schemas/approvals/approval.ts";
import { type ClarifyQuestion, isNumbered } from "../../schemas/approvals/clarify.ts";
import { showHidden } from "./question-text.ts";

/** The questions as a person can read them. */
export function toShown(questions: ClarifyQuestion[]): ClarifyQuestion[] {
  return questions.map(({ question, choices, multiSelect }) => {
    return { question: showHidden(question), choices: choices.map(showHidden), multiSelect };
  });
}

/** The questions with numbered choices, and how to answer. */
export function describeQuestions(questions: ClarifyQuestion[]): string {
  const shown = toShown(questions);
  const [only] = shown;
  if (only && shown.length === 1) {
    return [`The agent asks: ${only.question}`, ...listChoices(only), describeWay(only)].join("\n");
  }
  const parts = shown.flatMap((one, at) => [`${at + 1}) ${one.question}${toHint(one)}`, ...listChoices(one)]);
  return [`The agent asks ${shown.length} questions:`, ...parts, MANY].join("\n");
}

const MANY =
  "Answer all in one message, with a line for each or `;` between them: the number of a choice, or your own words.";

function listChoices(question: ClarifyQuestion): string[] {
  const { choices, multiSelect } = question;
  const isFirstMeant = choices.length > 1 && !multiSelect;
  return choices.map((choice, at) => {
    const mark = isFirstMeant && at === 0 && !/recommend/i.test(choice) ? " (recommended)" : "";
    return `  ${isNumbered(question) ? `${at + 1}.` : "-"} ${choice}${mark}`;
  });
}

function toHint({ choices, multiSelect }: ClarifyQuestion): string {
  if (choices.length < 2 || !multiSelect) return "";
  return ` (several, such as ${isNumbered({ choices }) ? "1,2" : choices.slice(0, 2).join(",")})`;
}

function describeWay({ choices, multiSelect }: ClarifyQuestion): string {
  if (choices.length === 0) return "Your next message is the answer.";
  if (!isNumbered({ choices }))
    return "Your next message is the answer: a choice as it stands here, or your own words.";
  const numbers = choices.length > 1 && multiSelect ? "the numbers, such as 1,2" : "a number";
  return `Your next message is the answer: ${numbers}, or your own words.`;
}

/** What was answered, for the person who did and for others who read along. */
export function describeAnswers({ state, answers, said, questions }: Omit<ClarifyApproval, "v">): string {
  if (state === "declined") return "Not answered: the agent decides by its own judgement.";
  if (said !== null) return `Answered: ${showHidden(said)}`;
  if (answers === null) return "Answered by the message that follows.";
  const each = answers.map(({ choices, text }) => [...choices, ...(text === null ? [] : [text])].map(showHidden));
  if (questions.length === 1) return `Answered: ${each[0]!.join(", ")}`;
  return ["Answered:", ...each.map((words, at) => `${at + 1}) ${words.join(", ")}`)].join("\n");
}
