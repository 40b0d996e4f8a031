// The KV double: the kit, and stale reads.
import { expect, it } from "vitest";
import { describeKeyValue } from "../conformance/key-value.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryKv } from "../support/bindings/memory-kv.ts";

describeKeyValue("the double", () => createMemoryKv({ clock: createTestClock() }));
describeKeyValue("the double with short pages", () =>
  createMemoryKv({ clock: createTestClock(), faults: { pageSize: 3 } }),
);

it("a stale KV double answers a get and a list with an earlier state, including absence", async () => {
  const clock = createTestClock();
  const kv = createMemoryKv({ clock, faults: { staleMs: 60_000 } });
  const readBoth = async () => [await kv.get("a"), (await kv.list({ prefix: "" })).keys.map((key) => key.name)];
  await kv.put("a", "one");
  expect(await readBoth()).toEqual([null, []]);
  clock.advance(60_000);
  expect(await readBoth()).toEqual(["one", ["a"]]);
  await kv.delete("a");
  expect(await readBoth()).toEqual(["one", ["a"]]);
  clock.advance(60_000);
  expect(await readBoth()).toEqual([null, []]);
});
