// A session over node:sqlite as an export reads it, and checks of what every trajectory is.
import { expect } from "vitest";
import type { SessionEngine } from "../../core/session/engine.ts";
import type { Trajectory, TrajectorySource } from "../../core/trajectories/trajectory.ts";
import type { ShareGptLine } from "../../core/schemas/trajectories.ts";
import { must } from "../support/session/scripted-session.ts";
import { SESSION } from "../support/session/session-harness.ts";

export function readSource(engine: Pick<SessionEngine, "readTrajectory">): TrajectorySource {
  const { head, entries, next } = must(engine.readTrajectory(0));
  expect(next).toBeNull();
  const { tools, turns, undone, branchedFrom } = head!;
  return { session: SESSION, tools, entries, turns, undone, inherited: branchedFrom.at(-1)?.turn ?? 0 };
}

/** Every call has its result, in order, and the sides alternate. */
export function expectWhole({ messages }: Pick<Trajectory, "messages">): void {
  let open: string[] = [];
  let before = "";
  for (const message of messages) {
    if (message.role === "tool") {
      expect(message.call).toBe(open.shift());
      expect(["assistant", "tool"]).toContain(before);
    } else {
      expect(open).toEqual([]);
      expect(message.role).not.toBe(before);
      if (message.role === "assistant") open = message.calls.map(({ id }) => id);
    }
    before = message.role;
  }
  expect(messages[0]?.role).toBe("user");
  // Only the end of a log that was cut off there may lack results.
  expect(open).toEqual([]);
}

/** `system`, then `human` and `gpt` in turn, with `tool` only after a gpt turn that has calls. */
export function expectShareGpt({ conversations }: ShareGptLine): void {
  const sides = conversations.map(({ from }) => from).join(" ");
  expect(`${sides} `).toMatch(/^system (?:human (?:gpt (?:tool (?=gpt|human|$))?)+)+$/);
  for (const [i, { from, value }] of conversations.entries()) {
    const calls = value.split("<tool_call>\n").length - 1;
    if (from === "gpt") expect(value).toMatch(/^<think>\n/);
    if (from === "gpt" && calls > 0)
      expect(conversations[i + 1]!.value.split("<tool_response>\n")).toHaveLength(calls + 1);
  }
}
