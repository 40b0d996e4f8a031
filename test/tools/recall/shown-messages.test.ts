import { describe, expect, it } from "vitest";
import type { FoundMessage } from "../../../core/schemas/archived-message.ts";
import {
  clipMessage,
  fitEqually,
  fitWindow,
  joinMessages,
  pickHits,
} from "../../../core/tools/recall/shown-messages.ts";

const message = (n: number, over: Partial<FoundMessage> = {}): FoundMessage => ({
  id: n,
  session: "A",
  turn: 1,
  n,
  role: "assistant",
  at: n,
  text: `text ${n}`,
  score: 1,
  ...over,
});
const chars = (messages: { text: string }[]) => messages.reduce((sum, { text }) => sum + text.length, 0);

describe("hits", () => {
  const found = [
    message(5, { session: "B", at: 20 }),
    message(6, { session: "A", at: 30 }),
    message(7, { session: "B", at: 90 }),
    message(8, { session: "C", at: 10 }),
    message(9, { session: "D", at: 99 }),
  ];
  const picked = (order: "relevance" | "newest" | "oldest") =>
    pickHits(found, 3, order).map(({ session, n }) => [session, n]);

  it("are the best one of each session, as many as were requested", () => {
    expect(picked("relevance")).toEqual([
      ["B", 5],
      ["A", 6],
      ["C", 8],
    ]);
  });

  it("are ordered by time among the best only", () => {
    expect(picked("newest").map(([session]) => session)).toEqual(["A", "B", "C"]);
    expect(picked("oldest").map(([session]) => session)).toEqual(["C", "B", "A"]);
  });
});

describe("a window", () => {
  it("keeps its limit, its order and every message, and shows the words that were found", () => {
    const long = "lorem ".repeat(1_000);
    const messages = [
      message(1, { text: long }),
      message(2, { text: "short" }),
      message(3, { text: `${long} needle ${long}` }),
      message(4, { text: long }),
    ];
    const shown = fitWindow(messages, { n: 3, words: ["needl"], maxChars: 4_000 });
    expect(shown.map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    expect(chars(shown)).toBeLessThanOrEqual(4_000);
    expect(chars(shown)).toBeGreaterThan(3_800);
    expect(shown[1]!.text).toBe("short");
    expect(shown[2]!.text).toContain("needle");
  });

  it("leaves short messages whole and shares the rest equally", () => {
    const shown = fitEqually(
      [message(1, { text: "a".repeat(900) }), message(2), message(3, { text: "b".repeat(900) })],
      406,
    );
    expect(shown.map(({ text }) => text.length)).toEqual([6, 200, 200]);
  });

  it("shows little of a tool's result", () => {
    expect(clipMessage(message(1, { role: "tool", text: "x".repeat(900) }), 1_200).text).toHaveLength(200);
    expect(clipMessage(message(1, { text: "x".repeat(900) }), 0).text).toBe("");
  });

  it("has a message of two lists once", () => {
    expect(joinMessages([message(4), message(1)], [message(4), message(2)]).map(({ n }) => n)).toEqual([1, 2, 4]);
  });
});
