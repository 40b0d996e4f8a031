// Shortened conversations keep what is protected, part no call from its results, and are as long as they should be.
import { describe, expect, test } from "vitest";
import { compressTrajectory } from "../../core/trajectories/compress.ts";
import { toShareGpt } from "../../core/trajectories/sharegpt.ts";
import type { Trajectory, TrajectoryMessage } from "../../core/trajectories/trajectory.ts";
import { estimateTokens } from "../../core/tokens.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { expectShareGpt, expectWhole } from "./read-logs.ts";

/** Rounds of a request, calls with their results, and an answer. `steps`: rounds of calls of each. */
function build(steps: number[], words: () => number): Trajectory {
  let id = 0;
  const messages: TrajectoryMessage[] = [];
  const push = (message: object) =>
    messages.push({ ...message, turn: 1, entry: messages.length + 1 } as TrajectoryMessage);
  const say = (calls: object[] = []) =>
    push({ role: "assistant", text: "answer ".repeat(words()), reasoning: "", calls, trains: true });
  for (const rounds of steps) {
    push({ role: "user", text: "request ".repeat(words()) });
    for (let round = 0; round < rounds; round++) {
      const calls = Array.from({ length: 1 + (id % 3) }, () => ({
        id: `call_${++id}`,
        name: "terminal",
        args: { command: "ls" },
      }));
      say(calls);
      for (const { id: call } of calls)
        push({ role: "tool", call, name: "terminal", text: "line ".repeat(words()), failed: false });
    }
    say();
  }
  return { session: "0".repeat(26), at: 1, model: "m", completed: true, tools: [], messages };
}

function tokensOf(trajectory: Trajectory): number {
  return toShareGpt(trajectory).conversations.reduce((sum, { value }) => sum + estimateTokens(value), 0);
}

describe("a conversation that is too long", () => {
  test("keeps its first turns and the last four, and has one summary in between", () => {
    const long = build([2, 1, 0, 3, 1, 2], () => 800);
    const short = compressTrajectory(long, 12_000);
    const before = toShareGpt(long).conversations;
    const after = toShareGpt(short).conversations;
    expect(after.slice(0, 4)).toEqual(before.slice(0, 4));
    expect(after.slice(-4)).toEqual(before.slice(-4));
    const summaries = after.filter(({ value }) => value.includes("[CONTEXT SUMMARY]"));
    expect(summaries.map(({ from }) => from)).toEqual(["human"]);
    expect(tokensOf(short)).toBeLessThanOrEqual(12_600);
    expect(tokensOf(short)).toBeGreaterThan(9_000);
    expect(compressTrajectory(long, 12_000)).toEqual(short);
  });

  test("is left alone if it is short, or if all of it is protected", () => {
    const short = build([1], () => 10);
    expect(compressTrajectory(short)).toBe(short);
    const allProtected = build([1], () => 5_000);
    expect(compressTrajectory(allProtected, 1_000)).toBe(allProtected);
  });

  test("stays whole, whatever its form", () => {
    const random = createSeededRandom(7);
    for (let run = 0; run < 300; run++) {
      const steps = Array.from({ length: 1 + Math.floor(random() * 6) }, () => Math.floor(random() * 4));
      const whole = build(steps, () => 1 + Math.floor(random() * 600));
      const short = compressTrajectory(whole, 1_000 + Math.floor(random() * 8_000));
      expectWhole(short);
      expectShareGpt(toShareGpt(short));
      expect(short.messages.slice(-1)).toEqual(whole.messages.slice(-1));
      expect(tokensOf(short)).toBeLessThanOrEqual(tokensOf(whole));
    }
  });
});
