import { describe, expect, it } from "vitest";
import { Marked } from "marked";
import { createBlocks } from "../../dashboard/chat/log/blocks.ts";
import { splitMarkdown } from "../../dashboard/components/markdown-pieces.ts";

const CHARS = 100_000;
const repeat = (text: string, chars = CHARS) => text.repeat(Math.ceil(chars / text.length)).slice(0, chars);

/** Each takes marked seconds or minutes as a whole, or more memory than there is. */
const SLOW: Record<string, string> = {
  emphasis: repeat("*a"),
  "the ends of emphasis": repeat("a*"),
  underscores: repeat("a_"),
  marks: repeat("!"),
  spaces: `a${repeat(" ")}b`,
  addresses: `http://a${repeat(")")}`,
  quotes: repeat(">"),
  "lists in a line": repeat("1. "),
  "lists and quotes": repeat("> - "),
  "a list that goes on": `- a\n${repeat("a\n")}`,
  "quotes that go on": `${repeat("> ", 800)}a\n${repeat("a\n")}`,
  "a table of a billion cells": `${repeat("|a", 3_000)}\n${repeat("|-", 3_000)}\n${repeat("a\n", 4_000)}`,
};

describe("splitMarkdown", () => {
  it.each(Object.entries(SLOW))("keeps marked fast for %s", (_name, text) => {
    const marked = new Marked({ gfm: true, breaks: true });
    const began = process.cpuUsage();
    const html = splitMarkdown(text).map((piece) => (piece.isPlain ? piece.text : marked.parse(piece.text)));
    const { user } = process.cpuUsage(began);
    expect(html.join("").length).toBeLessThan(20 * CHARS);
    expect(user / 1_000, "ms").toBeLessThan(2_000);
  });

  it("leaves a text as long as most answers whole", () => {
    const text =
      "# A title\n\n- [a link][1]\n\n```js\ncode();\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[1]: https://example.com\n";
    expect(splitMarkdown(text)).toEqual([{ text, isPlain: false }]);
  });

  it("cuts a long text between its paragraphs, and its code not at all", () => {
    const prose = repeat("Some words of an answer.\n\n", 26 * 600);
    const code = `\`\`\`ts\n${repeat("const a = 1;\n\n", 14 * 3_000)}\`\`\`\n`;
    const pieces = splitMarkdown(prose + code + prose);
    expect(pieces.map(({ text }) => text).join("")).toBe(prose + code + prose);
    expect(pieces.map(({ isPlain }) => isPlain)).not.toContain(true);
    expect(pieces.map(({ text }) => text)).toContain(code);
    expect(pieces.filter(({ text }) => text !== code).every(({ text }) => text.endsWith("\n\n"))).toBe(true);
  });

  it("shows as it is a line that is nested more deeply than anybody writes", () => {
    expect(splitMarkdown(`${"> ".repeat(16)}a`)[0]!.isPlain).toBe(false);
    expect(splitMarkdown(`${"> ".repeat(17)}a`)[0]!.isPlain).toBe(true);
    expect(splitMarkdown("-".repeat(80))[0]!.isPlain).toBe(false);
  });
});

it("is cut for the answers of the chat too, which keep their blocks while they grow", () => {
  const grow = createBlocks();
  const text = `Before\n\n${">".repeat(5_000)}`;
  expect(
    grow(text)
      .map((block) => block.text)
      .join(""),
  ).toContain(">".repeat(5_000));
  expect(
    grow(`${text}\n\nAfter`)
      .map((block) => block.text)
      .join(""),
  ).toContain("After");
});
