// The conformance kit of SkillStore. It runs over the bucket double and over R2 itself.
import { describe, expect, it } from "vitest";
import { err, ok } from "../../core/errors.ts";
import type { Bucket, Clock, SkillStore } from "../../core/ports.ts";
import { sha256Hex, textOfFiles } from "../../core/schemas/learning/digest.ts";
import { EMPTY_INDEX, toIndexLine } from "../../core/schemas/skill.ts";
import { textOrEmpty } from "../../core/schemas/file-body.ts";
import { keyOf } from "../../stores/keys.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { type TestClock, createTestClock } from "../support/clock.ts";
import { collect } from "../support/session/collect.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import {
  adjustment,
  creation,
  expectSound,
  extension,
  findNeighbour,
  plant,
  restoration,
  uniqueCreation,
} from "../support/skills/skills.ts";

export function describeSkillStore(name: string, make: (clock: Clock) => Bucket): void {
  const setUp = () => {
    const clock = createTestClock();
    const bucket = make(clock);
    const profile = newProfileId();
    const open = (over = bucket) => openSkillStore(over, profile, clock);
    return { clock, bucket, profile, open, store: open() };
  };

  describe(`${name}: one writer`, () => describeOneWriter(setUp));
  describe(`${name}: several writers`, () => describeSeveralWriters(setUp));
  describe(`${name}: the index`, () => describeIndex(setUp));
}

/** The sleeps of many writers add up on a test clock, so the swap timeout is practically infinite. */
export function openSkillStore(bucket: Bucket, profile: string, clock: Clock, swapMs = 1e9): SkillStore {
  return createSkillStore({ bucket, profile, clock, random: createSeededRandom(7), swapMs });
}

type SetUp = () => {
  clock: TestClock;
  bucket: Bucket;
  profile: string;
  open(over?: Bucket): SkillStore;
  store: SkillStore;
};

function describeOneWriter(setUp: SetUp): void {
  it("sees a new profile as empty", async () => {
    const { store } = setUp();
    expect([
      await store.index(),
      await store.head("none"),
      await store.open("none"),
      await store.revisions("none"),
      await store.blob("0".repeat(64)),
    ]).toEqual([EMPTY_INDEX, null, null, [], null]);
  });

  it("creates a skill with head, contents and index line", async () => {
    const { store, clock } = setUp();
    const startedAt = clock.now();
    const files = { "SKILL.md": "# Tables\n", "references/odd names · ü.md": "more" };
    const made = await store.change({
      name: "tables",
      op: "op-1",
      since: 0,
      decide: () => ok({ files, description: "Reads tables.", category: "data", state: "trial", origin: "review" }),
    });
    const stored = {
      "SKILL.md": { sha256: sha256Hex("# Tables\n"), size: 9 },
      "references/odd names · ü.md": { sha256: sha256Hex("more"), size: 4 },
    };
    const at = made.ok ? made.value.head.createdAt : never();
    expect([at >= startedAt, at <= clock.now()]).toEqual([true, true]);
    const head = {
      v: 1,
      name: "tables",
      seq: 1,
      rev: 1,
      text: textOfFiles(stored),
      description: "Reads tables.",
      category: "data",
      state: "trial",
      pinned: false,
      origin: "review",
      files: stored,
      citations: [],
      op: "op-1",
      createdAt: at,
      revisedAt: at,
      updatedAt: at,
    };
    expect(made).toEqual(ok({ head, replayed: false }));
    expect(await store.open("tables")).toEqual({ head, files });
    expect(await store.index()).toEqual({
      v: 1,
      seq: 1,
      skills: { tables: toIndexLine(made.ok ? made.value.head : never()) },
    });
    expect(await store.blob(sha256Hex("more"))).toBe("more");
  });

  it("raises the revision for new files, and only the sequence for any other change", async () => {
    const { store, clock } = setUp();
    const numbers = async () => {
      const head = (await store.head("tables"))!;
      const { createdAt, revisedAt, updatedAt } = head;
      return [head.seq, head.rev, head.op, revisedAt > createdAt, updatedAt > createdAt];
    };
    await store.change(creation("tables", "one", "a"));
    clock.advance(5);
    await store.change(adjustment("tables", { pinned: true }));
    expect(await numbers()).toEqual([2, 1, "a", false, true]);
    clock.advance(5);
    await store.change(extension("tables", "two", "b", 1));
    expect(await numbers()).toEqual([3, 2, "b", true, true]);
    expect((await store.head("tables"))?.pinned).toBe(true);
  });

  it("keeps every revision, newest first, past the tenth", async () => {
    const { store } = setUp();
    await store.change(creation("tables", "line 1", "op-1"));
    for (let n = 2; n <= 12; n++) await store.change(extension("tables", `line ${n}`, `op-${n}`, n - 1));
    const revisions = await store.revisions("tables");
    expect(revisions.map(({ rev, op }) => [rev, op])).toEqual(
      Array.from({ length: 12 }, (_, n) => [12 - n, `op-${12 - n}`]),
    );
    expect(await store.blob(revisions[9]!.files!["SKILL.md"]!.sha256)).toBe("line 1\nline 2\nline 3");
  });

  it("restores an older text as a new revision and keeps state, pin and origin", async () => {
    const { store } = setUp();
    await store.change(creation("tables", "one", "a", { origin: "user", state: "active" }));
    await store.change(extension("tables", "two", "b", 1));
    await store.change(adjustment("tables", { pinned: true, state: "stale" }));
    const before = await store.revisions("tables");
    await store.change(restoration(store, "tables", 1, "c"));
    const { head, files } = (await store.open("tables"))!;
    expect([head.rev, head.text, head.state, head.pinned, head.origin, files]).toEqual([
      3,
      before[1]!.text,
      "stale",
      true,
      "user",
      { "SKILL.md": "one" },
    ]);
  });

  it("records what each text was made from, also for a restored text", async () => {
    const { store } = setUp();
    await store.change(creation("tables", "one", "a"));
    const parentOf = async () => (await store.head("tables"))!.parent;
    const texts: string[] = [(await store.head("tables"))!.text];
    for (const [n, line] of ["two", "three"].entries()) {
      await store.change(extension("tables", line, line, n + 1));
      texts.push((await store.head("tables"))!.text);
    }
    expect([await parentOf(), (await store.revisions("tables")).map(({ parent }) => parent)]).toEqual([
      texts[1],
      [texts[1], texts[0], undefined],
    ]);
    await store.change(restoration(store, "tables", 2, "back to what it was made from"));
    expect(await parentOf()).toBe(undefined);
    await store.change(adjustment("tables", { files: { "SKILL.md": "new" }, parent: texts[0] }, "given"));
    expect(await parentOf()).toBe(texts[0]);
    await store.change(adjustment("tables", { files: { "SKILL.md": "newer" }, parent: null }, "none"));
    expect(await parentOf()).toBe(undefined);
  });

  it("remembers when a person restored a text, as long as that text is current", async () => {
    const { store } = setUp();
    await store.change(creation("tables", "one", "a"));
    await store.change(adjustment("tables", { restored: true }));
    const at = (await store.head("tables"))!.restoredAt;
    expect(at).toBeGreaterThan(0);
    await store.change(adjustment("tables", { pinned: true }, "pin"));
    const [line] = await collect(store.scan());
    expect([(await store.head("tables"))!.restoredAt, Number(line!.mirror.restoredAt)]).toEqual([at, at]);
    await store.change(extension("tables", "two", "b", 1));
    expect((await store.head("tables"))!.restoredAt).toBe(undefined);
  });

  it("does nothing for a completed operation, even after later ones", async () => {
    const { store, open } = setUp();
    await store.change(creation("tables", "one", "a"));
    await store.change(extension("tables", "two", "call: 1/ü#b", 1));
    expect(await open().change(extension("tables", "two", "call: 1/ü#b", 1))).toMatchObject({
      value: { replayed: true, head: { rev: 2 } },
    });
    await store.change(extension("tables", "three", "c", 2));
    await store.change(extension("tables", "four", "d", 3));
    const again = await open().change(extension("tables", "two", "call: 1/ü#b", 1));
    expect(again).toEqual(ok({ head: await store.head("tables"), replayed: true }));
    expect(await open().change(creation("tables", "one", "a"))).toMatchObject({ value: { replayed: true } });
    expect((await store.open("tables"))?.files).toEqual({ "SKILL.md": "one\ntwo\nthree\nfour" });
  });

  it("swaps nothing when nothing differs", async () => {
    const { store } = setUp();
    await store.change(creation("tables", "one", "a"));
    const before = await store.head("tables");
    const same = { files: { "SKILL.md": "one" }, state: "trial", pinned: false } as const;
    expect(await store.change(adjustment("tables", same))).toEqual(ok({ head: before, replayed: false }));
    expect(await store.head("tables")).toEqual(before);
  });

  it("drops the reason of an earlier move from a move without one", async () => {
    const { store } = setUp();
    await store.change(creation("tables", "one", "a"));
    await store.change(adjustment("tables", { state: "stale", reason: "Unused for 30 days." }));
    await store.change(adjustment("tables", { pinned: true }));
    expect((await store.head("tables"))?.reason).toBe("Unused for 30 days.");
    await store.change(adjustment("tables", { state: "active" }));
    expect((await store.head("tables"))?.reason).toBe(undefined);
  });

  it("returns the failure of a decision and writes nothing", async () => {
    const { store } = setUp();
    expect(await store.change(extension("tables", "two", "b"))).toEqual(err("unknown_skill", "There is none."));
    expect([await store.head("tables"), await store.index()]).toEqual([null, EMPTY_INDEX]);
  });

  it("turns a create on an archived name into a new revision of it", async () => {
    const { store } = setUp();
    await store.change(creation("tables", "one", "a"));
    await store.change(adjustment("tables", { state: "archived", reason: "Not wanted." }));
    await store.change(creation("tables", "another", "b"));
    expect(await store.open("tables")).toMatchObject({
      head: { rev: 2, seq: 3, state: "trial" },
      files: { "SKILL.md": "another" },
    });
    expect((await store.revisions("tables")).map(({ op }) => op)).toEqual(["b", "a"]);
  });

  it("refuses to write to a profile that is deleted, even between decision and swap", async () => {
    const { bucket, profile, store, open } = setUp();
    await store.change(creation("tables", "one", "a"));
    const before = await store.head("tables");
    const gone = await store.change({
      ...extension("tables", "two", "b"),
      async decide(current) {
        await plant(bucket, keyOf("gone", { profile }), "");
        return extension("tables", "two", "b").decide(current, EMPTY_INDEX);
      },
    });
    expect([gone, await open().change(creation("other", "one", "c"))]).toMatchObject([
      { failure: { code: "profile_gone" } },
      { failure: { code: "profile_gone" } },
    ]);
    expect([await store.head("tables"), await store.head("other")]).toEqual([before, null]);
  });

  it("keeps odd names apart", async () => {
    const { bucket, profile, store } = setUp();
    const names = ["a", "a-b", "constructor", "0", "x".repeat(64)];
    for (const name of names) await store.change(creation(name, `text of ${name}`, `op ${name}`));
    const texts = await Promise.all(names.map(async (name) => (await store.open(name))?.files["SKILL.md"]));
    expect(texts).toEqual(names.map((name) => `text of ${name}`));
    await expectSound(bucket, profile, store);
    for (const bad of ["", "a/b", "../a", "A", "a_b"]) {
      await expect(store.change(creation(bad, "one", "a"))).rejects.toThrow("cannot be part of a key");
    }
  });

  it("names the key of an unparsable record", async () => {
    const { bucket, profile, store } = setUp();
    const key = keyOf("head", { profile, name: "tables" });
    await plant(bucket, key, '{"v":1}');
    await expect(store.head("tables")).rejects.toThrow(`The record ${key} does not parse: name:`);
    await plant(bucket, key, "{");
    await expect(store.open("tables")).rejects.toThrow(`The record ${key} is not JSON.`);
  });
}

function describeSeveralWriters(setUp: SetUp): void {
  it("run the whole decision again on the head that won", async () => {
    const { bucket, profile, open } = setUp();
    await open().change(creation("tables", "one", "a"));
    const seen: (string | undefined)[] = [];
    const wanted = extension("tables", "mine", "mine", 1);
    const mine = await open().change({
      ...wanted,
      async decide(current, index) {
        seen.push(textOrEmpty(current?.files["SKILL.md"]));
        if (seen.length === 1) await open().change(extension("tables", "theirs", "theirs", 1));
        return wanted.decide(current, index);
      },
    });
    expect([seen, mine.ok && mine.value.head.rev]).toEqual([["one", "one\ntheirs"], 3]);
    expect((await open().open("tables"))?.files["SKILL.md"]).toBe("one\ntheirs\nmine");
    await expectSound(bucket, profile, open());
  });

  it("are refused by the head that won, even if the earlier head would have allowed the change", async () => {
    const { open } = setUp();
    await open().change(creation("tables", "one", "a"));
    let attempts = 0;
    const mine = await open().change({
      name: "tables",
      op: "mine",
      since: 1,
      async decide(current) {
        if (attempts++ === 0) await open().change(adjustment("tables", { pinned: true }));
        return current?.head.pinned ? err("pinned", "It is pinned.") : ok({ files: { "SKILL.md": "mine" } });
      },
    });
    expect([mine, (await open().head("tables"))?.rev]).toEqual([err("pinned", "It is pinned."), 1]);
  });

  it("have one winner for a name; the loser receives the winner's skill", async () => {
    const { bucket, profile, open } = setUp();
    const made = await Promise.all(["a", "b"].map((op) => open().change(creation("tables", op, op))));
    expect(made.map((result) => (result.ok ? "made" : result.failure.code)).sort()).toEqual(["exists", "made"]);
    await expectSound(bucket, profile, open());
  });

  it("leave the later of two concurrently created near neighbours archived", async () => {
    const { bucket, profile, open } = setUp();
    const wanted = uniqueCreation("reading-tables", "Reads tables.", "mine");
    let attempts = 0;
    const mine = await open().change({
      ...wanted,
      async decide(current, index) {
        const decided = wanted.decide(current, index);
        if (attempts++ === 0) await open().change(uniqueCreation("tables", "Reads tables.", "theirs"));
        return decided;
      },
    });
    const refusal = err("duplicate", "It is too near to tables.");
    expect(mine).toEqual(refusal);
    expect((await open().index()).skills).toMatchObject({
      "reading-tables": { state: "archived", seq: 2 },
      tables: { state: "trial", seq: 1 },
    });
    expect((await open().head("reading-tables"))?.reason).toBe(refusal.failure.message);
    // A second delivery of the same operation answers the same.
    expect(await open().change(wanted)).toEqual(refusal);
    await expectSound(bucket, profile, open());
  });

  it("leave one living skill of many concurrently created near neighbours", async () => {
    const { bucket, profile, open } = setUp();
    const names = ["a", "b", "c", "d", "e", "f"];
    const made = await Promise.all(names.map((name) => open().change(uniqueCreation(name, "Reads tables.", name))));
    expect(made.filter((result) => result.ok)).toHaveLength(1);
    const index = await open().rebuildIndex(() => "a rebuild has nothing to check here");
    expect(Object.values(index.skills).filter((line) => line.state !== "archived")).toHaveLength(1);
    await expectSound(bucket, profile, open());
  });

  it("lose no edit of ten concurrent ones", async () => {
    const { bucket, profile, open } = setUp();
    await open().change(creation("tables", "start", "a"));
    const ops = Array.from({ length: 10 }, (_, n) => `writer-${n}`);
    const made = await Promise.all(ops.map((op) => open().change(extension("tables", op, op, 1))));
    expect(made.every((result) => result.ok && !result.value.replayed)).toBe(true);
    const { head, files } = (await open().open("tables"))!;
    expect([head.rev, head.seq]).toEqual([11, 11]);
    expect(textOrEmpty(files["SKILL.md"]).split("\n").sort()).toEqual(["start", ...ops].sort());
    await open().rebuildIndex(() => null);
    await expectSound(bucket, profile, open());
  });

  it("lose no index line of ten concurrently created skills", async () => {
    const { bucket, profile, open } = setUp();
    const names = Array.from({ length: 10 }, (_, n) => `skill-${n}`);
    await Promise.all(names.map((name) => open().change(creation(name, name, name))));
    expect(Object.keys((await open().index()).skills)).toEqual(names);
    await expectSound(bucket, profile, open());
  });

  it("carry out an operation with two deliveries once", async () => {
    const { bucket, profile, open } = setUp();
    await open().change(creation("tables", "one", "a"));
    const both = await Promise.all([1, 2].map(() => open().change(extension("tables", "two", "b", 1))));
    expect(both.every((result) => result.ok)).toBe(true);
    expect((await open().open("tables"))?.files["SKILL.md"]).toBe("one\ntwo");
    await open().rebuildIndex(() => null);
    await expectSound(bucket, profile, open());
  });
}

function describeIndex(setUp: SetUp): void {
  it("includes the writes of other stores", async () => {
    const { store, open } = setUp();
    await store.change(creation("tables", "one", "a"));
    const before = await store.index();
    expect(await store.index()).toEqual(before);
    await open().change(adjustment("tables", { state: "archived" }));
    expect((await store.index()).skills.tables?.state).toBe("archived");
  });

  it("is brought up to date when a skill ahead of its line is opened", async () => {
    const { bucket, profile, store, open } = setUp();
    await store.change(creation("tables", "one", "a"));
    const behind = await bucket.get(keyOf("index", { profile }));
    await store.change(extension("tables", "two", "b", 1));
    await plant(bucket, keyOf("index", { profile }), await behind!.text());
    expect((await open().index()).skills.tables?.rev).toBe(1);
    await open().open("tables");
    await expectSound(bucket, profile, open());
  });

  it("gets no line when an uncommitted create is opened", async () => {
    const { bucket, profile, store, open } = setUp();
    await store.change(creation("tables", "one", "a"));
    await bucket.delete(keyOf("index", { profile }));
    expect((await open().open("tables"))?.head.rev).toBe(1);
    expect(await open().index()).toEqual(EMPTY_INDEX);
    // A second delivery of the same operation commits it.
    expect(await open().change(creation("tables", "one", "a"))).toMatchObject({ value: { replayed: true } });
    await expectSound(bucket, profile, open());
  });

  it("is rebuilt from the heads: lines without a head are dropped, outdated lines are updated", async () => {
    const { bucket, profile, store, open } = setUp();
    for (const name of ["a", "b", "c"]) await store.change(creation(name, name, name));
    const behind = await bucket.get(keyOf("index", { profile }));
    await store.change(extension("b", "more", "more", 1));
    await plant(bucket, keyOf("index", { profile }), await behind!.text());
    await bucket.delete(keyOf("head", { profile, name: "c" }));
    const rebuilt = await open().rebuildIndex(() => "held before, so not to be checked");
    expect(Object.entries(rebuilt.skills).map(([name, line]) => [name, line.seq, line.state])).toEqual([
      ["a", 1, "trial"],
      ["b", 2, "trial"],
    ]);
    expect(await open().index()).toEqual(rebuilt);
    expect(await open().rebuildIndex(() => "nothing to do")).toEqual(rebuilt);
    await expectSound(bucket, profile, open());
  });

  it("adds unknown heads oldest first, and has those that fail the check archived", async () => {
    const { bucket, profile, store, open, clock } = setUp();
    for (const name of ["c", "a", "b"]) {
      await store.change(creation(name, name, name, { description: name === "b" ? "Other." : "Reads tables." }));
      clock.advance(1_000);
    }
    await bucket.delete(keyOf("index", { profile }));
    const asked: string[] = [];
    const rebuilt = await open().rebuildIndex(({ name, description }, index) => {
      asked.push(name);
      const neighbour = findNeighbour(name, description, index);
      return neighbour ? `It is too near to ${neighbour}.` : null;
    });
    // A lost response makes the rebuild check once more.
    expect([...new Set(asked)]).toEqual(["c", "a", "b"]);
    expect(Object.entries(rebuilt.skills).map(([name, line]) => [name, line.state])).toEqual([
      ["a", "archived"],
      ["b", "trial"],
      ["c", "trial"],
    ]);
    expect((await open().head("a"))?.reason).toBe("It is too near to c.");
    await expectSound(bucket, profile, open());
  });

  it("is scanned from metadata under a kilobyte that matches the heads", async () => {
    const { store, clock } = setUp();
    await store.change(creation("tables", "one", "a"));
    clock.advance(60_000);
    await store.change(adjustment("tables", { pinned: true }));
    const head = (await store.head("tables"))!;
    const scanned = await collect(store.scan());
    expect(scanned).toEqual([
      {
        name: "tables",
        mirror: {
          seq: "2",
          rev: "1",
          text: head.text,
          state: "trial",
          pinned: "1",
          origin: "review",
          createdAt: String(head.createdAt),
          revisedAt: String(head.createdAt),
          updatedAt: String(head.updatedAt),
          refs: sha256Hex("one").slice(0, 8),
        },
      },
    ]);
    expect(JSON.stringify(scanned[0]!.mirror).length).toBeLessThan(1_024);
  });
}

function never(): never {
  throw new Error("The create failed.");
}
