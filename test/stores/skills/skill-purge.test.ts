// Purges that race with writers of the same contents and with each other, and that are killed anywhere. No head ever names
// deleted contents, and purged contents are gone.
import { describe, expect, it } from "vitest";
import type { Bucket, Clock, SkillStore } from "../../../core/ports.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { PurgeLease, isPurged } from "../../../core/schemas/skill.ts";
import { keyOf, prefixOf } from "../../../stores/keys.ts";
import { writing } from "../../conformance/skill-history.ts";
import { openSkillStore } from "../../conformance/skill-store.ts";
import { createTestClock } from "../../support/clock.ts";
import { createCrashingBucket } from "../../support/bindings/crashing-bucket.ts";
import { createEventClock } from "../../support/session/event-clock.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { expectSound, listKeys } from "../../support/skills/skills.ts";
import { createWatchedBucket } from "../../support/bindings/watched-bucket.ts";

const SECRET = sha256Hex("secret");

/** `a` once held a secret; `b` is another skill. */
async function setUp(clock: Clock = createTestClock()) {
  const bucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  const open = (over: Bucket = bucket, swapMs?: number) => openSkillStore(over, profile, clock, swapMs);
  const store = open();
  await store.change(writing("a", { "SKILL.md": "secret" }, "a1"));
  await store.change(writing("a", { "SKILL.md": "clean" }, "a2"));
  await store.change(writing("b", { "SKILL.md": "b" }, "b1"));
  const blob = keyOf("blob", { profile, sha256: SECRET });
  return { clock, bucket, profile, open, hasSecret: () => bucket.keys().includes(blob) };
}

async function expectPurged(store: SkillStore): Promise<void> {
  expect((await store.revisions("a")).filter(isPurged)).toEqual([
    { v: 1, name: "a", rev: 1, text: expect.any(String), purgedAt: expect.any(Number) },
  ]);
}

describe("a purge that is killed at any call", () => {
  it.each([false, true])("is finished by the next purge (last call carried out: %s)", async (afterwards) => {
    let atCall = 0;
    for (let isCrashing = true; isCrashing;) {
      const { bucket, profile, open, hasSecret } = await setUp();
      const dying = createCrashingBucket(bucket, { atCall: ++atCall, afterwards });
      isCrashing = await open(dying)
        .purge("a", 1)
        .then(
          () => false,
          () => true,
        );
      // Wherever it died, nothing is broken, and no unrestorable revision is shown as restorable.
      await expectSound(bucket, profile, open());
      expect(await open().purge("a", 1)).toMatchObject({ ok: true });
      expect(hasSecret()).toBe(false);
      await expectPurged(open());
      await expectSound(bucket, profile, open());
    }
    expect(atCall).toBeGreaterThan(8);
  });

  it("blocks a writer of the same contents at most until its lease expires, and no other writer", async () => {
    const { clock, bucket, profile, open } = await setUp(createEventClock());
    const dying = createWatchedBucket(bucket, ({ method }) => {
      if (method === "delete") throw new Error("The process was killed.");
    });
    expect(await open(dying, 5_000).purge("a", 1)).toMatchObject({ failure: { code: "busy" } });
    const startedAt = clock.now();
    expect(await open().change(writing("b", { "SKILL.md": "other" }, "b2"))).toMatchObject({ ok: true });
    expect(clock.now()).toBe(startedAt);
    expect(await open(bucket, 1_000).change(writing("b", { "SKILL.md": "secret" }, "b3"))).toMatchObject({
      failure: { code: "busy", facts: { last: "contents like these are being purged" } },
    });
    expect(await open(bucket, 120_000).change(writing("b", { "SKILL.md": "secret" }, "b3"))).toMatchObject({
      ok: true,
    });
    expect(clock.now() - startedAt).toBeLessThan(120_000);
    expect(await open().purge("a", 1)).toMatchObject({ value: { kept: [{ sha256: SECRET, name: "b", rev: 3 }] } });
    await expectSound(bucket, profile, open());
  });
});

describe("a writer of contents that are being purged", () => {
  const writers: [string, (store: SkillStore) => ReturnType<SkillStore["change"]>][] = [
    ["the same skill", (store) => store.change(writing("a", { "SKILL.md": "secret" }, "w"))],
    ["another skill", (store) => store.change(writing("b", { "SKILL.md": "b", "assets/x": "secret" }, "w"))],
    ["a new skill", (store) => store.change(writing("c", { "SKILL.md": "secret" }, "w"))],
  ];

  it.each(writers)("into %s keeps them if a whole purge runs between any two of its calls", async (_title, write) => {
    let at = 0;
    for (let hasCome = true; hasCome;) {
      at++;
      hasCome = false;
      const { bucket, profile, open } = await setUp();
      const interrupted = createWatchedBucket(bucket, async ({ n }) => {
        if (n !== at) return;
        hasCome = true;
        expect(await open().purge("a", 1)).toMatchObject({ ok: true });
      });
      expect(await write(open(interrupted))).toMatchObject({ ok: true });
      if (hasCome) await expectPurged(open());
      await expectSound(bucket, profile, open());
    }
    expect(at).toBeGreaterThan(9);
  });

  it.each(writers)(
    "into %s keeps them if the whole write runs between any two calls of a purge",
    async (_title, write) => {
      let at = 0;
      for (let hasCome = true; hasCome;) {
        at++;
        // An event clock is needed: otherwise a waiting writer would advance time past the purge's lease.
        const { bucket, profile, open } = await setUp(createEventClock());
        let written: ReturnType<SkillStore["change"]> | undefined;
        const interrupted = createWatchedBucket(bucket, async ({ n }) => {
          if (n !== at) return;
          // The writer may have to wait for the purge.
          written = write(open());
          await Promise.race([written, new Promise((resolve) => setImmediate(resolve))]);
        });
        expect(await open(interrupted).purge("a", 1)).toMatchObject({ ok: true });
        hasCome = written !== undefined;
        if (hasCome) expect(await written).toMatchObject({ ok: true });
        await expectPurged(open());
        await expectSound(bucket, profile, open());
      }
      expect(at).toBeGreaterThan(8);
    },
  );

  it.each(writers)(
    "into %s makes a purge wait if its swap is in progress, even if the writer is killed",
    async (_title, write) => {
      const { bucket, profile, open } = await setUp(createEventClock());
      let purged: ReturnType<SkillStore["purge"]> | undefined;
      const dying = createWatchedBucket(bucket, async ({ method, key }) => {
        if (purged) throw new Error("The process was killed.");
        if (method !== "put" || !key.includes("/heads/")) return;
        purged = open().purge("a", 1);
        // Lets the purge run as far as it can without time passing.
        for (let n = 0; n < 500; n++) await Promise.resolve();
      });
      await expect(write(open(dying))).rejects.toThrow("The process was killed.");
      expect(await purged).toMatchObject({ value: { deleted: [], kept: [{ sha256: SECRET }] } });
      await open().rebuildIndex(() => null);
      await expectSound(bucket, profile, open());
    },
  );

  it.each(writers)("into %s leaves no head without its contents, even if it is killed", async (_title, write) => {
    for (let atCall = 1; atCall < 24; atCall++) {
      const { bucket, profile, open } = await setUp(createEventClock());
      // Killed before a call, the bucket is as after the call before it.
      const dying = createCrashingBucket(bucket, { atCall, afterwards: atCall > 1 });
      const [, purged] = await Promise.all([write(open(dying)).catch(() => null), open().purge("a", 1)]);
      expect(purged).toMatchObject({ ok: true });
      await open().rebuildIndex(() => null);
      await expectSound(bucket, profile, open());
      expect(await write(open())).toMatchObject({ ok: true });
      await expectSound(bucket, profile, open());
    }
  });
});

it("a writer whose revision is purged before its write returns does not restore it", async () => {
  const { bucket, profile, open, hasSecret } = await setUp();
  let stage: "before" | "swapped" | "done" = "before";
  const slow = createWatchedBucket(bucket, async ({ method, key }) => {
    if (stage === "before" && method === "put" && key.includes("/heads/")) stage = "swapped";
    else if (stage === "swapped") {
      stage = "done";
      await open().change(writing("c", { "SKILL.md": "clean" }, "c2"));
      expect(await open().purge("a", 1)).toMatchObject({ ok: true });
      expect(await open().purge("c", 1)).toMatchObject({ value: { deleted: [SECRET] } });
    }
  });
  expect(await open(slow).change(writing("c", { "SKILL.md": "secret" }, "c1"))).toMatchObject({ ok: true });
  expect([stage, hasSecret()]).toEqual(["done", false]);
  await open().rebuildIndex(() => null);
  await expectSound(bucket, profile, open());
});

it("concurrent purges all finish, even over a bucket that answers 429 and loses responses", async () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const clock = createEventClock();
    const { bucket, profile, open, hasSecret } = await setUp(clock);
    await open().change(writing("a", { "SKILL.md": "third" }, "a3"));
    Object.assign(bucket.faults, { isRateLimited: true, loseAnswerOneIn: 4, seed });
    const purged = await Promise.all([open().purge("a", 1), open().purge("a", 2), open().purge("a", 1)]);
    expect(purged.map(({ ok }) => ok)).toEqual([true, true, true]);
    bucket.faults.loseAnswerOneIn = undefined;
    expect([hasSecret(), bucket.keys().includes(keyOf("blob", { profile, sha256: sha256Hex("clean") }))]).toEqual([
      false,
      false,
    ]);
    await expectSound(bucket, profile, open());
  }
});

it("a finished purge leaves no lease for writers to wait for", async () => {
  const { bucket, profile, open } = await setUp();
  await open().purge("a", 1);
  const lease = await bucket.get(keyOf("purge", { profile }));
  expect(PurgeLease.parse(JSON.parse(await lease!.text()))).toMatchObject({ blobs: [], until: 0 });
});

it("a purge finds contents named by older records whose metadata lists no references", async () => {
  const { bucket, profile, open, hasSecret } = await setUp();
  await open().change(writing("b", { "SKILL.md": "secret" }, "b2"));
  await open().change(writing("c", { "SKILL.md": "c", "assets/x": "clean" }, "c1"));
  await open().change(writing("a", { "SKILL.md": "secret" }, "a3"));
  for (const key of [
    ...(await listKeys(bucket, prefixOf("head", { profile }))),
    keyOf("revision", { profile, name: "a", rev: 2 }),
  ]) {
    const { refs: _refs, ...customMetadata } = (await bucket.get(key))!.customMetadata!;
    await bucket.put(key, await (await bucket.get(key))!.text(), { customMetadata });
  }
  expect(await open().purge("a", 1)).toMatchObject({ value: { deleted: [], kept: [{ name: "a", rev: 3 }] } });
  expect(await open().purge("a", 2)).toMatchObject({ value: { deleted: [], kept: [{ name: "c", rev: 1 }] } });
  expect(hasSecret()).toBe(true);
  await expectSound(bucket, profile, open());
});

it("metadata lists many files in under a kilobyte, and a purge also finds contents of a head with too many to list", async () => {
  const { bucket, profile, open } = await setUp();
  const filesOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`assets/${n}`, `${n}`]));
  await open().change(writing("c", { "SKILL.md": "c", ...filesOf(63) }, "c1"));
  await open().change(writing("d", { "SKILL.md": "secret", ...filesOf(70) }, "d1"));
  const mirrors = await Promise.all(
    ["c", "d"].map(async (name) => (await bucket.get(keyOf("head", { profile, name })))!.customMetadata!),
  );
  expect(mirrors.map(({ refs }) => refs?.length)).toEqual([64 * 8, undefined]);
  expect(JSON.stringify(mirrors[0]).length).toBeLessThan(1_024);
  expect(await open().purge("a", 1)).toMatchObject({ value: { deleted: [], kept: [{ name: "d", rev: 1 }] } });
});

it("a purge of a large library reads only heads that may name the contents", async () => {
  const { bucket, open } = await setUp();
  for (let n = 0; n < 60; n++) {
    await open().change(writing(`skill-${n}`, { "SKILL.md": `one ${n}` }, "1"));
    await open().change(writing(`skill-${n}`, { "SKILL.md": `two ${n}` }, "2"));
  }
  const read: string[] = [];
  const watched = createWatchedBucket(bucket, ({ method, key }) => {
    if (method === "get" && /\/(heads|revisions)\/skill-/.test(key)) read.push(key);
  });
  expect(await open(watched).purge("a", 1)).toMatchObject({ value: { deleted: [SECRET] } });
  expect(read).toEqual([]);
});
