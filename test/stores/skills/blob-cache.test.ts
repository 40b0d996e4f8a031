// The cache of file contents: each is read once, up to a number of bytes, and never served to another profile.
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { createBlobCache } from "../../../stores/skills/caches/blob-cache.ts";
import { keyOf } from "../../../stores/keys.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { writing } from "../../conformance/skill-history.ts";
import { createTestClock } from "../../support/clock.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { creation, extension } from "../../support/skills/skills.ts";
import { createWatchedBucket } from "../../support/bindings/watched-bucket.ts";

const profile = newProfileId();
const sha = (n: number | string) => sha256Hex(String(n));

describe("the cache of contents", () => {
  it("holds a limited number of bytes and evicts the least recently used", () => {
    const cache = createBlobCache(100);
    for (const n of [1, 2, 3, 4]) cache.put(profile, sha(n), new Uint8Array(25));
    cache.get(profile, sha(1));
    // Twenty characters may occupy forty bytes.
    cache.put(profile, sha(5), "x".repeat(20));
    expect([1, 2, 3, 4, 5].filter((n) => cache.get(profile, sha(n)) !== undefined)).toEqual([1, 4, 5]);
  });

  it("skips contents larger than the whole cache, and counts repeated puts once", () => {
    const cache = createBlobCache(100);
    cache.put(profile, sha(1), new Uint8Array(60));
    cache.put(profile, sha(2), new Uint8Array(101));
    cache.put(profile, sha(1), new Uint8Array(60));
    cache.put(profile, sha(3), new Uint8Array(40));
    expect([1, 2, 3].filter((n) => cache.get(profile, sha(n)) !== undefined)).toEqual([1, 3]);
  });

  it("holds an empty file, drops a given file, and keeps profiles apart", () => {
    const cache = createBlobCache();
    cache.put(profile, sha(1), "");
    expect([cache.get(profile, sha(1)), cache.get(newProfileId(), sha(1))]).toEqual(["", undefined]);
    cache.drop(profile, sha(1));
    cache.drop(profile, sha(2));
    expect(cache.get(profile, sha(1))).toBe(undefined);
  });
});

function setUp() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const own = newProfileId();
  const reads: string[] = [];
  const watched = createWatchedBucket(bucket, ({ method, key }) => {
    if (method === "get" && key.includes("/blobs/")) reads.push(key);
  });
  const cache = createBlobCache();
  const open = (over = watched) =>
    createSkillStore({ bucket: over, profile: own, clock, random: () => 0.5, swapMs: 1e9, cache });
  return {
    open,
    reads,
    own,
    writer: createSkillStore({ bucket, profile: own, clock, random: () => 0.5, swapMs: 1e9 }),
  };
}

describe("a skill store with the cache", () => {
  it("reads a skill's contents once, however often it or another store of the isolate opens the skill", async () => {
    const { open, reads, writer } = setUp();
    await writer.change(
      writing("tables", { "SKILL.md": "one", "references/a": "a", "assets/b": Uint8Array.of(0xff) }, "a"),
    );
    const store = open();
    const first = await store.open("tables");
    expect(reads).toHaveLength(3);
    expect([await store.open("tables"), await open().open("tables")]).toEqual([first, first]);
    await store.change(extension("tables", "more", "b", 1));
    expect((await open().open("tables"))!.files["SKILL.md"]).toBe("one\nmore");
    expect(reads).toHaveLength(3);
  });

  it("reads only the new contents of a changed skill", async () => {
    const { open, reads, own, writer } = setUp();
    await writer.change(writing("tables", { "SKILL.md": "one", "references/a": "a" }, "a"));
    await open().open("tables");
    await writer.change(writing("tables", { "SKILL.md": "two", "references/a": "a" }, "b"));
    expect((await open().open("tables"))!.files["SKILL.md"]).toBe("two");
    expect(reads[2]).toBe(keyOf("blob", { profile: own, sha256: sha("two") }));
    expect(reads).toHaveLength(3);
  });

  it("drops purged contents", async () => {
    const { open, writer } = setUp();
    await writer.change(creation("tables", "secret", "a"));
    await open().open("tables");
    await writer.change(writing("tables", { "SKILL.md": "clean" }, "b"));
    await open().purge("tables", 1);
    expect(await open().blob(sha("secret"))).toBe(null);
  });
});
