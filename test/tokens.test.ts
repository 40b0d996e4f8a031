import { describe, expect, it } from "vitest";
import { estimateTokens } from "../core/tokens.ts";

/** Counted with the o200k vocabulary. */
const COUNTED: [what: string, text: string, tokens: number][] = [
  [
    "English prose",
    "A result that looks right and is wrong costs more than no result. A check is worth the call it takes when somebody will build on the answer. Read the request again, word by word, and note every condition in it: what, which part, in which form, how precise.",
    58,
  ],
  [
    "Markdown",
    "## Steps\n\n1. **Look for a home first.** Call `skills_list` with words of the task.\n2. Name the class of work, not the case: `reading-server-logs`, never `fix-march-outage`.\n\n- One skill a task is one too many.\n",
    60,
  ],
  [
    "TypeScript",
    "export function estimateTokens(text: string): number {\n  let tokens = 0;\n  for (const piece of text.matchAll(PIECES)) {\n    if (piece.word) tokens += Math.max(1, piece.word.length / CHARS_PER_TOKEN.hump);\n  }\n  return Math.ceil(tokens);\n}\n",
    65,
  ],
  [
    "JSON",
    '{\n  "session": "first",\n  "modelCalls": 7,\n  "toolCalls": 6,\n  "failedCalls": 2,\n  "usage": {\n    "input": 10423,\n    "output": 812,\n    "cacheRead": 0\n  },\n  "files": [\n    "a.txt",\n    "notes/b.md"\n  ],\n  "ok": true\n}',
    87,
  ],
  [
    "dense JSON",
    '[{"id":17,"name":"north","value":12.5},{"id":18,"name":"south","value":-3.25},{"id":19,"name":"east","value":null}]',
    43,
  ],
  [
    "German",
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen.",
    39,
  ],
  [
    "Chinese",
    "人工智能是计算机科学的一个分支，它企图了解智能的实质，并生产出一种新的能以人类智能相似的方式做出反应的智能机器。",
    40,
  ],
  ["Japanese", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。", 32],
  ["Korean", "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.", 24],
  ["Russian", "Все люди рождаются свободными и равными в своем достоинстве и правах.", 17],
  [
    "hashes",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 550e8400-e29b-41d4-a716-446655440000",
    62,
  ],
  [
    "a skills index",
    "- reading-office-letters-0: How to read letters that offices send, with their own forms of address. Use before you answer one.\n- reading-office-letters-1: How to read letters that offices send, with their own forms of address. Use before you answer one.\n- reading-office-letters-2: How to read letters that offices send, with their own forms of address. Use before you answer one.\n- reading-office-letters-3: How to read letters that offices send, with their own forms of address. Use before you answer one.\n- reading-office-letters-4: How to read letters that offices send, with their own forms of address. Use before you answer one.\n- reading-office-letters-5: How to read letters that offices send, with their own forms of address. Use before you answer one.",
    174,
  ],
];

describe("estimateTokens", () => {
  it.each(COUNTED)("comes within 30 % of what %s costs", (_what, text, tokens) => {
    const estimate = estimateTokens(text);
    expect(estimate).toBeGreaterThanOrEqual(Math.floor(tokens * 0.7));
    expect(estimate).toBeLessThanOrEqual(Math.ceil(tokens * 1.3));
  });

  it("comes within 15 % over all of them together", () => {
    const all = COUNTED.reduce((sum, [, , tokens]) => sum + tokens, 0);
    const estimate = COUNTED.reduce((sum, [, text]) => sum + estimateTokens(text), 0);
    expect(Math.abs(estimate / all - 1)).toBeLessThan(0.15);
  });

  it("costs nothing for nothing, and never less for more", () => {
    const text = COUNTED.map(([, piece]) => piece).join("\n");
    expect(estimateTokens("")).toBe(0);
    for (let end = 1; end < text.length; end += 37) {
      expect(estimateTokens(text.slice(0, end))).toBeLessThanOrEqual(estimateTokens(text.slice(0, end + 37)) + 1);
    }
  });
});
