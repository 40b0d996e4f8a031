// What is counted since a session's last review, what a review resets, and what a dropped review gives back.
import { describe, expect, it } from "vitest";
import {
  NO_COUNTERS,
  resetCounters,
  restoreCounters,
  updateCounters,
} from "../../../core/learning/observe/triggers/review-counters.ts";
import { ReviewCounters } from "../../../core/schemas/learning/learning.ts";
import { assistant, call, hardWonTurn, tool, user } from "../sample.ts";

const enough = { modelCalls: 6, entries: 12, toolCalls: 5, userTurns: 1 };

describe("the counters", () => {
  it("add a turn's entries", () => {
    expect(updateCounters(enough, hardWonTurn())).toEqual({ modelCalls: 9, entries: 20, toolCalls: 8, userTurns: 2 });
  });

  it("ignore answers without tool calls: ten turns of talk are not work", () => {
    const talk = Array.from({ length: 10 }, (_, n) => [
      user(2 * n + 1, "And then?"),
      assistant(2 * n + 2, "So it went."),
    ]);
    expect(updateCounters(NO_COUNTERS, talk.flat())).toEqual({
      modelCalls: 0,
      entries: 20,
      toolCalls: 0,
      userTurns: 10,
    });
  });

  it("restart when the agent saves a skill itself", () => {
    const save = call("s", "skill_manage");
    const entries = [user(1, "x"), assistant(2, "", [save]), tool(3, save, { outcome: {} }), assistant(4, "Saved.")];
    expect(updateCounters(enough, entries)).toEqual({ modelCalls: 0, entries: 1, toolCalls: 0, userTurns: 2 });
  });

  it("continue when the save was refused", () => {
    const save = call("s", "skill_manage");
    expect(updateCounters(NO_COUNTERS, [tool(3, save, { outcome: {} }, { failed: true })])).toEqual({
      modelCalls: 0,
      entries: 1,
      toolCalls: 1,
      userTurns: 0,
    });
  });

  it("reset the user's turns when the agent saves to memory", () => {
    const save = call("m", "memory");
    expect(updateCounters(enough, [tool(3, save, { outcome: {} })])).toEqual({
      ...enough,
      entries: 13,
      toolCalls: 6,
      userTurns: 0,
    });
  });

  it("remember which stores the agent left over their limit, until a review of memory is sent", () => {
    const saved = (n: number, store: string, outside: number) =>
      tool(n, call("m", "memory"), { outcome: { store, usage: { outside } } });
    const full = updateCounters(enough, [saved(3, "memory", 2), saved(4, "user", 0)]);
    expect(full).toEqual({ ...enough, entries: 14, toolCalls: 7, userTurns: 0, fullStores: ["memory"] });
    expect(updateCounters(full, [saved(5, "memory", 1)]).fullStores).toEqual(["memory"]);
    expect(updateCounters(full, [saved(5, "memory", 0)]).fullStores).toBeUndefined();
    expect(updateCounters(full, [tool(5, call("m", "memory"), { outcome: {} })]).fullStores).toEqual(["memory"]);
    expect(updateCounters(full, [tool(5, call("s", "skill_manage"), { outcome: {} })]).fullStores).toEqual(["memory"]);
    const decision = { trigger: "value" as const, skills: true, memory: false };
    expect(resetCounters(full, decision)).toEqual({ ...NO_COUNTERS, fullStores: ["memory"] });
    expect(resetCounters(full, { ...decision, memory: true })).toEqual(NO_COUNTERS);
    expect(ReviewCounters.parse(full)).toEqual(full);
  });

  it("are reset only for what a review covers", () => {
    const decision = { trigger: "value" as const, skills: true, memory: false };
    expect(resetCounters(enough, decision)).toEqual({ ...NO_COUNTERS, userTurns: 1 });
    expect(resetCounters(enough, { ...decision, memory: true })).toEqual(NO_COUNTERS);
    expect(resetCounters(enough, { ...decision, skills: false, memory: true })).toEqual({ ...enough, userTurns: 0 });
  });

  it("are restored after a review that never ran, with the turns since", () => {
    const decision = { trigger: "value" as const, skills: true, memory: false };
    const left = resetCounters(enough, decision);
    const since = updateCounters(left, hardWonTurn());
    expect(restoreCounters({ before: enough, covered: decision, now: since })).toEqual(
      updateCounters(enough, hardWonTurn()),
    );
    const full = { ...enough, fullStores: ["user" as const] };
    const covered = { skills: true, memory: true };
    expect(restoreCounters({ before: full, covered, now: NO_COUNTERS })).toEqual(full);
  });
});
