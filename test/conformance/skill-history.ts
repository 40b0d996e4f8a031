// The conformance kit of a SkillStore's history: what it must keep, and what a purge must delete. It runs over the bucket
// double and over R2 itself.
import { describe, expect, it } from "vitest";
import { ok } from "../../core/errors.ts";
import type { Bucket, Clock, ListedRevision, SkillChange } from "../../core/ports.ts";
import { hashFiles, sha256Hex } from "../../core/schemas/learning/digest.ts";
import { type FileBodies, toBytes } from "../../core/schemas/file-body.ts";
import { PastRevision } from "../../core/schemas/skill.ts";
import { keyOf } from "../../stores/keys.ts";
import { createTestClock } from "../support/clock.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { adjustment, creation, expectSound, extension, listKeys, restoration } from "../support/skills/skills.ts";
import { openSkillStore } from "./skill-store.ts";

export function describeSkillHistory(name: string, make: (clock: Clock) => Bucket): void {
  const setUp = () => {
    const clock = createTestClock();
    const bucket = make(clock);
    const profile = newProfileId();
    const open = () => openSkillStore(bucket, profile, clock);
    const blobs = async () =>
      (await listKeys(bucket, `p/${profile}/blobs/`)).map((key) => key.slice(key.lastIndexOf("/") + 1));
    return { clock, bucket, profile, open, store: open(), blobs };
  };
  describe(`${name}: the history of a skill`, () => describeHistory(setUp));
  describe(`${name}: a purge`, () => describePurge(setUp));
}

type SetUp = () => {
  bucket: Bucket;
  profile: string;
  open(): ReturnType<typeof openSkillStore>;
  store: ReturnType<typeof openSkillStore>;
  blobs(): Promise<string[]>;
};

/** Contents as editors, archives and other systems write them. */
const ODD_FILES: FileBodies = {
  "SKILL.md": "\ufeff# With a mark\r\nand both\nline ends\r\n",
  "assets/none": "",
  "assets/every-byte.bin": Uint8Array.from({ length: 256 }, (_, n) => n),
  "assets/half-utf8.bin": Uint8Array.of(0x61, 0xc3),
  "assets/latin1.txt": Uint8Array.of(0xe9, 0x74, 0xe9),
  "assets/nul.bin": Uint8Array.of(0, 0, 0x80),
  "references/cr.md": "old\rmac\rline\rends",
  "references/marks.md": "\ufeff\ufeffone\ufeff",
  "references/wide.md": "\u{1f6e0}\u2028\u0000 ü",
};

function describeHistory(setUp: SetUp): void {
  it("returns every file byte for byte: binary data, byte order marks, any line endings", async () => {
    const { open } = setUp();
    const made = await open().change(writing("odd", ODD_FILES, "a"));
    expect(made).toMatchObject({ value: { head: { files: hashFiles(ODD_FILES) } } });
    const files = (await open().open("odd"))!.files;
    expect(files).toEqual(ODD_FILES);
    for (const [path, body] of Object.entries(ODD_FILES)) {
      expect(await open().blob(sha256Hex(toBytes(body)))).toEqual(files[path]);
    }
  });

  it("lists past revisions of all skills with when and by which operation they were made", async () => {
    const { bucket, profile, open } = setUp();
    await open().change(writing("odd", { "SKILL.md": "one" }, "a/1"));
    await open().change(writing("odd", { "SKILL.md": "two" }, "b"));
    await open().change(writing("odd", { "SKILL.md": "one" }, "c"));
    await open().change(writing("other", { "SKILL.md": "one" }, "d"));
    const list = async () => {
      const all: ListedRevision[] = [];
      for await (const one of open().pastRevisions()) all.push(one);
      return all;
    };
    const [first, second] = (await open().revisions("odd")).slice(1).toReversed();
    const listed = await list();
    expect(listed.map(({ replacedAt: _replacedAt, refs: _refs, ...one }) => one)).toEqual([
      { name: "odd", rev: 1, at: first!.revisedAt, op: "a/1" },
      { name: "odd", rev: 2, at: second!.revisedAt, op: "b" },
    ]);
    expect(listed[0]!.refs).not.toBe(listed[1]!.refs);
    // As earlier versions wrote it.
    const key = keyOf("revision", { profile, name: "odd", rev: 2 });
    const stored = (await bucket.get(key))!;
    await bucket.put(key, await stored.text(), { ifMatch: stored.etag, customMetadata: { op: "b" } });
    expect((await list())[1]).toMatchObject({ rev: 2, at: null, op: "b" });
    await open().purge("odd", 1);
    expect((await list())[0]).toMatchObject({ rev: 1, op: "a/1", refs: "" });
  });

  it("restores such files byte for byte", async () => {
    const { bucket, profile, open } = setUp();
    await open().change(writing("odd", ODD_FILES, "a"));
    await open().change(writing("odd", { "SKILL.md": "other", "assets/none": Uint8Array.of(0xff) }, "b"));
    await open().change(restoration(open(), "odd", 1, "c"));
    expect((await open().open("odd"))!.files).toEqual(ODD_FILES);
    await expectSound(bucket, profile, open());
  });

  it("reads one revision, past or current, and none that was never committed", async () => {
    const { bucket, profile, store } = setUp();
    await store.change(creation("tables", "one", "a"));
    await store.change(extension("tables", "two", "b", 1));
    const all = await store.revisions("tables");
    expect([await store.revision("tables", 2), await store.revision("tables", 1)]).toEqual(all);
    // The object of a writer that died before its swap is not a past revision.
    const ahead = keyOf("revision", { profile, name: "tables", rev: 3 });
    await bucket.put(ahead, JSON.stringify(all[0])).catch(() => null);
    expect([await store.revision("tables", 3), await store.revision("none", 1)]).toEqual([null, null]);
  });
}

function describePurge(setUp: SetUp): void {
  it("replaces a revision with a tombstone, and deletes contents that only it named", async () => {
    const { bucket, profile, open, blobs } = setUp();
    await open().change(writing("tables", { "SKILL.md": "one", "references/x.md": "kept" }, "a"));
    await open().change(writing("tables", { "SKILL.md": "two", "references/x.md": "kept" }, "b"));
    const before = await open().revisions("tables");
    const purged = await open().purge("tables", 1);
    const { v, name, rev, text } = before[1]!;
    const tombstone = { v, name, rev, text, purgedAt: expect.any(Number) };
    expect(purged).toEqual(
      ok({
        tombstone,
        deleted: [sha256Hex("one")],
        kept: [{ sha256: sha256Hex("kept"), name: "tables", rev: 2 }],
      }),
    );
    expect(await open().revisions("tables")).toEqual([before[0], tombstone]);
    expect(await open().revision("tables", 1)).toEqual(tombstone);
    const stored = await bucket.get(keyOf("revision", { profile, name: "tables", rev: 1 }));
    expect(PastRevision.parse(JSON.parse(await stored!.text()))).toEqual(tombstone);
    expect(await blobs()).toEqual([sha256Hex("kept"), sha256Hex("two")].toSorted());
    await expectSound(bucket, profile, open());
  });

  it("keeps contents that another revision, another skill or the current text names", async () => {
    const { bucket, profile, open, blobs } = setUp();
    const files = { "SKILL.md": "own past", "assets/b": "other's past", "assets/c": "other's", "assets/d": "own" };
    await open().change(writing("a", { "SKILL.md": "own past" }, "a1"));
    await open().change(writing("a", files, "a2"));
    await open().change(writing("a", { "SKILL.md": "own" }, "a3"));
    await open().change(writing("b", { "SKILL.md": "other's past" }, "b1"));
    await open().change(writing("b", { "SKILL.md": "other's" }, "b2"));
    await open().change(adjustment("b", { state: "archived" }));
    const all = await blobs();
    const purged = await open().purge("a", 2);
    expect(purged).toMatchObject({ ok: true, value: { deleted: [] } });
    const kept = purged.ok ? purged.value.kept : [];
    expect(kept.map(({ sha256, ...place }) => [sha256, place]).toSorted()).toEqual(
      [
        [sha256Hex("own past"), { name: "a", rev: 1 }],
        [sha256Hex("other's past"), { name: "b", rev: 1 }],
        [sha256Hex("other's"), { name: "b", rev: 2 }],
        [sha256Hex("own"), { name: "a", rev: 3 }],
      ].toSorted(),
    );
    expect(await blobs()).toEqual(all);
    await expectSound(bucket, profile, open());
  });

  it("deletes contents that two revisions named when the second is purged", async () => {
    const { bucket, profile, open, blobs } = setUp();
    for (const [n, text] of ["one", "two", "one", "three"].entries()) {
      await open().change(writing("tables", { "SKILL.md": text }, `op-${n}`));
    }
    expect(await open().purge("tables", 1)).toMatchObject({ value: { deleted: [] } });
    expect(await open().purge("tables", 3)).toMatchObject({ value: { deleted: [sha256Hex("one")] } });
    expect(await blobs()).toEqual([sha256Hex("two"), sha256Hex("three")].toSorted());
    await expectSound(bucket, profile, open());
  });

  it("that is repeated reports what the first one left, and deletes nothing", async () => {
    const { open } = setUp();
    await open().change(creation("tables", "one", "a"));
    await open().change(extension("tables", "two", "b", 1));
    const first = await open().purge("tables", 1);
    expect(await open().purge("tables", 1)).toEqual(
      ok({ tombstone: first.ok && first.value.tombstone, deleted: [], kept: [] }),
    );
  });

  it("is refused for the current revision and for missing ones", async () => {
    const { open, blobs } = setUp();
    await open().change(creation("tables", "one", "a"));
    const codes = [];
    for (const [name, rev] of [
      ["tables", 1],
      ["tables", 2],
      ["none", 1],
    ] as const) {
      const refused = await open().purge(name, rev);
      codes.push(!refused.ok && refused.failure.code);
    }
    expect(codes).toEqual(["revision_current", "revision_not_found", "skill_not_found"]);
    expect(await blobs()).toEqual([sha256Hex("one")]);
  });

  it("does not let the operation of a purged revision run a second time", async () => {
    const { bucket, profile, open } = setUp();
    await open().change(creation("tables", "one", "a"));
    await open().change(extension("tables", "two", "b", 1));
    await open().change(extension("tables", "three", "c", 2));
    await open().purge("tables", 2);
    expect(await open().change(extension("tables", "two", "b", 1))).toMatchObject({
      value: { replayed: true, head: { rev: 3 } },
    });
    await expectSound(bucket, profile, open());
  });

  it("allows the same contents to be written again", async () => {
    const { bucket, profile, open } = setUp();
    const store = open();
    await store.change(creation("tables", "one", "a"));
    await store.change(writing("tables", { "SKILL.md": "two" }, "b"));
    await store.purge("tables", 1);
    expect(await store.blob(sha256Hex("one"))).toBe(null);
    await store.change(writing("tables", { "SKILL.md": "one" }, "c"));
    expect((await open().open("tables"))!.files).toEqual({ "SKILL.md": "one" });
    await expectSound(bucket, profile, open());
  });
}

/** Replaces all files, or creates the skill. */
export function writing(name: string, files: FileBodies, op: string): SkillChange {
  return {
    name,
    op,
    since: 0,
    decide: (current) =>
      ok(current ? { files } : { files, description: "What it is for.", state: "trial", origin: "review" }),
  };
}
