// How often an outside service is asked, and which failures count.
import { expect, test } from "vitest";
import { createAvailability } from "../../core/tools/availability.ts";

function setUp() {
  let now = 0;
  let answer: string | null = null;
  let probes = 0;
  const availability = createAvailability({ now: () => now });
  return {
    async check(at: number, says: string | null, key = "k") {
      now = at;
      answer = says;
      return availability.check(key, async () => (probes++, answer));
    },
    probes: () => probes,
  };
}

test("a service is asked once in 30 seconds, for each key", async () => {
  const { check, probes } = setUp();
  expect(await check(0, "down")).toBe("down");
  expect(await check(29_999, null)).toBe("down");
  expect(probes()).toBe(1);
  expect(await check(29_999, null, "other")).toBe(null);
  expect(await check(30_000, null)).toBe(null);
  expect(probes()).toBe(3);
});

test("a failure within a minute of a success is a flake, and is not remembered", async () => {
  const { check, probes } = setUp();
  expect(await check(0, null)).toBe(null);
  expect(await check(59_999, "down")).toBe(null);
  expect(await check(60_000, "down")).toBe("down");
  expect(probes()).toBe(3);
  expect(await check(60_001, null)).toBe("down");
});
