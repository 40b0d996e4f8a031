// The keys of the stores: their form, and the values they refuse.
import { describe, expect, it } from "vitest";
import { MEMORY_KEYS, OBJECT_KEYS, keyOf, prefixOf, slotsOf } from "../../stores/keys.ts";

const profile = "0123456789abcdefghjkmnpqrs";
const session = "01JZZZZZZZZZZZZZZZZZZZZZZZ";
const sha256 = "0123456789abcdef".repeat(4);
const review = `${session}.1-12`;
const run = "20260105T090000Z-a1b2";
const day = "2026-01-05";

describe("keys", () => {
  it("follow their patterns", () => {
    expect([
      keyOf("head", { profile, name: "tables" }),
      keyOf("blob", { profile, sha256 }),
      keyOf("revision", { profile, name: "tables", rev: 12 }),
      keyOf("index", { profile }),
      keyOf("purge", { profile }),
      keyOf("evidence", { profile, name: "tables", text: sha256, turn: `${session}-3`, judge: "exit" }),
      keyOf("evidenceAgain", { profile, name: "tables", text: sha256, turn: `${session}-3`, judge: "rating", nth: 2 }),
      keyOf("stats", { profile, name: "tables" }),
      keyOf("active", { profile, day }),
      keyOf("due", { profile, day, shard: "0f" }),
      keyOf("reviewJob", { profile, review }),
      keyOf("reviewStep", { profile, review, step: 7 }),
      keyOf("reviewFailure", { profile, review, n: 2 }),
      keyOf("reviewed", { profile, session }),
      keyOf("curationRun", { profile, run }),
      keyOf("curationLease", { profile }),
      keyOf("memoryAdd", { profile, store: "user", hash: sha256, op: "01J.1-2/3" }),
    ]).toEqual([
      `p/${profile}/heads/tables`,
      `p/${profile}/blobs/${sha256}`,
      `p/${profile}/revisions/tables/00000012`,
      `p/${profile}/index`,
      `p/${profile}/purge`,
      `p/${profile}/evidence/tables/${sha256}/${session}-3.exit`,
      `p/${profile}/evidence/tables/${sha256}/${session}-3.rating.2`,
      `p/${profile}/stats/tables`,
      `p/${profile}/active/${day}`,
      `due/${day}/0f/${profile}`,
      `p/${profile}/reviews/${review}/job`,
      `p/${profile}/reviews/${review}/0007`,
      `p/${profile}/reviews/${review}/failed-0002`,
      `p/${profile}/reviewed/${session}`,
      `p/${profile}/curation/${run}/run.json`,
      `p/${profile}/curation/lease`,
      `p/${profile}/user/${sha256}/+01J.1-2%2F3`,
    ]);
  });

  it("sort numbers in numeric order", () => {
    const keys = [2, 10, 9, 100, 1].map((rev) => keyOf("revision", { profile, name: "tables", rev }));
    expect(keys.toSorted().map((key) => Number(slotsOf("revision", key)?.rev))).toEqual([1, 2, 9, 10, 100]);
  });

  it("yield their own slots, and null for another kind of key", () => {
    const slots = { profile, name: "tables", text: sha256, turn: `${session}-3`, judge: "exit" };
    expect(slotsOf("evidence", keyOf("evidence", slots))).toEqual(slots);
    const again = keyOf("evidenceAgain", { ...slots, nth: 2 });
    expect([slotsOf("evidence", again), slotsOf("evidenceAgain", again)]).toEqual([null, { ...slots, nth: "2" }]);
    expect(slotsOf("evidenceAgain", keyOf("evidence", slots))).toBe(null);
    const add = { profile, store: "memory", hash: sha256, op: "call/ü|#+1" };
    expect([slotsOf("memoryAdd", keyOf("memoryAdd", add)), slotsOf("memoryRemove", keyOf("memoryAdd", add))]).toEqual([
      add,
      null,
    ]);
    for (const other of [keyOf("reviewJob", { profile, review }), keyOf("reviewFailure", { profile, review, n: 1 })]) {
      expect(slotsOf("reviewStep", other)).toBe(null);
    }
  });

  it("end a prefix before the first missing slot, so that no profile or review is a prefix of another", () => {
    expect([
      prefixOf("head", { profile }),
      prefixOf("revision", { profile, name: "tables" }),
      prefixOf("reviewStep", { profile, review }),
      prefixOf("due", {}),
    ]).toEqual([`p/${profile}/heads/`, `p/${profile}/revisions/tables/`, `p/${profile}/reviews/${review}/`, "due/"]);
  });

  it("fit KV's limit for any operation id, and are the same when rebuilt from their slots", () => {
    for (const op of ["x".repeat(5_000), "ü".repeat(300), "\ud800 half a pair", "~tilde", "%41"]) {
      const key = keyOf("memoryAdd", { profile, store: "memory", hash: sha256, op });
      expect(key.length).toBeLessThanOrEqual(512);
      expect(keyOf("memoryAdd", slotsOf("memoryAdd", key)!)).toBe(key);
    }
  });

  it.each([
    ["profile", () => keyOf("index", { profile: "../other" })],
    ["name", () => keyOf("head", { profile, name: "a/b" })],
    ["empty name", () => keyOf("head", { profile, name: "" })],
    ["review", () => keyOf("reviewJob", { profile, review: "x" })],
    ["shard", () => keyOf("due", { profile, day, shard: "/" })],
    ["step", () => keyOf("reviewStep", { profile, review, step: -1 })],
    ["fraction", () => keyOf("revision", { profile, name: "a", rev: 1.5 })],
    ["operation", () => keyOf("memoryAdd", { profile, store: "memory", hash: sha256, op: "" })],
    ["missing slot", () => keyOf("head", { profile } as never)],
  ])("refuse an invalid key: %s", (_title, make) => {
    expect(make).toThrow(/key|op is empty/);
  });

  it("each have a different pattern", () => {
    const patterns = [...Object.values(OBJECT_KEYS), ...Object.values(MEMORY_KEYS)];
    expect(new Set(patterns).size).toBe(patterns.length);
  });
});
