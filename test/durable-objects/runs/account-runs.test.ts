// Runs at the same time: what takes a place, what gives it back, and what a key begins.
import { describe, expect, it } from "vitest";
import { err, ok } from "../../../core/errors.ts";
import { DAY_MS } from "../../../core/schemas/ids.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { NO_STATS } from "../../../core/schemas/entry.ts";
import type { TurnReport } from "../../../core/schemas/run.ts";
import { AccountRuns } from "../../../durable-objects/runs/account-runs.ts";
import { createRunRows } from "../../../durable-objects/runs/run-rows.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

const id = (n: number) => `01J${String(n).padStart(23, "0")}`;
const report = (state: TurnReport["state"], wait?: "approval" | "children"): TurnReport => ({
  ...{ state, answer: null, notice: null, stats: NO_STATS, startedAt: 1, endedAt: null },
  ...(wait && { waiting: { for: wait, id: "x", since: 1, until: 2, text: "", question: null } }),
});

function createRuns(maxOpen = 2) {
  const sql = createNodeSql();
  const rows = createRunRows(sql);
  const turns = new Map<string, TurnReport | "gone" | "silent">();
  const world = { now: DAY_MS, exists: true, asked: 0, registered: [] as string[] };
  const runs = new AccountRuns({
    rows,
    transaction: (work) => sql.transaction(work),
    isThere: () => world.exists,
    register: ({ session }) => (world.registered.push(session), true),
    async readTurn(session) {
      world.asked++;
      const turn = turns.get(session) ?? report("running");
      if (turn === "silent") throw new Error("the object restarts");
      return turn === "gone" ? err("session_not_found", "None.") : ok(turn);
    },
    maxOpen,
    now: () => world.now,
  });
  let made = 0;
  async function begin({ key, body = "b", place = true }: { key?: string; body?: string; place?: boolean } = {}) {
    const n = ++made;
    const hashes = key === undefined ? null : { key: sha256Hex(key), body: sha256Hex(body) };
    const begun = await runs.begin({ run: id(n), session: id(100 + n), key: hashes });
    if (begun.ok && place) runs.place(begun.value.row.run, 1);
    return begun;
  }
  return { runs, rows, turns, world, begin };
}

const FULL = { ok: false, failure: { code: "too_many_open_runs", facts: { retryAfterSeconds: 5 } } };

describe("runs at the same time", () => {
  it("are limited, and no session is asked before the limit", async () => {
    const { begin, world } = createRuns();
    expect([(await begin()).ok, (await begin()).ok, world.asked]).toEqual([true, true, 0]);
    expect(await begin()).toMatchObject(FULL);
    expect(world.asked).toBe(2);
  });

  it.each([
    ["has ended", report("done")],
    ["waits for a person", report("parked", "approval")],
    ["is of a deleted session", "gone" as const],
  ])("leave a place when one %s", async (_, seen) => {
    const { begin, turns } = createRuns();
    await begin();
    await begin();
    turns.set(id(101), seen);
    expect(await begin()).toMatchObject({ ok: true });
    expect(await begin()).toMatchObject(FULL);
  });

  it("keep their place while sessions work for them, and while their session does not answer, for a day", async () => {
    const { begin, turns, world } = createRuns();
    await begin();
    await begin();
    turns.set(id(101), report("parked", "children"));
    turns.set(id(102), "silent");
    expect(await begin()).toMatchObject(FULL);
    world.now += DAY_MS + 1;
    expect(await begin()).toMatchObject({ ok: true });
  });

  it("that never reached their session give their place back after a minute, and a retry still begins them", async () => {
    const { begin, world, runs } = createRuns(1);
    const first = await begin({ key: "k", place: false });
    expect(await begin()).toMatchObject(FULL);
    world.now += 60_001;
    expect(await begin()).toMatchObject({ ok: true });
    const again = await begin({ key: "k", place: false });
    expect(again).toMatchObject({ ok: true, value: { replayed: true, row: { run: id(1), turn: null } } });
    runs.place(id(1), 7);
    expect(runs.find(id(1))).toMatchObject({ turn: 7, state: "open" });
    expect(first.ok).toBe(true);
  });

  it("have a limit of those that wait for a person, too", async () => {
    const { begin, turns } = createRuns(1);
    for (let n = 1; n <= 101; n++) {
      turns.set(id(100 + n), report("parked", "approval"));
      expect(await begin()).toMatchObject({ ok: true });
    }
    expect(await begin()).toMatchObject(FULL);
  });

  it("are not begun for a profile that was deleted while sessions were asked", async () => {
    const { begin, world, turns } = createRuns(1);
    await begin();
    turns.set(id(101), report("done"));
    const pending = begin();
    world.exists = false;
    expect(await pending).toMatchObject({ ok: false, failure: { code: "profile_gone" } });
  });
});

describe("an idempotency key", () => {
  it("begins one run: the same body finds it, another is refused, and a day later it is free", async () => {
    const { begin, world } = createRuns(5);
    await begin({ key: "k" });
    expect(await begin({ key: "k" })).toMatchObject({ ok: true, value: { replayed: true, row: { run: id(1) } } });
    expect(await begin({ key: "k", body: "c" })).toMatchObject({
      ok: false,
      failure: { code: "idempotency_conflict" },
    });
    world.now += DAY_MS;
    expect(await begin({ key: "k", body: "c" })).toMatchObject({ ok: true, value: { replayed: false } });
  });

  it("finds its run even when no place is left", async () => {
    const { begin } = createRuns(1);
    await begin({ key: "k" });
    expect(await begin({ key: "k" })).toMatchObject({ ok: true, value: { replayed: true } });
  });

  it("is free again when the message was refused or the session is deleted", async () => {
    const { begin, runs, rows } = createRuns(5);
    await begin({ key: "k" });
    runs.drop(id(1));
    expect(await begin({ key: "k", body: "c" })).toMatchObject({ ok: true, value: { row: { run: id(2) } } });
    rows.forgetSession(id(102));
    expect(runs.find(id(2))).toBeNull();
    expect(await begin({ key: "k", body: "d" })).toMatchObject({ ok: true, value: { replayed: false } });
  });
});

describe("the list of runs", () => {
  it("is newest first by pages, and forgets old ones and those above its limit", async () => {
    const { begin, runs, rows, world } = createRuns(50);
    for (let n = 0; n < 5; n++) await begin({ key: `k${n}` });
    expect(runs.list({ limit: 2 }).map(({ run }) => run)).toEqual([id(5), id(4)]);
    expect(runs.list({ after: id(4), limit: 9 }).map(({ run }) => run)).toEqual([id(3), id(2), id(1)]);
    rows.tidy(world.now, 3);
    expect(runs.list({ limit: 9 }).map(({ run }) => run)).toEqual([id(5), id(4), id(3)]);
    rows.tidy(world.now + 30 * DAY_MS);
    expect(runs.list({ limit: 9 })).toEqual([]);
  });

  it("of a profile without runs is empty, and makes no table", () => {
    const { runs, rows } = createRuns();
    expect([runs.list({ limit: 9 }), runs.find(id(1)), rows.open(), rows.exists()]).toEqual([[], null, [], false]);
  });
});
