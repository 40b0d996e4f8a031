import { describe, expect, it } from "vitest";
import { type Entry, NO_STATS, NO_USAGE } from "../../../core/schemas/entry.ts";
import type { TurnDetails, TurnRow } from "../../../core/session/log-turns.ts";
import { decideRestart } from "../../../core/session/turn/restart.ts";

const limits = { maxAttempts: 3, maxMemoryStrikes: 2, maxWork: 8, noProgressMs: 60_000 };

function turn(more: TurnDetails = {}, attempts = 1): TurnRow {
  return {
    n: 1,
    state: "running",
    waiting: null,
    input: 1,
    final: null,
    attempts,
    stats: NO_STATS,
    startedAt: 0,
    endedAt: null,
    more,
  };
}

function answers(count: number): Entry[] {
  return Array.from({ length: count }, (_, i) => ({
    v: 1,
    n: i + 2,
    turn: 1,
    at: 0,
    kind: "assistant",
    parts: [],
    answer: { calls: [], stop: "tools", usage: NO_USAGE, model: "m" },
  }));
}

describe("a turn that crashed", () => {
  it("resumes, and counts its restarts", () => {
    expect(decideRestart(turn(), answers(0), 5, limits)).toEqual({
      ok: true,
      value: { ...turn({ doneAtRestart: 0, fruitless: 1, fruitlessSince: 5 }), attempts: 2 },
    });
  });

  it("is given up after too many restarts without an answer or a result", () => {
    const worn = turn({ doneAtRestart: 2, fruitless: 1, fruitlessSince: 5 }, 4);
    const again = decideRestart(worn, answers(2), 10, limits);
    expect(again).toMatchObject({ ok: true, value: { more: { fruitless: 2 } } });
    const last = again.ok ? decideRestart(again.value, answers(2), 11, limits) : again;
    expect(last).toMatchObject({ ok: false, failure: { code: "gave_up" } });
  });

  it("resets its counts after progress", () => {
    const worn = turn({ doneAtRestart: 2, fruitless: 2, fruitlessSince: 5 }, 4);
    expect(decideRestart(worn, answers(3), 90_000, limits)).toMatchObject({
      ok: true,
      value: { attempts: 5, more: { doneAtRestart: 3, fruitless: 1, fruitlessSince: 90_000 } },
    });
  });

  it("does not count an intent without a result, or a resumption, as progress", () => {
    const notice: Entry = { v: 1, n: 2, turn: 1, at: 0, kind: "notice", code: "resumed", parts: [] };
    const call = { id: "a", name: "t", args: {} };
    const open: Entry = {
      v: 1,
      n: 3,
      turn: 1,
      at: 0,
      kind: "tool",
      state: "open",
      parts: [],
      call,
      step: 0,
      failed: false,
      prepared: {},
    };
    const result = decideRestart(
      turn({ doneAtRestart: 0, fruitless: 1, fruitlessSince: 5 }),
      [notice, open],
      9,
      limits,
    );
    expect(result).toMatchObject({ ok: true, value: { more: { fruitless: 2, fruitlessSince: 5 } } });
  });

  it("is given up when restarts without progress last too long", () => {
    const worn = turn({ doneAtRestart: 0, fruitless: 1, fruitlessSince: 5 });
    expect(decideRestart(worn, [], 60_006, limits)).toMatchObject({ ok: false, failure: { code: "gave_up" } });
    expect(decideRestart(worn, [], 60_005, limits)).toMatchObject({ ok: true });
  });

  it("is given up at its limit of work, however much progress it makes", () => {
    expect(decideRestart(turn({}, 1), answers(6), 5, limits)).toMatchObject({ ok: true });
    expect(decideRestart(turn({}, 1), answers(7), 5, limits)).toMatchObject({
      ok: false,
      failure: { code: "work_spent" },
    });
  });

  it("is given up when it ran out of memory too often in a row", () => {
    const struck = turn({ memoryStrikes: 2, doneAtRestart: 0, fruitless: 1, fruitlessSince: 5 });
    expect(decideRestart(struck, [], 6, limits)).toMatchObject({ ok: false, failure: { code: "memory_exhausted" } });
  });

  it("keeps memory strikes until it makes progress", () => {
    const struck = turn({ memoryStrikes: 1, doneAtRestart: 1, fruitless: 1, fruitlessSince: 5 });
    expect(decideRestart(struck, answers(1), 6, limits)).toMatchObject({
      ok: true,
      value: { more: { memoryStrikes: 1 } },
    });
    const further = decideRestart(struck, answers(2), 6, limits);
    expect(further.ok && further.value.more).toEqual({ doneAtRestart: 2, fruitless: 1, fruitlessSince: 6 });
  });
});
