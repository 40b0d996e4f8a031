// Shows what a parked turn waits for as a card in a terminal: what is asked, the choices, and what to type. Used by show.ts. Pure.
// The texts come from a model: each of their lines is set in, so that none reads like a line of the card.
import { isNumbered } from "../core/schemas/approvals/clarify.ts";
import type { AgentEvent } from "../core/schemas/entry.ts";

export interface CardStyle {
  strong(text: string): string;
  faint(text: string): string;
}

type ParkEvent = Extract<AgentEvent, { type: "turn_park" }>;

/** Without control characters in `event`, several lines without a line feed at the end. */
export function renderCard({ question, text }: Pick<ParkEvent, "question" | "text">, style: CardStyle): string {
  switch (question.for) {
    case "approval":
      return renderApproval(question, style);
    case "clarify":
      return renderClarify(question, style);
    case "children":
      return style.faint(`… ${text}`);
    case "client":
      return style.faint(`… ${text}`);
    default:
      return style.faint(`? ${text}`);
  }
}

type Approval = Extract<ParkEvent["question"], { for: "approval" }>;

function renderApproval({ summary, reasons, covers }: Approval, { strong, faint }: CardStyle): string {
  const wider = covers === null ? [] : [`/approve session or /approve always also allows ${covers}.`];
  return [
    strong("? The agent asks to run:"),
    ...indent(summary, "  │ "),
    ...reasons.map((reason) => `  ! ${reason}`),
    ...["/approve allows it this once. /deny REASON refuses it.", ...wider].map((line) => faint(`  ${line}`)),
  ].join("\n");
}

type Clarify = Extract<ParkEvent["question"], { for: "clarify" }>;

function renderClarify({ questions }: Clarify, { strong, faint }: CardStyle): string {
  const isSeveral = questions.length > 1;
  const lines = questions.flatMap(({ question, choices, multiSelect }, at) => {
    const [first = "", ...others] = indent(question, "    ");
    const head = `${isSeveral ? `${at + 1})` : "?"} ${first.trimStart()}`;
    const several =
      isSeveral && multiSelect && choices.length > 1
        ? faint(`    (several, such as ${isNumbered({ choices }) ? "1,2" : choices.slice(0, 2).join(",")})`)
        : null;
    return [strong(head), ...others, ...choices.map(toChoice(multiSelect)), ...(several === null ? [] : [several])];
  });
  const head = isSeveral ? [strong(`? The agent asks ${questions.length} questions:`)] : [];
  return [...head, ...lines, faint(`  ${describeWay(questions)}`)].join("\n");
}

/** The agent puts the choice that it recommends first. */
function toChoice(multiSelect: boolean) {
  return (choice: string, at: number, choices: string[]): string => {
    const isMeant = at === 0 && choices.length > 1 && !multiSelect && !/recommend/i.test(choice);
    const place = isNumbered({ choices }) ? `${at + 1}.` : "-";
    return `    ${place} ${choice}${isMeant ? " (recommended)" : ""}`;
  };
}

function describeWay(questions: Clarify["questions"]): string {
  const [{ choices, multiSelect } = { choices: [], multiSelect: false }] = questions;
  if (questions.length > 1) return "Answer all in one line, with ; between: a number, or your own words.";
  if (choices.length === 0) return "Your next line is the answer.";
  if (!isNumbered({ choices })) return "Type a choice as it stands here, or your own words.";
  return multiSelect ? "Type numbers, such as 1,2, or your own words." : "Type a number, or your own words.";
}

function indent(text: string, gutter: string): string[] {
  return text.split("\n").map((line) => `${gutter}${line}`);
}
