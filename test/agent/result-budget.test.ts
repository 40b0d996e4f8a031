import { describe, expect, it } from "vitest";
import type { ToolResult } from "../../core/agent/contract.ts";
import { createResultBudget, toRepeat } from "../../core/agent/result-budget.ts";
import { renderParts, succeed } from "../../core/agent/tool-result.ts";
import { err, ok } from "../../core/errors.ts";

const fields = (result: ToolResult) => JSON.parse(renderParts(result.parts)) as Record<string, unknown>;

function setUp(
  options: { maxResultChars?: number; maxTurnResultChars?: number; window?: number; full?: boolean } = {},
) {
  const { maxResultChars = 100_000, maxTurnResultChars = 200_000, window = 1_000_000, full } = options;
  const files = new Map<string, string>();
  const budget = createResultBudget({
    limits: { maxResultChars, maxTurnResultChars },
    contextWindow: () => window,
    async spill(place, text) {
      if (full) return err("workspace_full", "There is no room.");
      files.set(place, text);
      return ok(`results/${place}`);
    },
  });
  return { budget, files };
}

const text = (chars: number) => succeed({ exit_code: 0 }, { content: { stdout: "x".repeat(chars) } });

describe("the budget of tool results", () => {
  it("leaves a result within it unchanged", async () => {
    const { budget, files } = setUp();
    const result = text(99_000);
    expect(await budget.fit(result, "1-t", false)).toBe(result);
    expect(files.size).toBe(0);
  });

  it("moves a longer result into a file, and shows its beginning, its size and its path", async () => {
    const { budget, files } = setUp();
    const whole = `first line\n${"x".repeat(120_000)}`;
    const shown = await budget.fit(succeed({ exit_code: 0 }, { content: { stdout: whole, stderr: "" } }), "7-t", false);
    expect(files).toEqual(new Map([["7-t", whole]]));
    expect(fields(shown)).toEqual({
      exit_code: 0,
      moved: expect.stringMatching(/^The result .* its 120011 characters are in results\/7-t, .*read_file/),
      stderr: "",
      preview: whole.slice(0, 1_500),
    });
    expect(shown.parts.find((part) => part.text.startsWith('{"preview"'))?.source).toBe("content");
  });

  it("writes several long fields one below the other, and lists as lines", async () => {
    const { budget, files } = setUp({ maxResultChars: 3_000 });
    const lines = Array.from({ length: 200 }, (_, i) => `data.csv:${i}:${"y".repeat(10)}`);
    const table = { rows: Array.from({ length: 300 }, (_, i) => ({ i })) };
    await budget.fit(succeed({ count: 1 }, { content: { lines, table } }), "2-s", false);
    expect(files.get("2-s")).toBe(
      `=== lines ===\n${lines.join("\n")}\n=== table ===\n${JSON.stringify(table, null, 1)}`,
    );
  });

  it("moves a result of very many short fields", async () => {
    const { budget, files } = setUp({ maxResultChars: 3_000 });
    const crowd = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field_${i}`, i]));
    const shown = await budget.fit(succeed(crowd), "2-s", false);
    expect(Object.keys(fields(shown)).sort()).toEqual(["moved", "preview"]);
    expect(files.get("2-s")).toContain("=== field_499 ===\n499");
  });

  it("never moves a result of a tool with a limit of its own", async () => {
    const { budget, files } = setUp();
    const result = text(150_000);
    expect(await budget.fit(result, "1-t", true)).toBe(result);
    expect(files.size).toBe(0);
  });

  it.each([
    [200_000, 100_000, "the setting"],
    [100_000, 60_000, "15 % of the window at four characters per token"],
    [8_000, 4_800, "15 % of a small window"],
    [2_000, 2_500, "the minimum"],
  ])("in a window of %d tokens allows %d characters: %s", async (window, chars) => {
    const { budget, files } = setUp({ window });
    await budget.fit(text(chars - 40), "1", false);
    expect(files.size).toBe(0);
    const other = setUp({ window });
    await other.budget.fit(text(chars), "1", false);
    expect(other.files.size).toBe(1);
  });

  it("allows less once the turn's results have used their share, but never moves a short one", async () => {
    const { budget, files } = setUp();
    await budget.fit(text(99_000), "1", false);
    await budget.fit(text(99_000), "2", false);
    expect(files.size).toBe(0);
    await budget.fit(text(5_000), "3", false);
    await budget.fit(text(1_500), "4", false);
    expect([...files.keys()]).toEqual(["3"]);
  });

  it("counts what an earlier run recorded", async () => {
    const { budget, files } = setUp();
    budget.count(text(99_000));
    budget.count(text(99_000));
    await budget.fit(text(5_000), "3", false);
    expect([...files.keys()]).toEqual(["3"]);
  });

  it.each([
    ["there is no place for files", undefined],
    ["the place is full", async () => err("workspace_full", "There is no room.")],
  ])("cuts a result if %s, and keeps it valid JSON", async (_title, spill) => {
    const limits = { maxResultChars: 3_000, maxTurnResultChars: 100_000 };
    const budget = createResultBudget({ limits, contextWindow: () => 200_000, ...(spill && { spill }) });
    const quotes = '"'.repeat(9_000);
    const result = succeed({ exit_code: 0 }, { content: { stdout: quotes, note: "short", rows: [...quotes] } });
    const shown = await budget.fit(result, "1", false);
    expect(fields(shown)).toMatchObject({ exit_code: 0, cut: true, note: "short" });
    const size = shown.parts.reduce((sum, part) => sum + part.text.length, 0);
    expect(size).toBeLessThan(3_100);
    expect((fields(shown).stdout as string).length).toBeGreaterThan(1_300);
  });

  it("moves the long fields of all parts of a result", async () => {
    const { budget, files } = setUp({ maxResultChars: 2_500 });
    const result = succeed({ exit_code: 0, log: "l".repeat(1_500) }, { content: { stdout: "s".repeat(1_500) } });
    const shown = await budget.fit(result, "5-t", false);
    expect(files.get("5-t")).toBe(`=== log ===\n${"l".repeat(1_500)}\n=== stdout ===\n${"s".repeat(1_500)}`);
    expect(Object.keys(fields(shown)).sort()).toEqual(["exit_code", "moved", "preview"]);
  });

  it("never splits a character", async () => {
    const { budget } = setUp({ maxResultChars: 3_000 });
    const shown = await budget.fit(succeed({}, { content: { text: `x${"😀".repeat(5_000)}` } }), "1", false);
    expect((fields(shown).preview as string).isWellFormed()).toBe(true);
  });
});

describe("a repeated result", () => {
  const call = { id: "c", name: "read_file", args: { path: "a".repeat(300) } };

  it("becomes a line that names the earlier call, with the harness's part of the result", () => {
    const seen = { ...succeed({ lines: 3 }, { content: { content: "x".repeat(600) } }), print: "p" };
    const repeat = toRepeat(seen, call)!;
    expect(repeat.print).toBe("p");
    expect(fields(repeat)).toEqual({
      lines: 3,
      repeated: `read_file {"path":"${"a".repeat(111)} gave this result before: read it above.`,
    });
  });

  it("is shown again if it is short, or holds more than text", () => {
    expect(toRepeat(succeed({}, { content: { content: "x".repeat(400) } }), call)).toBeNull();
    expect(toRepeat(succeed({}, { content: { lines: ["x".repeat(600)] } }), call)).toBeNull();
    expect(toRepeat(succeed({}, { content: { text: "x".repeat(600), image: { data: 1 } } }), call)).toBeNull();
    expect(toRepeat(succeed({ error: "e".repeat(600) }), call)).toBeNull();
  });
});
