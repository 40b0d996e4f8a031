// How a person's words become answers to the agent's questions.
import { expect, it } from "vitest";
import { describeQuestions } from "../../../core/session/approvals/clarify-text.ts";
import { checkAnswers, readAnswers } from "../../../core/session/approvals/read-answers.ts";

const one = { question: "Which?", choices: ["Blue", "Dark red", "None"], multiSelect: false };
const many = { ...one, multiSelect: true };
const open = { question: "Why?", choices: [], multiSelect: false };

const short = (words: string, ...questions: (typeof one)[]) =>
  readAnswers(words, questions)?.map(({ choices, text }) => text ?? choices) ?? null;

it.each<[string, unknown]>([
  ["2", [["Dark red"]]],
  [" 3. ", [["None"]]],
  ["1)", [["Blue"]]],
  ["dark RED", [["Dark red"]]],
  ["0", ["0"]],
  ["4", ["4"]],
  ["1, 2", ["1, 2"]],
  ["12", ["12"]],
  ["Blue, but darker", ["Blue, but darker"]],
  ["a\nb", ["a\nb"]],
])("to one choice %j is %j", (words, expected) => {
  expect(short(words, one)).toEqual(expected);
});

it.each<[string, unknown]>([
  ["1,3", [["Blue", "None"]]],
  ["3 1 1", [["Blue", "None"]]],
  ["none, blue", [["Blue", "None"]]],
  ["1, 7", ["1, 7"]],
  ["blue, green", ["blue, green"]],
])("to several choices %j is %j", (words, expected) => {
  expect(short(words, many)).toEqual(expected);
});

it.each<[string, unknown]>([
  ["3", [["3"]]],
  ["2.", ["2."]],
  ["4", ["4"]],
  ["2,1", ["2,1"]],
])("where choices are numbers themselves %j is %j, never the choice at that place", (words, expected) => {
  expect(short(words, { ...one, choices: ["3", "2", "10"] })).toEqual(expected);
});

it("several choices that are numbers are named too, and the API still takes places", () => {
  const sizes = { ...many, choices: ["2", "3", "1"] };
  expect(short("1, 2", sizes)).toEqual([["2", "1"]]);
  expect(checkAnswers([{ choices: [1] }], [sizes])).toMatchObject({ value: [{ choices: ["2"] }] });
  expect(describeQuestions([sizes])).toContain(
    "  - 3\n  - 1\nYour next message is the answer: a choice as it stands here",
  );
});

it("to a question without choices any words are the answer", () => {
  expect(short("2", open)).toEqual(["2"]);
});

it.each<[string, unknown]>([
  ["2\nbecause", [["Dark red"], "because"]],
  ["2; because", [["Dark red"], "because"]],
  ["1) none\n2) I said so", [["None"], "I said so"]],
  ["1. 2\n2. x", [["Dark red"], "x"]],
  ["do as you like", null],
  ["a; b; c", null],
])("to two questions %j is %j", (words, expected) => {
  expect(short(words, one, open)).toEqual(expected);
});

it("numbers alone answer one question each, unless a question takes several", () => {
  expect(short("2 1", one, one)).toEqual([["Dark red"], ["Blue"]]);
  expect(short("2 1", one, many)).toBeNull();
});

it("an answer in parts names choices by number or by word", () => {
  expect(checkAnswers([{ choices: [1, "none"] }, { text: " x " }], [many, open])).toEqual({
    ok: true,
    value: [
      { choices: ["Blue", "None"], text: null },
      { choices: [], text: "x" },
    ],
  });
});
