// The bucket double: the kit, and its configurable faults.
import { expect, it } from "vitest";
import { describeBucket } from "../conformance/bucket.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";

describeBucket("the double", () => createMemoryBucket());
describeBucket("the double with short pages", () => createMemoryBucket({ faults: { pageSize: 7 } }));

it("a rate-limited bucket double answers 429 only to a second write of a key within a second", async () => {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock, faults: { isRateLimited: true } });
  await bucket.put("a", "one");
  await bucket.put("b", "one");
  await expect(bucket.put("a", "two")).rejects.toThrow(/10058/);
  clock.advance(1_000);
  await bucket.put("a", "three");
  expect(await (await bucket.get("a"))?.text()).toBe("three");
});

it("the bucket double can write and lose the response", async () => {
  const bucket = createMemoryBucket({ faults: { loseAnswerOneIn: 1 } });
  await expect(bucket.put("a", "one")).rejects.toThrow("Network connection lost.");
  expect(await (await bucket.get("a"))?.text()).toBe("one");
});

it("the bucket double can fail without writing", async () => {
  const bucket = createMemoryBucket({ faults: { failOneIn: 1 } });
  await expect(bucket.put("a", "one")).rejects.toThrow(/10001/);
  expect(bucket.keys()).toEqual([]);
});
