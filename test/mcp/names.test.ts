import { expect, test } from "vitest";
import { matchesGlob } from "../../core/glob.ts";
import { isWanted, toToolNames } from "../../core/mcp/names.ts";

test("a tool is named after its server, with the characters that all providers accept", () => {
  expect(toToolNames("git", ["list", "a.b", "Größe"])).toEqual(["mcp_git_list", "mcp_git_a_b", "mcp_git_Gr__e"]);
});

test("names that would be equal or too long end in digits of their hash, and stay different", () => {
  const names = toToolNames("git", ["a.b", "a/b", "x".repeat(80)]);
  expect(new Set(names).size).toBe(3);
  expect(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
  expect(names[0]).toMatch(/^mcp_git_a_b_[0-9a-f]{6}$/);
});

test("include wins over exclude", () => {
  expect(isWanted({ include: ["get_*"], exclude: ["get_secret"] }, "get_secret")).toBe(true);
  expect(isWanted({ include: ["get_*"] }, "set_x")).toBe(false);
  expect(isWanted({ exclude: ["*delete*"] }, "file_delete_all")).toBe(false);
  expect(isWanted({ exclude: ["*delete*"] }, "file_read")).toBe(true);
  expect(isWanted({}, "anything")).toBe(true);
});

test("patterns match whole names", () => {
  const cases: [string, string, boolean][] = [
    ["*", "", true],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["a*c*e", "abcde", true],
    ["a*c", "abcd", false],
    ["", "a", false],
  ];
  for (const [glob, text, matches] of cases) expect(matchesGlob(glob, text), `${glob} ${text}`).toBe(matches);
});

test("a pattern of many stars is not slow", () => {
  const began = performance.now();
  expect(matchesGlob(`${"*a".repeat(50)}b`, "a".repeat(20_000))).toBe(false);
  expect(performance.now() - began).toBeLessThan(1_000);
});
