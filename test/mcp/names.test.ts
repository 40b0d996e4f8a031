import { expect, test } from "vitest";
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
