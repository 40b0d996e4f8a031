// Texts as the services accept them.
import { expect, it } from "vitest";
import { factHash } from "../../../core/memory/providers/tenant.ts";
import { cutIntoPieces, cutMiddle, lastWords } from "../../../core/memory/providers/texts.ts";

it("the person's last words leave out what the harness wrote", () => {
  const user = (text: string) => ({ role: "user" as const, text });
  const said = ["one", "<note>\nnews\n</note>", "two", "<skills>\nx\n</skills>", "three", " four "].map(user);
  expect(lastWords([...said, { role: "assistant", text: "five", calls: [] }])).toBe("two\nthree\nfour");
  expect(lastWords([])).toBe("");
});

it("long texts lose their middle, or are cut between characters", () => {
  expect(cutMiddle("a".repeat(30), 30)).toBe("a".repeat(30));
  expect(cutMiddle(`${"a".repeat(50)}${"b".repeat(50)}`, 60)).toBe(`${"a".repeat(20)}\n[…]\n${"b".repeat(20)}`);
  expect(cutIntoPieces("ab😀cd", 3, 9)).toEqual(["ab", "😀c", "d"]);
  expect(cutIntoPieces("abc   def", 3, 9)).toEqual(["abc", "def"]);
  expect(cutIntoPieces("abcdef", 2, 2)).toEqual(["ab", "cd"]);
});

it("a fact is identified by its words, however they are spaced", () => {
  expect(factHash(" A  fact.\n")).toBe(factHash("A fact."));
  expect(factHash("A fact.")).not.toBe(factHash("Another fact."));
  expect(factHash("A fact.")).toMatch(/^[0-9a-f]{32}$/);
});
