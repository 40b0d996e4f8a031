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

it("puts a word of the name before one of the description, and stale skills last", () => {
  expect(ranked("read the logs")).toEqual(["reading-logs", "deploying", "old-logs"]);
});

it("finds by category and through endings", () => {
  expect(ranked("office")).toEqual(["writing-letters"]);
  expect(ranked("letter for a customer")).toEqual(["writing-letters"]);
});

it("finds nothing without a common word", () => {
  expect(ranked("painting")).toEqual([]);
  expect(ranked("how to use the")).toEqual([]);
});

it("counts a rare word more than a common one", () => {
  expect(ranked("server deploy")[0]).toBe("deploying");
});

it("gives a skill nothing for a long description, and more for a word that is said twice", () => {
  const long = line({ name: "long", description: `Of servers, and of ${"very many other things ".repeat(20)}` });
  const short = line({ name: "short", description: "Of servers." });
  expect(rankSkills([long, short], "servers").map(({ name }) => name)).toEqual(["short", "long"]);
  const [a, b] = [line({ name: "a", description: "Walrus." }), line({ name: "b", description: "Penguin." })];
  expect(rankSkills([a, b], "walrus penguin penguin")[0]).toBe(b);
});
