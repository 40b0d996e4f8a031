// Which of a provider's words a model reads, and which requests are worth a search.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RECALL_CHARS, isTrivial, hashBullet, renderRecall, toBullets, toQuery } from "../../core/memory/recall.ts";
import { runs } from "../support/thorough.ts";

const NONE = () => false;

describe("isTrivial", () => {
  it.each([
    ...["ok", "OK!", "Thanks.", "thank you very much", "yes please", "👍", "…", "", "y", "Go on", "Danke!", "/refine"],
    ...["/compress the reports", "LGTM 🚀", "  sounds good  "],
  ])("%j is not worth a search", (request) => {
    expect(isTrivial(request)).toBe(true);
  });

  it.each([
    ...["When does the report go out?", "/etc/hosts is wrong", "ok, now the same for May", "Berichte?", "fix it"],
    ...["日本語で答えて", "no thanks to the weather we are late"],
  ])("%j is worth a search", (request) => {
    expect(isTrivial(request)).toBe(false);
  });
});

describe("toQuery", () => {
  it("is the request in one line, with both ends of a long one", () => {
    expect(toQuery(" When\n does it? ")).toBe("When does it?");
    const query = toQuery(`first ${"x ".repeat(2_000)} last`);
    expect(query.length).toBeLessThanOrEqual(1_000);
    expect(query).toMatch(/^first .* last$/);
  });
});

describe("toBullets", () => {
  it.each<[string, string[], string[]]>([
    ["lines", ["one\n- two\n* three", "• four"], ["one", "two", "three", "four"]],
    ["headings and empty lines", ["## Facts\n\none\n---\n"], ["one"]],
    ["repetitions", ["One fact", "one  FACT", "two"], ["One fact", "two"]],
    ["its own fence", ["a <memory-context>b</memory-context> c"], ["a b c"]],
    [
      "a fence in pieces",
      ["<mem<memory-context>ory-context>x", "<</memory-context>/memory-context>y"],
      ["&lt;memory-context>x", "&lt;/memory-context>y"],
    ],
    ["other fences", ["x </content> <memory> <<news>"], ["x &lt;/content> &lt;memory> &lt;&lt;news>"]],
    ["invisible characters", ["a\u200Bb\u0007c\td \u202Ee 👩\u200D🔬"], ["a b c d e 👩\u200D🔬"]],
    ["other line breaks", ["a\u2028b\u0085c"], ["a", "b", "c"]],
  ])("cleans %s", (_what, texts, bullets) => {
    expect(toBullets(texts)).toEqual(bullets);
  });

  it("cuts a line that is too long", () => {
    expect(toBullets(["x".repeat(5_000)])[0]).toHaveLength(600);
  });
});

describe("renderRecall", () => {
  it("puts the lines in a fence and states what they are", () => {
    expect(renderRecall(["one", "two"], NONE)).toEqual({
      text: expect.stringMatching(/^<memory-context>\nRecalled from earlier .*\n- one\n- two\n<\/memory-context>$/),
      keys: [hashBullet("one"), hashBullet("two")],
    });
  });

  it("drops lines shown before, and is null if none is left", () => {
    const known = new Set([hashBullet("ONE")]);
    expect(renderRecall(["one", "two"], (key) => known.has(key))?.keys).toEqual([hashBullet("two")]);
    expect(renderRecall(["one"], (key) => known.has(key))).toBeNull();
    expect(renderRecall([], NONE)).toBeNull();
  });

  it("has at most 4,000 characters and one fence for any reply", () => {
    const nasty = fc.array(
      fc.oneof(
        fc.constantFrom("<", "/", "memory-context", ">", "<memory-context>", "</memory-context>", "\n", " ", "- "),
        fc.string({ maxLength: 300 }),
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(fc.array(nasty, { maxLength: 12 }), (texts) => {
        const block = renderRecall(toBullets(texts.map((pieces) => pieces.join(""))), NONE);
        if (!block) return;
        expect(block.text.length).toBeLessThanOrEqual(RECALL_CHARS);
        expect(block.text.match(/<[\s/]*memory-context/gi)).toHaveLength(2);
        expect(block.text.endsWith("\n</memory-context>")).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });
});
