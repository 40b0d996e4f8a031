// How a form's pieces are joined over gaps, and that no text makes this slow.
import { describe, expect, test } from "vitest";
import { scanText } from "../../../core/skills/scanner/scanner.ts";
import { findGapped, toGapped } from "../../../core/skills/scanner/gaps.ts";

const find = (source: string, text: string) =>
  toGapped(source).flatMap((form) => [...findGapped(form, text)].map(({ from, to }) => text.slice(from, to)));

describe("findGapped", () => {
  test.each([
    ["joins pieces over a gap", String.raw`a[^\n]{0,9}b`, "xa--b", ["a--b"]],
    ["takes the nearest following piece", String.raw`a[^\n]{0,9}b`, "a-b-b", ["a-b"]],
    ["skips a gap that is too long", String.raw`a[^\n]{0,6}b`, "a-------b", []],
    ["skips a gap that is too short", String.raw`a[^\n]{3,6}b`, "a--b", []],
    ["continues after a piece that is too near", String.raw`a[^\n]{3,9}b`, "a-b-b", ["a-b-b"]],
    ["skips a gap with a character that it may not contain", String.raw`a[^\n]{0,9}b`, "a-\n-b", []],
    ["starts at a later beginning that reaches the end", String.raw`a[^\n]{0,9}b`, "a\na-b", ["a-b"]],
    ["does not start within an earlier match", String.raw`a[^\n]{0,9}b`, "aab", ["aab"]],
    ["joins three pieces", String.raw`a[^\n]{0,9}b[^\n]{0,9}c`, "a-b-b-c", ["a-b-b-c"]],
    ["reads each alternative", String.raw`a[^\n]{0,9}b|c[^\n]{0,9}d`, "a-b c-d", ["a-b", "c-d"]],
    ["keeps alternatives of a group together", String.raw`(?:a|c)[^\n]{0,9}b`, "c-b", ["c-b"]],
    ["stops at the end of a comment", String.raw`<!--(?:(?!-->)[\s\S]){0,60}?b`, "<!-- --> b <!-- b", ["<!-- b"]],
  ])("%s", (_what, source, text, found) => {
    expect(find(source, text)).toEqual(found);
  });

  test("starts at the same place as the regular expression itself", () => {
    const source = String.raw`a[^c]{1,7}b[^c]{0,7}d`;
    let state = 1;
    const letter = () => "abcd-"[(state = (state * 48_271) % 2_147_483_647) % 5]!;
    for (let n = 0; n < 300; n++) {
      const text = Array.from({ length: 40 }, letter).join("");
      const first = new RegExp(source).exec(text)?.index;
      expect([...findGapped(toGapped(source)[0]!, text)][0]?.from).toBe(first);
    }
  });
});

// Trying every gap in turn, each of these takes from half a minute to years.
test.each([
  "curl--data-",
  "curl --data $(",
  "<a style='",
  "![](https://a.a/?",
  "curl | ",
  "you evil ",
  "```\n",
  "env|",
  "password is: ",
])("a hundred kilobytes of %j are scanned quickly", (piece) => {
  expect(scanText(piece.repeat(100_000 / piece.length), "guide").length).toBeLessThan(100);
});
