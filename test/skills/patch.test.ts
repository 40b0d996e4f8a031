import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Patch, patchText } from "../../core/skills/patch.ts";

const patch = (text: string, oldString: string, newString: string, replaceAll = false) =>
  patchText(text, { oldString, newString, replaceAll } satisfies Patch);

describe("patchText", () => {
  it("replaces an exact passage inside a line", () => {
    expect(patch("one two three", "two", "2")).toEqual({
      ok: true,
      value: { text: "one 2 three", match: "exact", replacements: 1 },
    });
  });

  it("replaces every exact passage when told to", () => {
    expect(patch("a b a b a", "a", "", true)).toEqual({
      ok: true,
      value: { text: " b  b ", match: "exact", replacements: 3 },
    });
  });

  it("takes new text as it is, without reading patterns into it", () => {
    expect(patch("price", "price", "$& $1 $$")).toMatchObject({ value: { text: "$& $1 $$" } });
  });

  it.each([
    ["trimmed_lines", "a\n  b  \nc\n", "  b\nc", "B", "a\nB\n"],
    ["white_space", "a\n\tb   c\nd\n", " b c\n", "\tB", "a\n\tB\nd\n"],
    ["indentation", "x:\n    if a:\n      b\ny\n", "if a:\n  b", "if c:\n  d", "x:\n    if c:\n      d\ny\n"],
    ["indentation", "x\ny\n", "    x\n    y", "    z\n      w", "z\n  w\n"],
    ["trimmed_lines", "a\n\nb  \nc\n", "\n\nb\n\n", "B", "a\n\nB\nc\n"],
  ])("falls back to %s for %j", (match, text, oldString, newString, result) => {
    expect(patch(text, oldString, newString)).toEqual({ ok: true, value: { text: result, match, replacements: 1 } });
  });

  it("keeps the file's line ends", () => {
    expect(patch("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz")).toMatchObject({ value: { text: "x\r\ny\r\nz\r\nc\r\n" } });
  });

  it("takes the line away with its end when nothing replaces it", () => {
    expect(patch("a\n  b \nc\n", " b\n", "")).toMatchObject({ value: { text: "a\nc\n" } });
  });

  it("names the lines of several matches", () => {
    expect(patch("a\nb\na\na\na\na\na\n", "a", "x")).toEqual({
      ok: false,
      failure: {
        code: "several_matches",
        message:
          "old_string stands at 6 places (lines 1, 3, 4, 5, 6, …): add a line of its surroundings, or set replace_all.",
        facts: { lines: [1, 3, 4, 5, 6], matches: 6 },
      },
    });
    expect(patch("a  \nb\na \t\n", "a \n", "x")).toMatchObject({ failure: { facts: { lines: [1, 3], matches: 2 } } });
  });

  it("sees that a passage overlapping itself is not unique", () => {
    expect(patch("xaaax", "aa", "b")).toMatchObject({ failure: { code: "several_matches" } });
  });

  it("does not count a passage that overlaps itself without end", () => {
    const began = performance.now();
    const patch = { oldString: "a".repeat(20_000), newString: "b", replaceAll: false };
    expect(patchText("a".repeat(500_000), patch)).toMatchObject({
      ok: false,
      failure: { code: "several_matches", facts: { matches: 1_000, lines: [1, 1, 1, 1, 1] } },
    });
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it("replaces all only what is copied exactly", () => {
    expect(patch("a  b\n", "a b", "x", true)).toMatchObject({
      failure: { code: "inexact_replace_all", facts: { lines: [1] } },
    });
  });

  it("says which line comes nearest, and shows the file's beginning", () => {
    const text = `# Title\n\nRun the tests before you push.\n${"x".repeat(600)}`;
    expect(patch(text, "Run the test before pushing.", "x")).toEqual({
      ok: false,
      failure: {
        code: "not_found",
        message:
          "old_string is not in the file. Did you mean line 3 (nearest)? View it again and copy the passage exactly.",
        facts: { nearest: { line: 3, text: "Run the tests before you push." }, preview: text.slice(0, 500) },
      },
    });
  });

  it.each([
    ["", "x", "empty_old_string"],
    [" \n", "x", "empty_old_string"],
    ["a", "a", "nothing_to_change"],
    ["zzz", "x", "not_found"],
  ])("refuses %j for %j", (oldString, newString, code) => {
    expect(patch("a b c", oldString, newString)).toMatchObject({ ok: false, failure: { code } });
  });

  it("never changes anything outside the match", () => {
    const lines = fc.array(fc.constantFrom("a", "b", " a", "  a  b", "c ", "", "\tb", "a\r"), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(lines, lines, (text, wanted) => {
        const before = text.join("\n");
        const patched = patch(before, wanted.join("\n"), "<new>");
        if (!patched.ok) return;
        const [head, tail, ...more] = patched.value.text.split(/[ \t]*<new>/);
        expect(more).toEqual([]);
        expect(before.startsWith(head!) && before.endsWith(tail!)).toBe(true);
        const replaced = before.slice(head!.length, before.length - tail!.length);
        expect(replaced.replace(/\s+/g, "")).toBe(wanted.join("").replace(/\s+/g, ""));
      }),
      { numRuns: 2_000 },
    );
  });
});
