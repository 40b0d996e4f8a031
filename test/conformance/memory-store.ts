// The conformance kit of MemoryStore. It runs over the KV double and over KV itself.
import { describe, expect, it } from "vitest";
import type { KeyValue, Overlay } from "../../core/ports.ts";
import { type MemoryAdd, memoryId } from "../../core/schemas/memory.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { type TestClock, createTestClock } from "../support/clock.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";

const SESSION = "01JZZZZZZZZZZZZZZZZZZZZZZZ";
const DAY = 24 * 60 * 60_000;

export function describeMemoryStore(name: string, make: (clock: TestClock) => KeyValue): void {
  const setUp = () => {
    const clock = createTestClock();
    const kv = make(clock);
    const profile = newProfileId();
    const open = (overlay?: Overlay) => createMemoryStore({ kv, profile, clock, overlayMs: 600_000, overlay });
    return { clock, kv, profile, open, store: open() };
  };

  describe(`${name}: memory`, () => {
    it("keeps the entries of two stores apart, oldest first", async () => {
      const { store, clock } = setUp();
      for (const text of ["zebra", "apple", "mango"]) {
        await store.add("memory", `op ${text}`, note(text, clock.now()));
        clock.advance(1_000);
      }
      await store.add("user", "op user", { ...note("Lives in Bern.", clock.now()), session: SESSION, origin: "user" });
      const start = clock.now() - 3_000;
      expect(await store.list("memory")).toEqual(
        ["zebra", "apple", "mango"].map((text, n) => ({
          id: memoryId(text),
          store: "memory",
          text,
          since: start + n * 1_000,
          origin: "review",
          adds: [`op ${text}`],
        })),
      );
      expect(await store.list("user")).toEqual([
        {
          id: memoryId("Lives in Bern."),
          store: "user",
          text: "Lives in Bern.",
          since: start + 3_000,
          origin: "user",
          session: SESSION,
          adds: ["op user"],
        },
      ]);
    });

    it("keeps texts whole that are too long for metadata", async () => {
      const { store } = setUp();
      const text = "ü".repeat(1_000);
      await store.add("memory", "a", note(text, 1));
      await store.add("memory", "b", note("short", 2));
      expect((await store.list("memory")).map((entry) => entry.text)).toEqual([text, "short"]);
    });

    it("keeps one entry for a fact however it is spelt, alive as long as any of its adds", async () => {
      const { store } = setUp();
      const first = await store.add("memory", "a", note("Uses pnpm, caf\u00e9", 1));
      const again = await store.add("memory", "b", note("  Uses \n pnpm, cafe\u0301 ", 2));
      expect([first, again]).toEqual([
        { id: first.id, existed: false },
        { id: first.id, existed: true },
      ]);
      expect((await store.list("memory")).map((entry) => entry.adds)).toEqual([["a", "b"]]);
    });

    it("writes no more adds for a fact that has fifty", async () => {
      const { store } = setUp();
      for (let n = 0; n < 52; n++) await store.add("memory", `op ${n}`, note("fact", n));
      expect((await store.list("memory"))[0]!.adds).toHaveLength(50);
      expect(await store.add("memory", "op 0", note("fact", 0))).toEqual({
        id: memoryId("fact"),
        existed: true,
        repeated: true,
      });
    });

    it("removes only the given adds, however often the remove is delivered", async () => {
      const { store } = setUp();
      const { id } = await store.add("memory", "a", note("fact", 1));
      await store.add("memory", "b", note("fact", 2));
      const by = { op: "r", at: 5, adds: ["a"] };
      expect([await store.remove("memory", id, by), await store.remove("memory", id, by)]).toEqual([1, 1]);
      expect((await store.list("memory")).map((entry) => entry.adds)).toEqual([["b"]]);
      expect(await store.remove("memory", id, { ...by, adds: [] })).toBe(0);
    });

    it("describes an entry by its first add, or by the person's add if there is one", async () => {
      const { store } = setUp();
      const citations = [`${SESSION}/3#content`];
      await store.add("memory", "a", { ...note("fact", 1), session: SESSION, citations, source: "content" });
      await store.add("memory", "b", note("fact", 2));
      expect(await store.list("memory")).toMatchObject([
        { since: 1, origin: "review", session: SESSION, citations, source: "content", adds: ["a", "b"] },
      ]);
      await store.add("memory", "c", { ...note("fact", 3), origin: "user", source: "principal" });
      const [entry] = await store.list("memory");
      expect(entry).toMatchObject({ since: 1, origin: "user", source: "principal", adds: ["a", "b", "c"] });
      expect(entry).not.toHaveProperty("session");
    });

    it("purges a living entry without leaving a copy, and no operation restores it", async () => {
      const { store, kv, profile } = setUp();
      const long = `A secret ${"x".repeat(980)}`;
      for (const op of ["a", "b"]) await store.add("memory", op, note(long, 1));
      await store.add("memory", "c", note("other", 2));
      const id = memoryId(long);
      expect(await store.purge("memory", id, { op: "p", at: 7 })).toBe(2);
      expect(await store.purge("memory", id, { op: "again", at: 8 })).toBe(0);
      for (const op of ["a", "z"]) {
        expect(await store.add("memory", op, note(long, 9))).toEqual({ id, existed: false, purged: true });
      }
      expect(await store.remove("memory", id, { op: "r", at: 9 })).toBe(0);
      const { entries, purged } = await store.survey("memory");
      expect([entries.map(({ text }) => text), purged]).toEqual([["other"], [{ id, at: 7 }]]);
      expect(await store.survey("user")).toEqual({ entries: [], purged: [] });
      const { keys } = await kv.list({ prefix: `p/${profile}/memory/${id}/` });
      expect(keys.map(({ name }) => name.split("/").at(-1))).toEqual(["purged"]);
    });

    it("purges an already removed entry, and nothing for an unknown id", async () => {
      const { store } = setUp();
      const { id } = await store.add("memory", "a", note("fact", 1));
      await store.remove("memory", id, { op: "r", at: 2 });
      expect(await store.purge("memory", id, { op: "p", at: 3 })).toBe(1);
      expect(await store.purge("memory", memoryId("never said"), { op: "p", at: 3 })).toBe(null);
      expect(await store.purge("user", id, { op: "p", at: 3 })).toBe(null);
    });

    it("sweeps later writes of a purged text at once, and never the purge mark", async () => {
      const { store, kv, profile } = setUp();
      const { id } = await store.add("memory", "a", note("fact", 1));
      await store.purge("memory", id, { op: "p", at: 3 });
      // Written by a writer whose KV did not show the mark yet.
      await kv.put(`p/${profile}/memory/${id}/+late`, JSON.stringify(note("fact", 2)));
      expect(await store.list("memory")).toEqual([]);
      expect(await store.sweep(0)).toEqual({ deleted: 1, left: null });
      expect(await store.sweep(Number.MAX_SAFE_INTEGER)).toEqual({ deleted: 0, left: null });
      expect((await store.survey("memory")).purged).toEqual([{ id, at: 3 }]);
    });

    it("accepts a removed fact again only under a new operation id", async () => {
      const { store } = setUp();
      const { id } = await store.add("memory", "a", note("fact", 1));
      expect([await store.remove("memory", id, { op: "r", at: 5 }), await store.list("memory")]).toEqual([1, []]);
      expect([await store.remove("memory", id, { op: "r", at: 5 }), await store.list("memory")]).toEqual([0, []]);
      // A second delivery of the operation that preceded the remove.
      expect(await store.add("memory", "a", note("fact", 1))).toEqual({ id, existed: false, repeated: true });
      expect(await store.list("memory")).toEqual([]);
      await store.add("memory", "b", note("fact", 9));
      expect((await store.list("memory")).map((entry) => [entry.since, entry.adds])).toEqual([[9, ["b"]]]);
    });

    it("lists removed facts with who removed them, while none of their adds lives and none was purged", async () => {
      const { store } = setUp();
      const long = `A secret ${"x".repeat(1_100)}`;
      for (const text of ["fact", long, "twice", "purged"]) await store.add("memory", "a", note(text, 1));
      await store.add("memory", "b", note("twice", 1));
      for (const text of ["fact", long, "purged"]) await store.remove("memory", memoryId(text), { op: "r", at: 5 });
      await store.remove("memory", memoryId("twice"), { op: "r", at: 5, adds: ["a"] });
      await store.purge("memory", memoryId("purged"), { op: "p", at: 6 });
      const removed = await store.removed("memory");
      expect(removed.toSorted((x, y) => x.text.length - y.text.length)).toEqual(
        ["fact", long].map((text) => ({ id: memoryId(text), text, at: 5, by: "r" })),
      );
      expect(await store.removed("user")).toEqual([]);
      await store.remove("memory", memoryId("twice"), { op: "r2", at: 8 });
      expect((await store.removed("memory")).find(({ text }) => text === "twice")).toMatchObject({ at: 8, by: "r2" });
    });

    it("removes nothing for an unknown id", async () => {
      const { store } = setUp();
      expect(await store.remove("memory", memoryId("never said"), { op: "r", at: 1 })).toBe(0);
    });

    it("keeps an entry with two concurrent adds until both are removed", async () => {
      const { open, store } = setUp();
      await Promise.all(["a", "b"].map((op, n) => open().add("memory", op, note("fact", 5 - n))));
      const [entry] = await store.list("memory");
      expect([entry?.since, entry?.adds]).toEqual([4, ["b", "a"]]);
      expect(await store.remove("memory", memoryId("fact"), { op: "r", at: 9 })).toBe(2);
      expect(await store.list("memory")).toEqual([]);
    });

    it("accepts long operation ids and any characters in them", async () => {
      const { store } = setUp();
      const ops = ["a/b", "+1", "-1", "call|ü #%2F", "~x", "y".repeat(400), "z".repeat(400)];
      for (const [n, op] of ops.entries()) await store.add("memory", op, note(`fact ${n}`, n));
      const listed = await store.list("memory");
      expect(listed.map((entry) => entry.text)).toEqual(ops.map((_, n) => `fact ${n}`));
      expect(listed.slice(0, 5).map((entry) => entry.adds[0])).toEqual(ops.slice(0, 5));
      for (const [n, op] of ops.entries()) {
        expect(await store.add("memory", op, note(`fact ${n}`, n))).toEqual({
          id: memoryId(`fact ${n}`),
          existed: false,
          repeated: true,
        });
        expect(await store.remove("memory", memoryId(`fact ${n}`), { op: "r", at: 9 })).toBe(1);
      }
      expect(await store.list("memory")).toEqual([]);
    });

    it("sweeps entries removed before a given time, and none comes back", async () => {
      const { store, kv, profile, clock } = setUp();
      for (const [n, text] of ["early", "late", "living"].entries()) await store.add("memory", text, note(text, n));
      await store.remove("memory", memoryId("early"), { op: "r", at: 10 });
      await store.remove("memory", memoryId("late"), { op: "r", at: 20 });
      // The add is deleted first; its remove only after a day in which no sweep has seen the add.
      expect(await store.sweep(20)).toEqual({ deleted: 1, left: "later" });
      expect(await store.sweep(20)).toEqual({ deleted: 0, left: "later" });
      const [add, remove] = ["+", "-"].map((sign) => `p/${profile}/memory/${memoryId("early")}/${sign}early`);
      expect([await kv.get(add!), await kv.get(remove!)]).toEqual([null, expect.stringContaining('"swept"')]);
      clock.advance(DAY);
      expect(await store.sweep(20)).toEqual({ deleted: 1, left: null });
      expect(await store.sweep(20)).toEqual({ deleted: 0, left: null });
      expect((await store.list("memory")).map((entry) => entry.text)).toEqual(["living"]);
      expect([await kv.get(add!), await kv.get(remove!)]).toEqual([null, null]);
      expect(await kv.get(`p/${profile}/memory/${memoryId("late")}/-late`)).not.toBe(null);
    });

    it("names the key of an unparsable record", async () => {
      const { store, kv, profile } = setUp();
      const key = `p/${profile}/memory/${memoryId("fact")}/+a`;
      await kv.put(key, '{"v":1}');
      await expect(store.list("memory")).rejects.toThrow(`The record ${key} does not parse: text:`);
    });
  });
}

export function note(text: string, at: number): MemoryAdd {
  return { v: 1, text, at, origin: "review" };
}
