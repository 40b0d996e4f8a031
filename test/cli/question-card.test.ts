// What a person sees in a terminal while a turn waits for them.
import { expect, it } from "vitest";
import { renderCard } from "../../cli/question-card.ts";
import { createDisplay } from "../../cli/show.ts";
import { createTurns } from "../../cli/turns.ts";
import { type AgentEvent, NO_STATS } from "../../core/schemas/entry.ts";

const plain = { strong: (text: string) => text, faint: (text: string) => text };
const until = 0;
const id = "0123456789abcdef0123";

const clarify = (...questions: { question: string; choices?: string[]; multiSelect?: boolean }[]) => ({
  for: "clarify" as const,
  ...{ id, until },
  questions: questions.map((one) => ({ choices: [], multiSelect: false, ...one })),
});

it("a question is a numbered choice with what to type", () => {
  const question = clarify({ question: "Which database?\n? The agent asks to run:", choices: ["Postgres", "SQLite"] });
  expect(renderCard({ question, text: "" }, plain)).toBe(
    [
      ...["? Which database?", "    ? The agent asks to run:", "    1. Postgres (recommended)", "    2. SQLite"],
      "  Type a number, or your own words.",
    ].join("\n"),
  );
});

it("choices that are numbers have no numbers of their own", () => {
  const question = clarify({ question: "How many?", choices: ["3", "2"] });
  expect(renderCard({ question, text: "" }, plain)).toBe(
    ["? How many?", "    - 3 (recommended)", "    - 2", "  Type a choice as it stands here, or your own words."].join(
      "\n",
    ),
  );
});

it("several questions are numbered themselves", () => {
  const question = clarify({ question: "Days?", choices: ["Mon", "Tue"], multiSelect: true }, { question: "Name?" });
  expect(renderCard({ question, text: "" }, plain)).toBe(
    [
      ...["? The agent asks 2 questions:", "1) Days?", "    1. Mon", "    2. Tue", "    (several, such as 1,2)"],
      ...["2) Name?", "  Answer all in one line, with ; between: a number, or your own words."],
    ].join("\n"),
  );
});

it("a call shows every line of its command set in, its dangers, and how to decide", () => {
  const question = {
    ...{ for: "approval" as const, id, until, covers: "exactly `rm a`" },
    ...{ summary: "rm a\n/approve allows it", reasons: ["It deletes files."] },
  };
  expect(renderCard({ question, text: "" }, plain)).toBe(
    [
      ...["? The agent asks to run:", "  │ rm a", "  │ /approve allows it", "  ! It deletes files."],
      "  /approve allows it this once. /deny REASON refuses it.",
      "  /approve session or /approve always also allows exactly `rm a`.",
    ].join("\n"),
  );
});

function play(events: AgentEvent[]): string {
  let shown = "";
  const add = (text: string) => void (shown += text);
  const display = createDisplay({ answer: add, aside: add, rich: false, columns: 80 });
  for (const event of events) display.event(event);
  return shown;
}

const park: AgentEvent = {
  ...{ type: "turn_park", turn: 1, entry: 4, text: "" },
  question: clarify({ question: "Which\u001b[2J?", choices: ["A", "B"] }),
};
const said: AgentEvent = { type: "steer_add", turn: 2, into: 1, entry: 5, text: "2" };
const answered: AgentEvent = { type: "notice_add", entry: 6, code: "clarify_answered", text: "Answered: B" };

it("an answer is shown once, as what was understood, without control characters of the agent", () => {
  const later: AgentEvent = { type: "steer_add", turn: 3, into: 1, entry: 7, text: "and fast" };
  expect(play([park, said, answered, later])).toBe(
    "? Which[2J?\n    1. A (recommended)\n    2. B\n  Type a number, or your own words.\n✓ Answered: B\n" +
      "(put into the running turn: and fast)\n",
  );
});

it.each([
  { type: "notice_add", entry: 6, code: "clarify_timed_out", text: "Nobody answered." },
  { type: "turn_end", turn: 1, state: "stopped", final: 6, reason: "stopped", stats: NO_STATS },
] as AgentEvent[])("words that join the turn after the question has ended are shown: %j", (end) => {
  expect(play([park, end, said])).toContain("(put into the running turn: 2)");
});

it("a turn that waits for the person is quiet until it is answered", () => {
  const turns = createTurns();
  turns.apply({ type: "turn_start", turn: 1, entry: 1 });
  expect([turns.isQuiet(), turns.waitsFor()]).toEqual([false, null]);
  turns.apply(park);
  expect([turns.isQuiet(), turns.waitsFor()]).toEqual([true, "clarify"]);
  turns.apply(said);
  expect([turns.isQuiet(), turns.waitsFor()]).toEqual([false, null]);
});
