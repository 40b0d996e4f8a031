// What a parked turn asks, as it stands in the transcript. Used by transcript.ts. Pure; the event has plain texts only.
import type { AgentEvent, AskedQuestion } from "../../../core/schemas/entry.ts";
import { renderCard } from "../../question-card.ts";
import type { Theme } from "./theme.ts";

type Approval = Extract<AskedQuestion, { for: "approval" }>;
type Clarify = Extract<AskedQuestion, { for: "clarify" }>;

/** Whether a panel offers answers to it. */
export function hasChoices(question: AskedQuestion): question is Approval | Clarify {
  if (question.for === "clarify") return question.questions.every(({ choices }) => choices.length > 0);
  return question.for === "approval";
}

/** What is asked. A panel above the editor has the choices, and how to choose. */
export function renderQuestion(event: Extract<AgentEvent, { type: "turn_park" }>, { strong, faint }: Theme): string {
  const { question } = event;
  if (!hasChoices(question)) return renderCard(event, { strong, faint });
  if (question.for === "clarify") return question.questions.map((one) => strong(`? ${one.question}`)).join("\n");
  const lines = question.summary.split("\n").map((line) => `  │ ${line}`);
  return [strong("? The agent asks to run:"), ...lines, ...question.reasons.map((reason) => `  ! ${reason}`)].join(
    "\n",
  );
}
