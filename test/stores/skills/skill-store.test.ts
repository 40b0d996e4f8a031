// The skill store over the double: the kit, and what only the double can do: rate limits, lost responses, long listings.
// skill-store-crash.test.ts tests kills.
import { describe, expect, it } from "vitest";
import { type Result, err, ok } from "../../../core/errors.ts";
import type { Bucket } from "../../../core/ports.ts";
import { textOrEmpty } from "../../../core/schemas/file-body.ts";
import { keyOf } from "../../../stores/keys.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { describeSkillHistory } from "../../conformance/skill-history.ts";
import { describeSkillStore, openSkillStore } from "../../conformance/skill-store.ts";
import { createTestClock } from "../../support/clock.ts";
import { collect } from "../../support/session/collect.ts";
import { createEventClock } from "../../support/session/event-clock.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { adjustment, creation, expectSound, extension } from "../../support/skills/skills.ts";

describeSkillStore("the double", (clock) => createMemoryBucket({ clock }));
describeSkillStore("the double with short pages", (clock) => createMemoryBucket({ clock, faults: { pageSize: 3 } }));
describeSkillStore("the double that loses one answer in five", (clock) =>
  createMemoryBucket({ clock, faults: { loseAnswerOneIn: 5 } }),
);

describeSkillHistory("the double", (clock) => createMemoryBucket({ clock }));
describeSkillHistory("the double with short pages", (clock) => createMemoryBucket({ clock, faults: { pageSize: 3 } }));
describeSkillHistory("the double that loses one answer in five", (clock) =>
  createMemoryBucket({ clock, faults: { loseAnswerOneIn: 5 } }),
);

describe("fifty writers over a bucket that answers 429 and loses one response in twenty", () => {
  it.each([1, 2, 3, 4, 5])("all finish on one skill within the swap timeout (seed %i)", async (seed) => {
    const { bucket, profile, open, clock } = setUpRace(seed);
    await open(0).change(creation("tables", "start", "a"));
    const startedAt = clock.now();
    const ops = Array.from({ length: 50 }, (_, n) => `writer-${n}`);
    const made = await Promise.all(ops.map((op, n) => open(n).change(extension("tables", op, op, 1))));
    expect(made.filter((result) => !result.ok)).toEqual([]);
    expect(clock.now() - startedAt).toBeLessThan(SWAP_MS);
    const { head, files } = (await open(0).open("tables"))!;
    expect([head.rev, head.seq]).toEqual([51, 51]);
    expect(textOrEmpty(files["SKILL.md"]).split("\n").sort()).toEqual(["start", ...ops].sort());
    await open(0).rebuildIndex(() => null);
    await expectSound(bucket, profile, open(0));
  });

  it.each([1, 2, 3])("all finish on separate skills that share the index (seed %i)", async (seed) => {
    const { bucket, profile, open } = setUpRace(seed);
    const names = Array.from({ length: 50 }, (_, n) => `skill-${String(n).padStart(2, "0")}`);
    const made = await Promise.all(names.map((name, n) => open(n).change(creation(name, name, name))));
    expect(made.filter((result) => !result.ok)).toEqual([]);
    expect(Object.keys((await open(0).index()).skills)).toEqual(names);
    await expectSound(bucket, profile, open(0));
  });

  it.each([1, 2, 3])("all finish on separate skills with the same contents (seed %i)", async (seed) => {
    const { bucket, profile, open } = setUpRace(seed);
    const names = Array.from({ length: 50 }, (_, n) => `skill-${String(n).padStart(2, "0")}`);
    const files = { "SKILL.md": "the same", "assets/licence.txt": "for all of them" };
    const made = await Promise.all(names.map((name, n) => open(n).change(creation(name, "", name, { files }))));
    expect(made.filter((result) => !result.ok)).toEqual([]);
    expect(bucket.keys().filter((key) => key.includes("/blobs/"))).toHaveLength(2);
    await expectSound(bucket, profile, open(0));
  });

  it.each([1, 2, 3])("all finish when some create, some edit and one purges (seed %i)", async (seed) => {
    const { bucket, profile, open } = setUpRace(seed);
    await open(0).change(creation("shared", "start", "a"));
    await open(0).change(extension("shared", "second", "b", 1));
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, n): Promise<Result<unknown>> => {
        if (n === 7) return open(n).purge("shared", 1);
        if (n % 2 === 0) return open(n).change(creation(`skill-${n}`, "start", `c-${n}`));
        return open(n).change(
          n % 5 === 0 ? adjustment("shared", { pinned: true }) : extension("shared", `${n}`, `e-${n}`),
        );
      }),
    );
    expect(made.filter((result) => !result.ok)).toEqual([]);
    expect(Object.keys((await open(0).index()).skills)).toHaveLength(26);
    await open(0).rebuildIndex(() => null);
    await expectSound(bucket, profile, open(0));
  });
});

const SWAP_MS = 120_000;

/** Time jumps from one sleep to the next, so that the writers interleave as on a real clock. */
function setUpRace(seed: number) {
  const clock = createEventClock();
  const bucket = createMemoryBucket({ clock, faults: { isRateLimited: true, loseAnswerOneIn: 20, seed } });
  const profile = newProfileId();
  const open = (writer: number) =>
    createSkillStore({ bucket, profile, clock, random: createSeededRandom(seed * 1_000 + writer), swapMs: SWAP_MS });
  return { clock, bucket, profile, open };
}

it("a change without a successful swap in time fails with `busy` and the last error", async () => {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const store = openSkillStore(bucket, newProfileId(), clock, SWAP_MS);
  await store.change(creation("tables", "one", "a"));
  const before = await store.head("tables");
  const startedAt = clock.now();
  bucket.faults.failOneIn = 1;
  expect(await store.change(extension("tables", "two", "b", 1))).toEqual({
    ok: false,
    failure: {
      code: "busy",
      message: "Too many writers are changing the skill tables. Read it again and try again in a minute.",
      facts: { last: "put: We encountered an internal error. Please try again. (10001)" },
    },
  });
  expect([clock.now() - startedAt, await store.head("tables")]).toEqual([SWAP_MS, before]);
});

it("an operation is found among more than a thousand revisions, which are listed page by page", async () => {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const store = openSkillStore(bucket, newProfileId(), clock);
  await store.change(creation("tables", "line 1", "op-1"));
  for (let n = 2; n <= 1_020; n++) {
    await store.change({ name: "tables", op: `op-${n}`, since: n - 1, decide: () => textOf(`line ${n}`) });
  }
  expect(await store.change(extension("tables", "again", "op-2", 1))).toMatchObject({ value: { replayed: true } });
  const page = await store.revisions("tables");
  expect(page).toHaveLength(1_000);
  const revisions = [...page, ...(await store.revisions("tables", { before: page.at(-1)!.rev }))];
  expect(await store.revisions("tables", { before: 500, limit: 2 })).toEqual(revisions.slice(521, 523));
  expect(revisions.map(({ op }) => op)).toEqual(Array.from({ length: 1_020 }, (_, n) => `op-${1_020 - n}`));
});

it("a rebuild and a scan cover more than a thousand skills", async () => {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  const names = Array.from({ length: 1_020 }, (_, n) => `skill-${String(n).padStart(4, "0")}`);
  for (const name of names) {
    await openSkillStore(bucket, profile, clock).change(creation(name, name, name));
    // Deleting the index keeps each create cheap and leaves all the work to the rebuild.
    await bucket.delete(keyOf("index", { profile }));
  }
  const store = openSkillStore(bucket, profile, clock);
  expect(Object.keys((await store.rebuildIndex(() => null)).skills)).toEqual(names);
  expect((await collect(store.scan())).map(({ name }) => name)).toEqual(names);
});

it("a create that lost to a neighbour is archived only while nobody else has changed the skill", async () => {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  const store = openSkillStore(bucket, profile, clock);
  let decisions = 0;
  const wanted = creation("mine", "one", "mine");
  const made = await store.change({
    ...wanted,
    async decide(current, index) {
      if (decisions++ === 0) {
        const decided = wanted.decide(current, index);
        // The index changes, so this create has to decide again.
        await openSkillStore(bucket, profile, clock).change(creation("other", "two", "other"));
        return decided;
      }
      await openSkillStore(bucket, profile, clock).change(adjustment("mine", { pinned: true }));
      return err("duplicate", "It is too near to other.");
    },
  });
  expect([made.ok, decisions]).toEqual([false, 2]);
  expect(await store.head("mine")).toMatchObject({ pinned: true, state: "trial", seq: 2 });
  await expectSound(bucket, profile, store);
});

it("a change whose response was lost recognises its own swap, even if its decision would now refuse it", async () => {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const store = openSkillStore(bucket, newProfileId(), clock);
  await store.change(creation("tables", "one", "a"));
  bucket.faults.loseAnswerOneIn = 1;
  const archived = await store.change({
    name: "tables",
    op: "b",
    since: 1,
    decide: (current) =>
      current?.head.state === "archived" ? err("archived", "It is archived.") : ok({ state: "archived" }),
  });
  expect(archived).toEqual(ok({ head: await store.head("tables"), replayed: false }));
});

it("an older index line never replaces a newer one", async () => {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  const head = keyOf("head", { profile, name: "tables" });
  await openSkillStore(bucket, profile, clock).change(creation("tables", "one", "a"));
  // Another writer changes head and line between this writer's two puts.
  const slow: Bucket = {
    ...bucket,
    async put(key, body, options) {
      const put = await bucket.put(key, body, options);
      if (key === head) await openSkillStore(bucket, profile, clock).change(extension("tables", "theirs", "c", 2));
      return put;
    },
  };
  const store = openSkillStore(slow, profile, clock);
  expect(await store.change(extension("tables", "mine", "b", 1))).toMatchObject({ value: { head: { rev: 2 } } });
  expect((await store.index()).skills.tables?.rev).toBe(3);
  await expectSound(bucket, profile, store);
});

it("the files of a large skill are put six at a time, and none is in progress once one has failed", async () => {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`references/${n}.md`, `file ${n}`]));
  let [inProgress, most, calls] = [0, 0, 0];
  const atOtherCalls: number[] = [];
  const slow: Bucket = {
    ...bucket,
    async get(key: string) {
      if (key.includes("/heads/")) atOtherCalls.push(inProgress);
      return bucket.get(key);
    },
    async put(key, body, options) {
      if (!key.includes("/blobs/")) return bucket.put(key, body, options);
      most = Math.max(most, ++inProgress);
      const isLost = ++calls === 8;
      for (let hops = calls * 10; hops > 0; hops--) await Promise.resolve();
      inProgress -= 1;
      if (isLost) throw new Error("The network broke off.");
      return bucket.put(key, body, options);
    },
  };
  const store = openSkillStore(slow, newProfileId(), clock);
  const { decide } = creation("tables", "one", "a");
  const large: typeof decide = async (...seen) => {
    const made = await decide(...seen);
    return made.ok ? ok({ ...made.value, files: { ...made.value.files, ...files } }) : made;
  };
  const made = await store.change({ ...creation("tables", "one", "a"), decide: large });
  expect(made).toMatchObject({ value: { head: { rev: 1 } } });
  expect([most, calls, Math.max(...atOtherCalls)]).toEqual([6, 22, 0]);
  expect(Object.keys((await store.open("tables"))!.files).length).toBe(21);
});

function textOf(body: string) {
  return ok({ files: { "SKILL.md": body } });
}
