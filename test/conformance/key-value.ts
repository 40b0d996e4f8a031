// The conformance kit of KeyValue, once writes are visible. The double and KV itself must pass it.
import { describe, expect, it } from "vitest";
import type { KeyValue } from "../../core/ports.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";

export function describeKeyValue(name: string, make: () => KeyValue): void {
  describe(`${name} as a key-value store`, () => {
    it("returns the last value that was put", async () => {
      const { kv, at } = setUp(make);
      expect(await kv.get(at("a"))).toBe(null);
      await kv.put(at("a"), "one");
      await kv.put(at("a"), "two · ü");
      expect(await kv.get(at("a"))).toBe("two · ü");
    });

    it("lists keys in order with their metadata", async () => {
      const { kv, at } = setUp(make);
      await kv.put(at("b"), "2", { metadata: { n: 2 } });
      await kv.put(at("a"), "1", { metadata: { n: 1 } });
      await kv.put(at("c"), "3");
      const page = await kv.list({ prefix: at("") });
      expect(page.list_complete).toBe(true);
      expect(page.keys.map((key) => [key.name, key.metadata ?? null])).toEqual([
        [at("a"), { n: 1 }],
        [at("b"), { n: 2 }],
        [at("c"), null],
      ]);
    });

    it("lists more than a thousand keys page by page", async () => {
      const { kv, at } = setUp(make);
      const keys = Array.from({ length: 1_030 }, (_, n) => at(String(n).padStart(5, "0")));
      for (let n = 0; n < keys.length; n += 50) await Promise.all(keys.slice(n, n + 50).map((key) => kv.put(key, "")));
      const listed: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await kv.list({ prefix: at(""), cursor });
        listed.push(...page.keys.map((key) => key.name));
        cursor = page.list_complete ? undefined : page.cursor;
      } while (cursor !== undefined);
      expect(listed).toEqual(keys);
    });

    it("refuses metadata of more than 1,024 bytes", async () => {
      const { kv, at } = setUp(make);
      await kv.put(at("a"), "", { metadata: "x".repeat(1_022) });
      await expect(kv.put(at("b"), "", { metadata: "x".repeat(1_023) })).rejects.toThrow(/1024/);
    });

    it("refuses a key of more than 512 bytes", async () => {
      const { kv } = setUp(make);
      await expect(kv.put("k".repeat(513), "")).rejects.toThrow(/512/);
    });

    it("has no value for a deleted key, and keeps odd names apart", async () => {
      const { kv, at } = setUp(make);
      const names = ["+a%2Fb", "-a%2Fb", "a b", "ä"];
      for (const key of names) await kv.put(at(key), key);
      await kv.delete(at("a b"));
      await kv.delete(at("nothing"));
      expect(await Promise.all(names.map((key) => kv.get(at(key))))).toEqual(["+a%2Fb", "-a%2Fb", null, "ä"]);
    });
  });
}

function setUp(make: () => KeyValue) {
  const folder = `kit/${newProfileId()}/`;
  return { kv: make(), at: (key: string) => folder + key };
}
