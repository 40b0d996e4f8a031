// The cache of skill indexes that the stores of one isolate share.
import { expect, it } from "vitest";
import { createIndexCache } from "../../../stores/skills/caches/index-cache.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createTestClock } from "../../support/clock.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { adjustment, creation } from "../../support/skills/skills.ts";

const index = (count: number) => ({
  v: 1 as const,
  seq: 1,
  skills: Object.fromEntries(Array.from({ length: count }, (_, i) => [`s-${i}`, {} as never])),
});

it("the index cache evicts the least recently used index, by number of lines", () => {
  const cache = createIndexCache(10);
  cache.set("a", { index: index(4), etag: "1" });
  cache.set("b", { index: index(4), etag: "1" });
  expect(cache.get("a")?.etag).toBe("1");
  cache.set("c", { index: index(4), etag: "1" });
  expect(["a", "b", "c"].map((key) => cache.get(key) !== undefined)).toEqual([true, false, true]);
  cache.set("a", { index: index(6), etag: "2" });
  expect([cache.get("a")?.etag, cache.get("c") !== undefined]).toEqual(["2", true]);
  cache.set("d", { index: index(11), etag: "1" });
  expect(cache.get("d")).toBeUndefined();
});

it("a second store of the isolate reads a cached index without its body, and sees later changes", async () => {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  const indexes = createIndexCache();
  const asked: string[] = [];
  const watched = {
    ...bucket,
    get: (key: string) => (asked.push(`get ${key}`), bucket.get(key)),
    getUnless: (key: string, etag: string) => (asked.push(`getUnless ${key}`), bucket.getUnless(key, etag)),
  };
  const open = () => createSkillStore({ bucket: watched, profile, clock, random: () => 0.5, swapMs: 1_000, indexes });
  const first = open();
  await first.change(creation("one", "Body.", "op-1"));
  const seen = await first.index();
  asked.length = 0;
  const second = open();
  expect(await second.index()).toBe(seen);
  expect(asked).toEqual([`getUnless p/${profile}/index`]);
  await first.change(adjustment("one", { pinned: true }));
  expect((await second.index()).skills.one?.pinned).toBe(true);
});
