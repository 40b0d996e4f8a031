import { expect, it } from "vitest";
import { createWordsCache, readBodyWords, wordsOfSkill } from "../../../core/skills/search/skill-words.ts";
import { termsOf, wordsOf } from "../../../core/skills/search/words.ts";

it("terms keep their order and repetitions, up to the limit", () => {
  expect(termsOf("Reads the logs, and reads a log")).toEqual(["read", "log", "read", "log"]);
  expect(termsOf("one two three 四五六", 4)).toEqual(["two", "thre", "四五", "五六"]);
  expect(termsOf("reads logs", 1)).toEqual(["read"]);
  expect([...wordsOf("Reads the logs, and reads a log")]).toEqual(["read", "log"]);
});

it("figures stay whole", () => {
  expect(termsOf("error 2000 of http500, planning")).toEqual(["error", "2000", "http500", "plan"]);
});

it("a SKILL.md is read as headings and body, and any other text as a body", () => {
  const line = { name: "feeding-seals", description: "Feeds seals.", category: "sea-life" };
  const read = readBodyWords("---\nname: x\ndescription: y\n---\n# Big fish\n\nSmall ones.\n\n## Buckets\n");
  expect(wordsOfSkill(line, read)).toEqual({
    name: "feed seal",
    description: "feed seal",
    headings: "sea lif big fish bucket",
    body: "big fish small one bucket",
    requests: "",
  });
  expect(readBodyWords("no frontmatter")).toEqual({ headings: "", body: "frontmatter", requests: "" });
  expect(readBodyWords("x", "seals are hungry\n\nwhat do seals eat\n").requests).toBe("seal hungry seal eat");
  expect(wordsOfSkill(line, null)).toMatchObject({ headings: "sea lif", body: "" });
});

it("only the beginning of an endless body is read, in bounded time", () => {
  const { body } = readBodyWords("word ".repeat(200_000));
  expect(body.split(" ")).toHaveLength(4_000);
});

it("the least recently used words are evicted, by size", () => {
  const memory = createWordsCache(20);
  const words = (letter: string) => ({ headings: "", body: letter.repeat(4), requests: letter.repeat(4) });
  memory.set("a", words("a"));
  memory.set("b", words("b"));
  expect(memory.get("a")).toEqual(words("a"));
  memory.set("c", words("c"));
  expect([memory.get("a"), memory.get("b"), memory.get("c")]).toEqual([words("a"), undefined, words("c")]);
  memory.set("d", { headings: "", body: "x".repeat(21), requests: "" });
  expect(memory.get("d")).toBeUndefined();
  expect(memory.get("c")).toEqual(words("c"));
});
