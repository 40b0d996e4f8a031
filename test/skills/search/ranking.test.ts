import { expect, it } from "vitest";
import { rankSkills } from "../../../core/skills/search/ranking.ts";
import { line } from "../skill-line.ts";

const LINES = [
  line({ name: "writing-letters", category: "office", description: "Writes letters to customers." }),
  line({ name: "reading-logs", description: "Reads server logs. Use for errors." }),
  line({ name: "deploying", description: "Deploys a server; reads logs afterwards." }),
  line({ name: "old-logs", description: "Reads logs of an old server.", state: "stale" }),
];
const ranked = (query: string) => rankSkills(LINES, query).map(({ name }) => name);

it("a word of the name ranks before one of the description, and stale skills are last", () => {
  expect(ranked("read the logs")).toEqual(["reading-logs", "deploying", "old-logs"]);
});

it("skills are found by category and through word endings", () => {
  expect(ranked("office")).toEqual(["writing-letters"]);
  expect(ranked("letter for a customer")).toEqual(["writing-letters"]);
});

it("nothing is found without a common word", () => {
  expect(ranked("painting")).toEqual([]);
  expect(ranked("how to use the")).toEqual([]);
});

it("a rare word counts more than a common one", () => {
  expect(ranked("server deploy")[0]).toBe("deploying");
});

it("a long description gains nothing, and a word repeated in the query counts more", () => {
  const long = line({ name: "long", description: `Of servers, and of ${"very many other things ".repeat(20)}` });
  const short = line({ name: "short", description: "Of servers." });
  expect(rankSkills([long, short], "servers").map(({ name }) => name)).toEqual(["short", "long"]);
  const [a, b] = [line({ name: "a", description: "Walrus." }), line({ name: "b", description: "Penguin." })];
  expect(rankSkills([a, b], "walrus penguin penguin")[0]).toBe(b);
});
