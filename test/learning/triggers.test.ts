import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../core/limits.ts";
import {
  NO_COUNTERS,
  ReviewCounters,
  decideReview,
  resetCounters,
  updateCounters,
} from "../../core/learning/triggers.ts";
import { assistant, call, hardWonTurn, notice, observation, tool, user } from "./sample.ts";

type Turn = Parameters<typeof decideReview>[0];
const enough = { modelCalls: 6, entries: 12, toolCalls: 5, userTurns: 1 };
const turn = (over: Partial<Turn> = {}): Turn => ({
  counters: enough,
  observation: observation({ value: 0.8 }),
  entries: hardWonTurn(),
  settings: DEFAULTS,
  offered: { skills: true, memory: true },
  isBundled: ({ skill }) => skill === "bundled-one",
  ...over,
});
const loaded = (skill: string) => [{ skill, text: "a".repeat(64) }];

describe("decideReview", () => {
  it("reviews skills and memory after ten model calls, whatever the turn was worth", () => {
    const counters = { ...NO_COUNTERS, modelCalls: 10 };
    expect(decideReview(turn({ counters, observation: observation({ value: 0 }) }))).toEqual({
      trigger: "model_calls",
      skills: true,
      memory: true,
    });
    expect(decideReview(turn({ counters: { ...counters, modelCalls: 9 } }))).toBeNull();
  });

  it("reviews a turn worth 0.6 once ten entries and five tool calls have gathered", () => {
    expect(decideReview(turn())).toEqual({ trigger: "value", skills: true, memory: true });
    expect(decideReview(turn({ observation: observation({ value: 0.6 }) }))).not.toBeNull();
    expect(decideReview(turn({ observation: observation({ value: 0.4 }) }))).toBeNull();
    expect(decideReview(turn({ counters: { ...enough, entries: 9 } }))).toBeNull();
    expect(decideReview(turn({ counters: { ...enough, toolCalls: 4 } }))).toBeNull();
  });

  it("leaves a turn alone that a loaded skill covered", () => {
    const covered = observation({ value: 0.8, loaded: loaded("own-one") });
    expect(decideReview(turn({ observation: covered }))).toBeNull();
  });

  it.each([
    ["failed", observation({ value: 0.8, outcome: "failure", loaded: loaded("own-one") })],
    [
      "had to recover",
      observation({ value: 0.8, loaded: loaded("own-one"), recoveries: [{ failed: 3, succeeded: 5 }] }),
    ],
    ["had loaded only a bundled skill", observation({ value: 0.8, loaded: loaded("bundled-one") })],
  ])("reviews a turn that %s", (_words, seen) => {
    expect(decideReview(turn({ observation: seen }))?.trigger).toBe("value");
  });

  it("reviews memory alone after ten turns of the user", () => {
    const counters = { ...NO_COUNTERS, userTurns: 10 };
    expect(decideReview(turn({ counters }))).toEqual({ trigger: "memory_turns", skills: false, memory: true });
    expect(decideReview(turn({ counters: { ...counters, userTurns: 9 } }))).toBeNull();
  });

  it("never writes to a store whose tool was not offered", () => {
    const counters = { ...enough, modelCalls: 10, userTurns: 10 };
    const decide = (skills: boolean, memory: boolean) => decideReview(turn({ counters, offered: { skills, memory } }));
    expect(decide(true, false)).toEqual({ trigger: "model_calls", skills: true, memory: false });
    expect(decide(false, true)).toEqual({ trigger: "memory_turns", skills: false, memory: true });
    expect(decide(false, false)).toBeNull();
  });

  it.each([
    ["was interrupted", [...hardWonTurn().slice(0, -1), notice(8, "stopped", "Stopped.")]],
    ["ended on a tool call", hardWonTurn().slice(0, -1)],
    ["was answered with nothing", [...hardWonTurn().slice(0, -1), assistant(8, " ")]],
    ["was started by content from outside", [user(1, "x", { source: "content" }), ...hardWonTurn().slice(1)]],
    ["has no input at all", hardWonTurn().slice(1)],
  ])("never follows a turn that %s", (_words, entries) => {
    expect(decideReview(turn({ entries, counters: { ...enough, modelCalls: 10, userTurns: 10 } }))).toBeNull();
  });

  it("does nothing when reviews are switched off", () => {
    const settings = { ...DEFAULTS, review: { ...DEFAULTS.review, enabled: false } };
    expect(decideReview(turn({ settings, counters: { ...enough, modelCalls: 10 } }))).toBeNull();
  });
});

describe("a store over its limit", () => {
  const counters = { ...NO_COUNTERS, fullStores: ["user" as const] };

  it("has memory reviewed at once, beside whatever else is due, and not where memory is not offered", () => {
    expect(decideReview(turn({ counters }))).toEqual({ trigger: "memory_full", skills: false, memory: true });
    expect(decideReview(turn({ counters: { ...counters, modelCalls: 10 } }))).toEqual({
      ...{ trigger: "model_calls", skills: true, memory: true },
    });
    expect(decideReview(turn({ counters, offered: { skills: true, memory: false } }))).toBeNull();
  });
});

describe("the counters", () => {
  it("count a turn's entries on top of what was there", () => {
    expect(updateCounters(enough, hardWonTurn())).toEqual({ modelCalls: 10, entries: 20, toolCalls: 8, userTurns: 2 });
  });

  it("begin again when the agent saves a skill itself, and go on from there", () => {
    const save = call("s", "skill_manage");
    const entries = [user(1, "x"), assistant(2, "", [save]), tool(3, save, { outcome: {} }), assistant(4, "Saved.")];
    expect(updateCounters(enough, entries)).toEqual({ modelCalls: 1, entries: 1, toolCalls: 0, userTurns: 2 });
  });

  it("go on when the save was refused", () => {
    const save = call("s", "skill_manage");
    expect(updateCounters(NO_COUNTERS, [tool(3, save, { outcome: {} }, { failed: true })])).toEqual({
      modelCalls: 0,
      entries: 1,
      toolCalls: 1,
      userTurns: 0,
    });
  });

  it("forget the user's turns when the agent saves to memory", () => {
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

  it("are reset for what a review covers, and only for that", () => {
    const decision = { trigger: "value" as const, skills: true, memory: false };
    expect(resetCounters(enough, decision)).toEqual({ ...NO_COUNTERS, userTurns: 1 });
    expect(resetCounters(enough, { ...decision, memory: true })).toEqual(NO_COUNTERS);
    expect(resetCounters(enough, { ...decision, skills: false, memory: true })).toEqual({ ...enough, userTurns: 0 });
  });
});
