import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Patch, patchText } from "../../core/patch/patch.ts";
import { findByContext } from "../../core/patch/patch-similar.ts";
import { runs } from "../support/thorough.ts";

const patch = (text: string, oldString: string, newString: string, replaceAll = false) =>
  patchText(text, { oldString, newString, replaceAll } satisfies Patch);

describe("patchText", () => {
  it("replaces an exact passage inside a line", () => {
    expect(patch("one two three", "two", "2")).toEqual({
      ok: true,
      value: { text: "one 2 three", match: "exact", replacements: 1 },
    });
  });

  it("replaces every exact passage with replace_all", () => {
    expect(patch("a b a b a", "a", "", true)).toEqual({
      ok: true,
      value: { text: " b  b ", match: "exact", replacements: 3 },
    });
  });

  it("inserts the new text literally", () => {
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

  it("keeps the file's line endings", () => {
    expect(patch("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz")).toMatchObject({ value: { text: "x\r\ny\r\nz\r\nc\r\n" } });
  });

  it("removes the line with its line break if the replacement is empty", () => {
    expect(patch("a\n  b \nc\n", " b\n", "")).toMatchObject({ value: { text: "a\nc\n" } });
  });

  it("names the lines of several matches", () => {
    expect(patch("a\nb\na\na\na\na\na\n", "a", "x")).toEqual({
      ok: false,
      failure: {
        code: "several_matches",
        message:
          "old_string matches 6 places (lines 1, 3, 4, 5, 6, …): add a line of its surroundings, or set replace_all.",
        facts: { lines: [1, 3, 4, 5, 6], matches: 6 },
      },
    });
    expect(patch("a  \nb\na \t\n", "a \n", "x")).toMatchObject({ failure: { facts: { lines: [1, 3], matches: 2 } } });
  });

  it("reports a passage that overlaps itself as several matches", () => {
    expect(patch("xaaax", "aa", "b")).toMatchObject({ failure: { code: "several_matches" } });
  });

  it("counts a passage that overlaps itself only up to a limit", () => {
    const began = performance.now();
    const patch = { oldString: "a".repeat(20_000), newString: "b", replaceAll: false };
    expect(patchText("a".repeat(500_000), patch)).toMatchObject({
      ok: false,
      failure: { code: "several_matches", facts: { matches: 1_000, lines: [1, 1, 1, 1, 1] } },
    });
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it.each([
    ["trimmed_lines", "a \nb\na\t\n", "a\n", "x", "x\nb\nx\n", 2],
    ["white_space", "p a  b q a\tb r", "a b", "x", "p x q x r", 2],
    ["indentation", "a\nb\na\n", "\ta\n", "\tx\n", "x\nb\nx\n", 2],
    ["unicode", "say \u201chi\u201d, \u201chi\u201d", '"hi"', "ho", "say ho, ho", 2],
    ["exact", "aaaa", "aa", "b", "bb", 2],
  ])("replaces all places found by %s", (match, text, oldString, newString, result, replacements) => {
    expect(patch(text, oldString, newString, true)).toEqual({ ok: true, value: { text: result, match, replacements } });
  });

  it("applies replace_all only to identical passages, never to similar ones", () => {
    expect(
      patch("first line\nsecond line here\nthird line", "first line\nsecond line there\nthird line", "x", true),
    ).toEqual({
      ok: false,
      failure: {
        code: "inexact_replace_all",
        message: "old_string only resembles line 1, and replace_all needs an exact copy: copy it from the file.",
        facts: { lines: [1] },
      },
    });
  });

  it("names the nearest line and shows the beginning of the file", () => {
    const text = `# Title\n\nRun the tests before you push.\n${"x".repeat(600)}`;
    expect(patch(text, "Run the test before pushing.", "x")).toEqual({
      ok: false,
      failure: {
        code: "not_found",
        message:
          "old_string is not in the file. Did you mean line 3 (nearest)? View it again and copy the passage exactly.",
        facts: { nearest: [{ line: 3, text: "Run the tests before you push." }], preview: text.slice(0, 500) },
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

  it("never changes anything outside the match", { timeout: 30_000 }, () => {
    const lines = fc.array(fc.constantFrom("a", "b", " a", "  a  b", "c ", "", "\tb", "a\r"), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(lines, lines, (text, wanted) => {
        const before = text.join("\n");
        const patched = patch(before, wanted.join("\n"), "<new>");
        if (!patched.ok) return;
        const byLikeness = ["block_anchor", "context"].includes(patched.value.match);
        const [head, tail, ...more] = patched.value.text.split(/[ \t]*<new>/);
        expect(more).toEqual([]);
        expect(before.startsWith(head!) && before.endsWith(tail!)).toBe(true);
        const replaced = before.slice(head!.length, before.length - tail!.length);
        if (byLikeness) expect(replaced.split("\n").length).toBeLessThanOrEqual(wanted.length);
        else expect(replaced.replace(/\s+/g, "")).toBe(wanted.join("").replace(/\s+/g, ""));
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe("a passage that is remembered inexactly", () => {
  it.each([
    ["blanks within a line", "white_space", "one  two\tthree four", "two three", "2 3", "one  2 3 four"],
    ["blanks in part of two lines", "white_space", "x = (a,  b)\ny", "(a, b)\ny", "()", "x = ()"],
    ["a written-out line feed", "escapes", "a\nb\nc", "a\\nb", "x\\ny", "x\ny\nc"],
    ["a written-out tab and quotes", "escapes", 'k:\t"v"', 'k:\\t\\"v\\"', 'k:\\t\\"w\\"', 'k:\t"w"'],
    ["escapes and another indentation", "escapes", "  a\n    b\nc", "a\\n  b", "a\\n  d", "  a\n    d\nc"],
    [
      "written-out line feeds and real escapes",
      "escapes",
      'a "\\\\d"\nb',
      'a "\\\\d"\\nb',
      'a "\\\\w"\\nb',
      'a "\\\\w"\nb',
    ],
    ["blanks around it", "boundary", "the quick fox jumps", "  quick fox\n", " slow fox\n", "the slow fox jumps"],
    ["straight quotes", "unicode", "say \u2018hi\u2019 \u2026 now", "say 'hi' ...", "say 'ho' ...", "say 'ho' ... now"],
    ["a dash", "unicode", "one \u2013 two", "one - two", "one, two", "one, two"],
    ["a letter composed differently", "unicode", "cafe\u0301 noir", "caf\u00e9 noir", "tea", "tea"],
    ["full-width letters", "unicode", "\uff21\uff22 c", "AB c", "d", "d"],
    ["an invisible character", "unicode", "pass\u200bword", "password", "word", "word"],
    [
      "one changed line between two unchanged ones",
      "block_anchor",
      "begin\n  use the old way\nend",
      "begin\nuse an old way\nend",
      "x",
      "x",
    ],
    [
      "small changes in every line",
      "context",
      "Open the files.\nRead them all.",
      "Open the file.\nRead them al.",
      "x",
      "x",
    ],
  ])("is found with %s", (_what, match, text, oldString, newString, result) => {
    expect(patch(text, oldString, newString)).toEqual({ ok: true, value: { text: result, match, replacements: 1 } });
  });

  it.each([
    ["typographic quotes", "a \u201cb\u201d\nc\n", 'a "b"\nc', 'a "b"\nd', "a \u201cb\u201d\nd\n"],
    [
      "indentation",
      "\tif x:\n\t\ty\n\t\tz\n",
      "if x:\n  y\n  z",
      "if x:\n  y\n  w\n  v",
      "\tif x:\n\t\ty\n\t\tw\n\t\tv\n",
    ],
    [
      "words in a line that is only similar",
      "one\ntwo words\nthree",
      "one\ntwo word\nthree",
      "one\ntwo word\n3",
      "one\ntwo words\n3",
    ],
    ["trailing blanks", "a  \nb\n", "a\nb", "a\nc", "a  \nc\n"],
    ["mixed line endings", "a\r\nb\nc \n", "a\nb\nc\n", "a\nb\nd\n", "a\r\nb\nd\n"],
    ["a carriage return in an exact match", "one\r\ntwo\r\n", "two", "2\n3", "one\r\n2\r\n3\r\n"],
    ["an outer indentation", "    a\n    b\n", "  a\n  b", "c\n  a", "  c\n    a\n"],
    ["blank lines that the new text adds", "a\nb\n", " a\n", "\na2\n", "\na2\nb\n"],
  ])("keeps the file's %s if the replacement does not change it", (_what, text, oldString, newString, result) => {
    expect(patch(text, oldString, newString)).toMatchObject({ ok: true, value: { text: result } });
  });

  it.each([
    [
      "between one pair of anchors, half of it similar",
      "top 1\naaaa bbbb\nend 1",
      "top 1\naaaa cccc\nend 1",
      "block_anchor",
    ],
    [
      "between one pair of anchors, less than half similar",
      "top 1\naaaa bbbb\nend 1",
      "top 1\nxxyy zz\nend 1",
      "not_found",
    ],
    [
      "between two pairs, one of them seven tenths similar",
      "top\naaaa bbbb\nend\ntop\naaaa cccc\nend",
      "top\naaaa cccd\nend",
      "block_anchor",
    ],
    [
      "between two pairs, neither similar enough",
      "top\naaaa bbbb\nend\ntop\naaaa cccc\nend",
      "top\naaaa dddd\nend",
      "not_found",
    ],
    [
      "between two pairs, both similar",
      "top\naaaa bbbb1\nend\ntop\naaaa bbbb2\nend",
      "top\naaaa bbbb3\nend",
      "several_matches",
    ],
    ["between brackets alone", "{\naaaa bbbb\n}", "{\naaaa cccc\n}", "not_found"],
    [
      "with one line that is different",
      "first line of it\nsecond line of it",
      "first line of it\nwhat else there is",
      "not_found",
    ],
    ["of a single line", "the first line of it", "the first line of is", "not_found"],
    [
      "at two places",
      "a long line 1\nb long line 1\na long line 2\nb long line 2",
      "a long line 3\nb long line 3",
      "several_matches",
    ],
  ])("is matched by similarity %s", (_what, text, oldString, expected) => {
    const patched = patch(text, oldString, "x");
    expect(patched.ok ? patched.value.match : patched.failure.code).toBe(expected);
  });

  it("names the lines of several similar passages, without advising replace_all", () => {
    const text = "alpha line 1\nbeta here 1\nalpha line 2\nbeta here 2";
    expect(patch(text, "alpha line 3\nbeta here 3", "x")).toEqual({
      ok: false,
      failure: {
        code: "several_matches",
        message: "old_string resembles 2 places (lines 1, 3): copy the one you mean exactly.",
        facts: { lines: [1, 3], matches: 2 },
      },
    });
  });

  it.each([
    ["only the replacement has", 'say "hi"\n', 'say \\"hi\\"', 'say \\"hi\\"\\nbye'],
    [
      "the file does not have",
      'top line\nsay "hi" to all of them\nlast line',
      'top line\nsay \\"hi\\" to all of it\nlast line',
      '\\"x\\"',
    ],
  ])("is refused with an escape that %s", (_what, text, oldString, newString) => {
    expect(patch(text, oldString, newString)).toMatchObject({
      failure: { code: "escape_drift", facts: { lines: [1] } },
    });
  });

  it("keeps an escape that is also in the file", () => {
    expect(patch('  a = "\\n"\n', 'a  = "\\n"', 'b = "\\n"')).toMatchObject({ value: { text: '  b = "\\n"\n' } });
  });

  it("never ends in the middle of a character", () => {
    expect(patch("wait\u2026 now", "wait..", "x")).toMatchObject({ failure: { code: "not_found" } });
    expect(patch("\u201ccafe\u0301\u201d", '"cafe', "x")).toMatchObject({ failure: { code: "not_found" } });
  });

  it("refuses a patch that would change nothing", () => {
    expect(patch("  a b\n", "a  b", "a b")).toMatchObject({ failure: { code: "nothing_to_change" } });
  });
});

describe("the work of a patch", () => {
  const lines = (count: number, line: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i)).join("\n");
  it.each([
    ["a long run and a similar one", "a".repeat(100_000), `b${"a".repeat(50_000)}`],
    ["a long run and a similar one with another end", "a".repeat(100_000), `${"a".repeat(50_000)}b`],
    ["equal lines", "a\n".repeat(20_000), `${"a\n".repeat(10_000)}b`],
    ["anchors everywhere", `aa\n${"bb\n".repeat(3)}`.repeat(5_000), `aa\n${"bc\n".repeat(4_998)}\naa`],
    [
      "lines that are all similar",
      lines(2_000, (i) => `this is line number ${i}`),
      lines(1_000, (i) => `this is lime number ${i}`),
    ],
    [
      "long lines that are all similar",
      lines(400, (i) => `${"x".repeat(240)}${i}`),
      lines(200, (i) => `${"x".repeat(239)}y${i}`),
    ],
    ["endless combining marks", `a${"\u0301\u0316".repeat(50_000)}`, "b\u0301"],
    ["a character that expands to many", "\ufdfa".repeat(20_000), `${"\ufdfa".repeat(10_000)}b`],
    ["blanks", `${" ".repeat(100_000)}x`, `${" ".repeat(50_000)}y`],
    ["backslashes", "\\n".repeat(50_000), `${"\\\\n".repeat(30_000)}z`],
    [
      "a large file",
      "The quick brown fox jumps over it\n".repeat(10_000),
      "The quick brown fox jumped over\nhim twice today",
    ],
  ])("stays bounded with %s", { timeout: 30_000 }, (_what, text, oldString) => {
    const began = performance.now();
    for (const replaceAll of [false, true]) {
      expect(patch(text, oldString, "x\n".repeat(1_000), replaceAll)).toMatchObject({ failure: { code: "not_found" } });
    }
    // A search over every pair of places would take hours.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it("finds nothing if the search by similarity would take too long", () => {
    const work = { left: 50_000 };
    const alike = Array.from({ length: 1_000 }, (_, i) => `the same long line but for ${i}`);
    expect(findByContext(alike, alike.map((line) => `${line}!`).slice(0, 500), work)).toEqual([]);
    expect(work.left).toBeLessThanOrEqual(0);
    expect(work.left).toBeGreaterThan(-5_000);
  });

  it("makes no file larger than the limit", () => {
    expect(patch("a".repeat(100_000), "a", "b".repeat(100_000), true)).toMatchObject({
      failure: { code: "too_large" },
    });
  });

  it("never throws, and finds passages with different white space in any text", { timeout: 30_000 }, () => {
    const piece = fc.constantFrom(
      "a",
      "Zwei Worte",
      "\u201cq\u201d",
      "- x: 1",
      "\u00e9",
      "\\n",
      "```",
      "\ud83d\ude00",
      "",
      "\r",
      "\ud83d",
    );
    const lines = fc.array(
      fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join("  ")),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(
        lines,
        fc.nat(11),
        fc.nat(4),
        fc.boolean(),
        fc.string(),
        (text, from, count, replaceAll, newString) => {
          const wanted = text.slice(from, from + count + 1).map((line) => ` ${line.replace(/ +/g, " ")}`);
          const patched = patch(text.join("\n"), wanted.join("\n"), newString, replaceAll);
          expect(patched.ok ? "" : patched.failure.code).not.toBe("not_found");
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  it.each([
    ["concatenate the files", " cat "],
    ["bobcat and catalogue", " cat\n"],
    ["nothing but \u4e00cat\u4e8c", " cat "],
    ["f(x)", " (x)"],
  ])("does not match part of a word in %j for %j", (text, oldString) => {
    for (const replaceAll of [false, true]) {
      expect(patch(text, oldString, " dog ", replaceAll)).toMatchObject({ failure: { code: "not_found" } });
    }
  });
});
