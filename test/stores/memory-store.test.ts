// The memory store over the double: the kit, and faults that only the double can have: stale reads, lost responses, replays in
// any order.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryId } from "../../core/schemas/memory.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { describeMemoryStore, note } from "../conformance/memory-store.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryKv } from "../support/bindings/memory-kv.ts";
import { createMemoryOverlay } from "../support/bindings/memory-overlay.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { runs } from "../support/thorough.ts";

describeMemoryStore("the double", (clock) => createMemoryKv({ clock }));
describeMemoryStore("the double with short pages", (clock) => createMemoryKv({ clock, faults: { pageSize: 1 } }));

const MINUTE = 60_000;

function setUp(staleMs = 0) {
  const clock = createTestClock();
  const kv = createMemoryKv({ clock, faults: { staleMs } });
  const profile = newProfileId();
  const open = (overlay?: ReturnType<typeof createMemoryOverlay>) =>
    createMemoryStore({ kv, profile, clock, overlayMs: 10 * MINUTE, overlay });
  return { clock, kv, profile, open };
}

describe("a memory store over a KV that is a minute stale", () => {
  it("shows a writer with an overlay its own adds and removes at once", async () => {
    const { open } = setUp(MINUTE);
    const [mine, theirs] = [open(createMemoryOverlay()), open()];
    await mine.add("memory", "a", note("one", 1));
    await mine.add("memory", "b", note("x".repeat(1_000), 2));
    expect((await mine.list("memory")).map((entry) => entry.adds)).toEqual([["a"], ["b"]]);
    expect(await theirs.list("memory")).toEqual([]);
    expect(await mine.add("memory", "c", note("one", 3))).toEqual({ id: memoryId("one"), existed: true });
    expect(await mine.remove("memory", memoryId("one"), { op: "r", at: 4 })).toBe(2);
    expect((await mine.list("memory")).map((entry) => entry.adds)).toEqual([["b"]]);
  });

  it("drops a key from the overlay when a list confirms it, or after ten minutes", async () => {
    const { open, clock, kv } = setUp(MINUTE);
    const overlay = createMemoryOverlay();
    const mine = open(overlay);
    await mine.add("memory", "a", note("one", 1));
    await mine.list("memory");
    expect(overlay.keys()).toHaveLength(1);
    clock.advance(MINUTE);
    expect(await mine.list("memory")).toHaveLength(1);
    expect(overlay.keys()).toEqual([]);

    await mine.add("memory", "b", note("two", 2));
    kv.faults.staleMs = 60 * MINUTE;
    clock.advance(10 * MINUTE);
    expect((await mine.list("memory")).map((entry) => entry.text)).toEqual(["two"]);
    clock.advance(1);
    expect([await mine.list("memory"), overlay.keys()]).toEqual([[], []]);
  });

  it("omits a long text whose value is not visible yet, and shows it later", async () => {
    const { open, clock, kv, profile } = setUp();
    await open().add("memory", "a", note("x".repeat(1_000), 1));
    await open().add("memory", "b", note("short", 2));
    const late = { ...kv, getMany: async (keys: string[]) => new Map(keys.map((key) => [key, null])) };
    const store = createMemoryStore({ kv: late, profile, clock, overlayMs: 0 });
    expect((await store.list("memory")).map((entry) => entry.text)).toEqual(["short"]);
    expect(await open().list("memory")).toHaveLength(2);
  });

  it("shows two adds of one fact by writers that did not see each other as one entry", async () => {
    const { open, clock } = setUp(MINUTE);
    await open().add("memory", "a", note("one", 1));
    await open().add("memory", "b", note("one", 2));
    clock.advance(MINUTE);
    expect((await open().list("memory")).map((entry) => [entry.since, entry.adds])).toEqual([[1, ["a", "b"]]]);
  });

  it("keeps a removed fact hidden when a sweep's delete becomes visible late", async () => {
    const { open, clock, kv } = setUp();
    const store = open();
    const { id } = await store.add("memory", "a", note("one", 1));
    await store.remove("memory", id, { op: "r", at: 2 });
    clock.advance(MINUTE);
    kv.faults.staleMs = MINUTE;
    for (let minutes = 0; minutes < 30 * 60; minutes += 10) {
      await store.sweep(3);
      for (const seconds of [10, 60, 530]) {
        expect(await store.list("memory")).toEqual([]);
        clock.advance(seconds * 1_000);
      }
    }
    expect((await kv.list({ prefix: "" })).keys).toEqual([]);
  });

  it("keeps a removed fact hidden from a reader whose pages are of different ages, between two sweeps", async () => {
    const { open, clock, kv } = setUp();
    const store = open();
    for (const text of ["one", "two", "three"]) {
      await store.add("memory", "a", note(text, 1));
      await store.remove("memory", memoryId(text), { op: "r", at: 2 });
    }
    clock.advance(MINUTE);
    Object.assign(kv.faults, { staleUpToMs: MINUTE, pageSize: 1 });
    for (let seconds = 0; seconds < 180; seconds++) {
      await store.sweep(3);
      for (let reads = 0; reads < 5; reads++) expect(await store.list("memory")).toEqual([]);
      clock.advance(1_000);
    }
  });
});

it("a repeated delivery after a lost response ends in the same state as one delivery", async () => {
  const { open, kv } = setUp();
  kv.faults.loseAnswerOneIn = 1;
  await expect(open().add("memory", "a", note("one", 1))).rejects.toThrow("Network connection lost.");
  kv.faults.loseAnswerOneIn = undefined;
  expect(await open().add("memory", "a", note("one", 1))).toEqual({
    id: memoryId("one"),
    existed: false,
    repeated: true,
  });
  expect(kv.puts).toHaveLength(1);
  expect((await open().list("memory")).map((entry) => entry.adds)).toEqual([["a"]]);
});

describe("a memory store over a KV that accepts one write per second and key", () => {
  it("waits, and removes a fact twice within a second", async () => {
    const { open, clock, kv } = setUp();
    const store = open();
    const { id } = await store.add("memory", "a", note("one", 1));
    kv.faults.isRateLimited = true;
    const began = clock.now();
    const forget = (op: string) => store.remove("memory", id, { op, at: 2, adds: ["a"] });
    expect([await forget("r"), await forget("s")]).toEqual([1, 1]);
    expect(clock.now() - began).toBeGreaterThanOrEqual(1_000);
    expect(kv.puts.at(-1)?.value).toContain('"by":"s"');
  });

  it("gives up when the rate limit persists, and at once on any other failure", async () => {
    for (const [message, attempts] of [
      ["KV PUT failed: 429 Too Many Requests", 3],
      ["KV PUT failed: 500 Internal Error", 1],
    ] as const) {
      const { clock, kv, profile } = setUp();
      let asked = 0;
      const put = async () => {
        asked++;
        throw new Error(message);
      };
      const store = createMemoryStore({ kv: { ...kv, put }, profile, clock, overlayMs: 0 });
      await expect(store.add("memory", "a", note("one", 1))).rejects.toThrow(message);
      expect(asked).toBe(attempts);
    }
  });
});

const step = fc.record({
  kind: fc.constantFrom("add", "remove"),
  text: fc.constantFrom("one", "two", "three"),
  op: fc.constantFrom("a", "b", "c", "d"),
  waitMs: fc.constantFrom(0, 1_000, 2 * MINUTE),
});

it("no memory key is written with different contents, and an add with a remove record never lives", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.constantFrom(0, MINUTE), async (steps, staleMs) => {
      const { open, clock, kv, profile } = setUp(staleMs);
      for (const { kind, text, op, waitMs } of steps) {
        if (kind === "add") await open().add("memory", op, note(text, op.charCodeAt(0)));
        else await open().remove("memory", memoryId(text), { op: `remove ${text}`, at: 1 });
        clock.advance(waitMs);
      }
      clock.advance(MINUTE);
      const values = Map.groupBy(kv.puts, ({ key }) => key);
      for (const puts of values.values()) expect(new Set(puts.map(({ value }) => value)).size).toBe(1);
      const keys = new Set(values.keys());
      const added = [...keys].filter((key) => key.includes("/+"));
      const living = added.filter((key) => !keys.has(key.replace("/+", "/-")));
      const listed = (await open().list("memory")).flatMap((entry) =>
        entry.adds.map((op) => `p/${profile}/memory/${entry.id}/+${op}`),
      );
      expect(listed.sort()).toEqual(living.sort());
    }),
    { numRuns: runs(200) },
  );
});
