// Patterns with stars and question marks.
import { expect, test } from "vitest";
import { matchesGlob } from "../core/glob.ts";

test.each([
  ["abc", "abc", true],
  ["abc", "abcd", false],
  ["*", "", true],
  ["a*", "a\nb", true],
  ["*rm -rf*", "sudo rm -rf /", true],
  ["a*b*a", "aba", true],
  ["a*b*a", "aa", false],
  ["aba*aba", "aba", false],
  ["a**b", "ab", true],
  ["", "x", false],
  ["a.c", "abc", false],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["*b?*", "aab", false],
  ["*b?*", "aabc", true],
  ["?*?", "a", false],
  ["*?", "ab", true],
])("%j against %j: %s", (pattern, text, matches) => {
  expect(matchesGlob(pattern, text)).toBe(matches);
});
