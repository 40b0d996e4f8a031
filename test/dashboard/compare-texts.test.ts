import { describe, expect, it } from "vitest";
import { compareTexts } from "../../dashboard/components/compare-texts.ts";

describe("compareTexts", () => {
  it("numbers what was removed, added and left, and leaves out what is far from it", async () => {
    const before = `${"same\n".repeat(9)}old\n`;
    const after = `${"same\n".repeat(9)}new\n`;
    expect(await compareTexts(before, after)).toEqual([
      ...[7, 8, 9].map((n) => ({ kind: "same", text: "same", old: n, new: n })),
      { kind: "removed", text: "old", old: 10 },
      { kind: "added", text: "new", new: 10 },
    ]);
  });

  it("takes no time for texts that have nothing in common", async () => {
    const write = (letter: string) => Array.from({ length: 20_000 }, (_, i) => `${letter}${i}`).join("\n");
    const began = process.cpuUsage();
    const lines = await compareTexts(write("a"), write("b"));
    expect(process.cpuUsage(began).user / 1_000, "ms").toBeLessThan(3_000);
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      40_000,
      { kind: "removed", text: "a0", old: 1 },
      { kind: "added", text: "b19999", new: 20_000 },
    ]);
    expect((await compareTexts("", write("b")))[0]).toEqual({ kind: "added", text: "b0", new: 1 });
  });
});
