// The facts of a profile on their way out, over a KV whose cursors lead anywhere.
import { expect, it } from "vitest";
import type { KeyValue } from "../../core/ports.ts";
import { exportMemory } from "../../stores/moving/export-memory.ts";

const [OWN, OTHER] = ["a".repeat(26), "b".repeat(26)];

it("a cursor that lists another profile's keys gives none of them", async () => {
  const kv: Pick<KeyValue, "list" | "getMany"> = {
    list: async ({ cursor }) => ({
      keys: [{ name: `p/${cursor === "forged" ? OTHER : OWN}/user/hash/+op` }],
      list_complete: true,
    }),
    getMany: async (keys) => new Map(keys.map((key) => [key, "{}"])),
  };
  const read = (cursor: string | null) => exportMemory({ kv: kv as KeyValue, profile: OWN }, cursor);
  const line = JSON.stringify({ in: "memory", key: "user/hash/+op", value: "{}" });
  expect(await read(null)).toEqual({ lines: [line], next: null });
  expect(await read("forged")).toEqual({ lines: [], next: null });
});
