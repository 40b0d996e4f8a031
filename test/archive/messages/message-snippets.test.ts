import { describe, expect, it } from "vitest";
import { toSnippet } from "../../../core/archive/messages/message-snippets.ts";
import { toQueryWords } from "../../../core/archive/messages/message-words.ts";

const cut = (text: string, query: string, maxChars = 1_000) => toSnippet(text, toQueryWords(query), maxChars);
const highlighted = (text: string, query: string, maxChars?: number) => {
  const snippet = cut(text, query, maxChars);
  return snippet.highlights.map(([from, to]) => snippet.text.slice(from, to));
};
const filler = (words: number) => "lorem ipsum dolor ".repeat(words);

describe("a snippet", () => {
  it("is the whole of a short text, with the words that have the same stem highlighted", () => {
    const text = "We deployed it. The deployment failed twice, and DEPLOYS are slow.";
    expect(cut(text, "deploying").text).toBe(text);
    expect(highlighted(text, "deploying")).toEqual(["deployed", "DEPLOYS"]);
  });

  it("highlights no stop word and nothing for a query without words", () => {
    expect(highlighted("What is the port of the server?", "what is the port?")).toEqual(["port"]);
    expect(cut("Anything at all.", "??? of the")).toEqual({ text: "Anything at all.", highlights: [] });
  });

  it("highlights pairs of characters as one run where a script has no blanks", () => {
    expect(highlighted("我们明天去东京塔见面", "东京塔")).toEqual(["东京塔"]);
    expect(highlighted("𠮷野家に行く 𠮷野家", "𠮷野家")).toEqual(["𠮷野家", "𠮷野家"]);
  });

  it("shows the passage with the most different words, not the first match", () => {
    const text = `The backup ran. ${filler(40)} The nightly backup of the ledger went to Zurich. ${filler(40)}`;
    const snippet = cut(text, "nightly backup Zurich", 120);
    expect(snippet.text).toContain("nightly backup of the ledger went to Zurich");
    expect(snippet.text.length).toBeLessThanOrEqual(120);
    expect([snippet.text.startsWith("…"), snippet.text.endsWith("…")]).toEqual([true, true]);
    expect(highlighted(text, "nightly backup Zurich", 120)).toEqual(["nightly", "backup", "Zurich"]);
  });

  it("has no mark at an end that is the end of the text", () => {
    const end = cut(`${filler(40)}The password is in the vault.`, "vault", 80).text;
    expect([end.startsWith("…"), end.endsWith("in the vault.")]).toEqual([true, true]);
    const start = cut(`The vault is open. ${filler(40)}`, "vault", 80).text;
    expect([start.startsWith("The vault"), start.endsWith("…")]).toEqual([true, true]);
  });

  it("is the beginning of a long text without a match", () => {
    expect(cut(filler(40), "zebra", 40)).toEqual({ text: "lorem ipsum dolor lorem ipsum dolor…", highlights: [] });
  });

  it("never splits a character, and keeps its limit at any length", () => {
    const text = `${"😀".repeat(60)} needle ${"😀".repeat(60)}`;
    for (let maxChars = 12; maxChars < 60; maxChars++) {
      const snippet = cut(text, "needle", maxChars);
      expect(snippet.text.isWellFormed()).toBe(true);
      expect(snippet.text.length).toBeLessThanOrEqual(maxChars);
      expect(highlighted(text, "needle", maxChars)).toEqual(["needle"]);
    }
  });
});
