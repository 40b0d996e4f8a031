// Turns what a parked turn waits for into choices with keys, and the choice into the message that answers it. Used by session-view.ts.
import { isNumbered } from "../../core/schemas/approvals/clarify.ts";
import type { AskedQuestion } from "../../core/schemas/entry.ts";
import { hasChoices } from "./view/question.ts";
import { type Choice, createChoicePanel } from "./view/panels.ts";
import type { Panel } from "./view/screen.ts";
import type { Theme } from "./view/theme.ts";

export interface QuestionPanelOptions {
  theme: Theme;
  /** Sends the answer as a message of the person. */
  answer(text: string): void;
  onChange(): void;
  /** See `createChoicePanel`. */
  quietMs?: number;
}

/** `null`: there is nothing to choose from, so the next message is the answer. */
export function createQuestionPanel(question: AskedQuestion, options: QuestionPanelOptions): Panel | null {
  if (!hasChoices(question)) return null;
  return question.for === "approval" ? createApprovalPanel(question, options) : createClarifyPanel(question, options);
}

type Approval = Extract<AskedQuestion, { for: "approval" }>;

function createApprovalPanel({ id, covers }: Approval, options: QuestionPanelOptions): Panel {
  const wider: [Choice, string][] =
    covers === null
      ? []
      : [
          [{ label: `for this session: ${covers}` }, `/approve ${id} session`],
          [{ label: `always: ${covers}` }, `/approve ${id} always`],
        ];
  const ways: [Choice, string][] = [
    [{ label: "allow it this once" }, `/approve ${id} once`],
    ...wider,
    [{ label: "refuse it" }, `/deny ${id}`],
  ];
  return createChoicePanel({
    ...options,
    title: "May it run?",
    choices: ways.map(([choice]) => choice),
    confirms: true,
    hint: "↑↓ or a number, then Enter. /deny REASON refuses and says why.",
    onChoose: ([place]) => options.answer(ways[place!]![1]),
  });
}

type Clarify = Extract<AskedQuestion, { for: "clarify" }>;

/** Several questions are asked one after the other and answered in one message. */
function createClarifyPanel({ questions }: Clarify, options: QuestionPanelOptions): Panel {
  const given: string[] = [];
  let panel = ask(0);

  function ask(at: number): Panel {
    const { question, choices, multiSelect } = questions[at]!;
    return createChoicePanel({
      ...options,
      title: questions.length > 1 ? `${at + 1}) ${question}` : "Your answer?",
      choices: choices.map((label) => ({ label })),
      several: multiSelect,
      hint: `${multiSelect ? "Numbers or Space mark, Enter sends." : "A number chooses, or ↑↓ and Enter."} Or type your own words.`,
      onChoose(places) {
        const words = isNumbered({ choices })
          ? places.map((place) => place + 1)
          : places.map((place) => choices[place]);
        given.push(words.join(","));
        if (given.length === questions.length) return options.answer(given.join("; "));
        panel = ask(at + 1);
        options.onChange();
      },
    });
  }

  return { render: (width) => panel.render(width), handleKey: (data) => panel.handleKey(data) };
}
