// What a MemoryStore must do over any key-value store: asked over the double and over KV itself.
import { describe, expect, it } from "vitest";
import type { KeyValue, Overlay } from "../../core/ports.ts";
import { type MemoryAdd, memoryId } from "../../core/schemas/memory.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { type TestClock, createTestClock } from "../support/clock.ts";
import { newProfileId } from "../support/profile-ids.ts";

const SESSION = "01JZZZZZZZZZZZZZZZZZZZZZZZ";

export function describeMemoryStore(name: string, make: (clock: TestClock) => KeyValue): void {
  const setUp = () => {
    const clock = createTestClock();
    const kv = make(clock);
    const profile = newProfileId();
    const open = (overlay?: Overlay) => createMemoryStore({ kv, profile, clock, overlayMs: 600_000, overlay });
    return { clock, kv, profile, open, store: open() };
  };

  describe(`${name}: memory`, () => {
    it("keeps entries of two stores apart, the oldest first", async () => {
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

    it("keeps texts that are too long for metadata whole", async () => {
      const { store } = setUp();
      const text = "ü".repeat(1_000);
      await store.add("memory", "a", note(text, 1));
      await store.add("memory", "b", note("short", 2));
      expect((await store.list("memory")).map((entry) => entry.text)).toEqual([text, "short"]);
    });

    it("writes a fact once, however it is spelt", async () => {
      const { store } = setUp();
      const first = await store.add("memory", "a", note("Uses pnpm, caf\u00e9", 1));
      const again = await store.add("memory", "b", note("  Uses \n pnpm, cafe\u0301 ", 2));
      expect([first, again]).toEqual([
        { id: first.id, existed: false },
        { id: first.id, existed: true },
      ]);
      expect((await store.list("memory")).map((entry) => entry.adds)).toEqual([["a"]]);
    });

    it("adds the same again only as another operation, once it was removed", async () => {
      const { store } = setUp();
      const { id } = await store.add("memory", "a", note("fact", 1));
      expect([await store.remove("memory", id, { op: "r", at: 5 }), await store.list("memory")]).toEqual([1, []]);
      expect([await store.remove("memory", id, { op: "r", at: 5 }), await store.list("memory")]).toEqual([0, []]);
      // The operation that was carried out before it was forgotten, delivered again.
      expect(await store.add("memory", "a", note("fact", 1))).toEqual({ id, existed: false });
      expect(await store.list("memory")).toEqual([]);
      await store.add("memory", "b", note("fact", 9));
      expect((await store.list("memory")).map((entry) => [entry.since, entry.adds])).toEqual([[9, ["b"]]]);
    });

    it("removes nothing for an id it does not know", async () => {
      const { store } = setUp();
      expect(await store.remove("memory", memoryId("never said"), { op: "r", at: 1 })).toBe(0);
    });

    it("lets an entry live that was added twice at once until both adds are removed", async () => {
      const { open, store } = setUp();
      await Promise.all(["a", "b"].map((op, n) => open().add("memory", op, note("fact", 5 - n))));
      const [entry] = await store.list("memory");
      expect([entry?.since, entry?.adds]).toEqual([4, ["b", "a"]]);
      expect(await store.remove("memory", memoryId("fact"), { op: "r", at: 9 })).toBe(2);
      expect(await store.list("memory")).toEqual([]);
    });

    it("takes operation ids with any characters, and long ones", async () => {
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
        });
        expect(await store.remove("memory", memoryId(`fact ${n}`), { op: "r", at: 9 })).toBe(1);
      }
      expect(await store.list("memory")).toEqual([]);
    });

    it("sweeps what was removed before a time, and lets nothing come back", async () => {
      const { store, kv, profile } = setUp();
      for (const [n, text] of ["early", "late", "living"].entries()) await store.add("memory", text, note(text, n));
      await store.remove("memory", memoryId("early"), { op: "r", at: 10 });
      await store.remove("memory", memoryId("late"), { op: "r", at: 20 });
      // The add goes first, its remove only when the add is no longer listed.
      expect([await store.sweep(20), await store.sweep(20), await store.sweep(20)]).toEqual([1, 1, 0]);
      expect((await store.list("memory")).map((entry) => entry.text)).toEqual(["living"]);
      const dead = [`${memoryId("early")}/+early`, `${memoryId("early")}/-early`];
      expect(await Promise.all(dead.map((key) => kv.get(`p/${profile}/memory/${key}`)))).toEqual([null, null]);
      expect(await kv.get(`p/${profile}/memory/${memoryId("late")}/-late`)).not.toBe(null);
    });

    it("names the key of a record that does not parse", async () => {
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
