// What the pages Models and Health say.
import { describe, expect, it } from "vitest";
import { countLines } from "../../dashboard/health/check-words.ts";
import { describePrice, describeWindow, listModels, nameSlot } from "../../dashboard/models/model-words.ts";

describe("models", () => {
  it("are listed once: those to choose from, then those of other work", () => {
    const choices = [
      { name: "p:a", isDefault: true },
      { name: "p:b", isDefault: false },
    ];
    const slots = [
      { slot: "turn", own: false, models: [{ name: "p:a" }] },
      { slot: "review", own: true, models: [{ name: "p:c" }, { name: "p:b" }] },
    ];
    const listed = listModels({ models: choices, slots }).map(({ name, isDefault, isChoice }) => [
      ...[name, isDefault, isChoice],
    ]);
    expect(listed).toEqual([
      ["p:a", true, true],
      ["p:b", false, true],
      ["p:c", false, false],
    ]);
  });

  it("have a price and a window in words", () => {
    const price = { input: 2, output: 10, cacheRead: 0.2, source: "catalog" } as const;
    expect(describePrice({ name: "m", price })).toMatch(/2\.00 in, .*0\.2.* cached, .*10\.00 out/);
    expect([describePrice({ name: "m" }), describeWindow({ name: "m" })]).toEqual(["unknown", "unknown"]);
    expect([nameSlot("turn"), nameSlot("judge"), nameSlot("later")]).toEqual([
      "Conversations",
      "Judging of reviews",
      "later",
    ]);
  });
});

describe("a check-up", () => {
  it("is counted in words", () => {
    const lines = (["ok", "warn", "ok"] as const).map((state) => ({ check: "c", state, found: "f" }));
    expect(countLines(lines)).toBe("1 needs attention, 2 work");
    expect(countLines([{ check: "c", state: "fail", found: "f" }])).toBe("1 fails");
  });
});
