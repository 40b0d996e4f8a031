// How many requests an invocation makes that sweeps, erases or books the data of a large profile. Work beyond the limit of one
// invocation continues in another. The table in docs/LIMITS.md lists these figures.
import { describe, expect, it, vi } from "vitest";
import { sweepInactiveProfile } from "../../core/learning/curation/retention.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { CurationMessage } from "../../core/schemas/learning/curation.ts";
import { hashFiles, textOfFiles } from "../../core/schemas/learning/digest.ts";
import { dayOf, toCurationId, toReviewId } from "../../core/schemas/ids.ts";
import { memoryId } from "../../core/schemas/memory.ts";
import { SkillHead, toHeadMirror, toRefs, toRevision } from "../../core/schemas/skill.ts";
import { collectSpent } from "../../durable-objects/account-curation.ts";
import {
  type AccountEnv,
  ERASURE_SCHEMA,
  type ErasureRow,
  createErasures,
  eraseDue,
  erasePass,
} from "../../durable-objects/account-erasure.ts";
import { withRoom } from "../../wiring/erasure-stores.ts";
import { LEDGER_SCHEMA, createAccountLedger } from "../../durable-objects/account-ledger.ts";
import { eraseCopies } from "../../stores/copies.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { keyOf } from "../../stores/keys.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { createHubQuarantine } from "../../stores/hub/quarantine-store.ts";
import { createPendingStore } from "../../stores/pending-store.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { sendDueShards } from "../../workers/curator/deliver.ts";
import { createTestClock } from "../support/clock.ts";
import { type Counter, countBucket, countKv, createCounter } from "../support/bindings/counted.ts";
import { LARGE_FACTS, fillLibrary, largeSkillName } from "../support/skills/large-profile.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createMemoryKv } from "../support/bindings/memory-kv.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { SESSION, curationPlan, reviewJob } from "../support/skills/reviews.ts";

/** [cf] Requests of an invocation on a paid plan. */
const PLATFORM = 10_000;
const DAY_MS = 24 * 60 * 60_000;

vi.setConfig({ testTimeout: 60_000 });

function createScene() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  /** The bucket of one invocation, with its counter. */
  const open = () => {
    const counter = createCounter();
    return { counter, bucket: countBucket(bucket, counter) };
  };
  return { clock, bucket, profile, open };
}

it("five thousand removed facts are swept in sweeps of a thousand keys each", async () => {
  const { clock, profile } = createScene();
  const kv = createMemoryKv({ clock });
  for (let n = 0; n < LARGE_FACTS; n++) {
    const slots = { profile, store: "memory" as const, hash: memoryId(`Fact ${n}`), op: "op" };
    const add = { v: 1, text: `Fact ${n}`, at: 0, origin: "user" };
    await kv.put(keyOf("memoryAdd", slots), JSON.stringify(add), { metadata: add });
    // The removal record is too long for metadata, so it must be read.
    const removed = JSON.stringify({ v: 1, at: 0, by: "x".repeat(1_000) });
    await kv.put(keyOf("memoryRemove", slots), removed);
  }
  async function sweepAll(): Promise<number[]> {
    const calls: number[] = [];
    for (let left: string | null = "now"; left === "now"; clock.advance(2 * 60_000)) {
      const counter: Counter = createCounter();
      const isDeleted = async () => (counter.calls++, false);
      const store = createMemoryStore({ kv: countKv(kv, counter), profile, clock, overlayMs: 0, isDeleted });
      left = (await store.sweep(1)).left;
      calls.push(counter.calls);
    }
    return calls;
  }
  const first = await sweepAll();
  expect([first.length, Math.max(...first) < 3_200]).toEqual([5, true]);
  expect((await kv.list({ prefix: "" })).keys.every(({ name }) => name.includes("/-"))).toBe(true);
  clock.advance(2 * DAY_MS);
  const second = await sweepAll();
  expect([second.length, Math.max(...second) < 1_200]).toEqual([5, true]);
  expect((await kv.list({ prefix: "" })).keys).toEqual([]);
});

describe("the leftovers of a quiet profile", () => {
  it("are swept with one call per thousand objects, however many reviews and runs they belong to", async () => {
    const { clock, bucket, profile, open } = createScene();
    for (let n = 0; n < 2_000; n++) {
      const review = toReviewId(SESSION, n, n + 1);
      for (const kind of ["reviewJob", "reviewResult"] as const)
        await bucket.put(keyOf(kind, { profile, review }), "x");
      const change = { customMetadata: { state: "rejected", settledAt: "1" } };
      await bucket.put(keyOf("pending", { profile, id: String(n).padStart(20, "0") }), "x", change);
      const run = toCurationId(clock.now() - n * 1_000, () => 0);
      await bucket.put(keyOf("curationPlan", { profile, run }), "x");
      await bucket.put(keyOf("curationRun", { profile, run }), "x");
    }
    clock.advance(40 * DAY_MS);
    const { counter, bucket: counted } = open();
    const next = await sweepInactiveProfile({
      ...{ profile, now: clock.now(), settings: DEFAULTS },
      curation: createCurationStore({ bucket: counted }),
      reviews: createReviewStore({ bucket: counted, profile }),
      pending: createPendingStore({ bucket: counted, profile, clock, random: () => 0.5 }),
      quarantine: createHubQuarantine({ bucket: counted, profile, clock }),
      queue: { send: async () => {} },
    });
    expect([next, bucket.keys()]).toEqual([null, []]);
    expect(counter.calls).toBeLessThan(60);
  });
});

describe("the curator's hourly trigger", () => {
  it("sends no more messages than an invocation may, oldest days first", async () => {
    const { clock, bucket, open } = createScene();
    for (let day = 1; day <= 12; day++) {
      for (let shard = 0; shard < 256; shard++) {
        for (const kind of ["due", "sweep"] as const) {
          const slots = { day: dayOf(clock.now() - day * DAY_MS), shard: shard.toString(16).padStart(2, "0") };
          await bucket.put(keyOf(kind, { ...slots, profile: newProfileId() }), "");
        }
      }
    }
    const { counter, bucket: counted } = open();
    const sent: CurationMessage[] = [];
    const queue = { send: async (message: CurationMessage) => void sent.push(message) };
    const curation = createCurationStore({ bucket: counted });
    await sendDueShards({ curation, queue, clock, random: () => 0.5, log: () => {}, run: async () => "done" });
    expect(sent).toHaveLength(4_000);
    expect(sent[0]).toMatchObject({ day: dayOf(clock.now() - 12 * DAY_MS) });
    expect(counter.calls + sent.length).toBeLessThan(PLATFORM);
  });
});

describe("the spending of curations", () => {
  function openLedger() {
    const sql = createNodeSql();
    for (const statement of LEDGER_SCHEMA) sql.run(statement);
    return { sql, ledger: createAccountLedger(sql) };
  }
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const lines = [{ kind: "curation", model: "m:a", source: "none", calls: 1, usage, usdMicros: 5 }];

  it("is booked with a few calls per run and two per piece of work", async () => {
    const { clock, bucket, profile, open } = createScene();
    const run = toCurationId(clock.now(), () => 0.5);
    const names = Array.from({ length: 200 }, (_, n) => largeSkillName(n));
    const work = names.map((skill) => ({
      ...{ work: `look.${skill}`, skill, because: "stale", grant: { tokens: 1, expiresAt: 2 } },
    }));
    await bucket.put(keyOf("curationPlan", { profile, run }), JSON.stringify(curationPlan(profile, run, { work })));
    for (const { work: id } of work) {
      const spent = { v: 1, run, work: id, at: clock.now(), lines, grant: "curation:x" };
      await bucket.put(keyOf("curationSpent", { profile, run, work: id }), JSON.stringify(spent));
      await bucket.put(keyOf("curationWork", { profile, run, work: id }), "{}");
    }
    const { counter, bucket: counted } = open();
    await collectSpent({ bucket: counted, profile, ...openLedger() }, clock.now());
    expect(counter.calls).toBeLessThan(work.length + 20);
    expect(bucket.keys().filter((key) => key.includes("/spent/"))).toEqual([]);
  });

  it("of very many runs is booked in several invocations, each piece once", async () => {
    const { clock, bucket, profile, open } = createScene();
    for (let n = 0; n < 2_500; n++) {
      const run = toCurationId(clock.now() - n * 1_000, () => 0.5);
      const spent = { v: 1, run, work: "consolidate", at: clock.now(), lines };
      await bucket.put(keyOf("curationSpent", { profile, run, work: "consolidate" }), JSON.stringify(spent));
    }
    const { sql, ledger } = openLedger();
    for (let round = 0; round < 3; round++) {
      const { counter, bucket: counted } = open();
      await collectSpent({ bucket: counted, profile, ledger }, clock.now());
      expect(counter.calls).toBeLessThan(3_100);
    }
    expect(bucket.keys()).toEqual([]);
    expect(sql.run("SELECT sum(calls) AS calls FROM usage_line")).toEqual([{ calls: 2_500 }]);
  });
});

describe("a purged text in three thousand reviews", () => {
  it("is removed from the newest 2,500 in one invocation, which deletes what it does not rewrite", async () => {
    const { clock, bucket, profile, open } = createScene();
    for (let n = 0; n < 3_000; n++) {
      const review = toReviewId(SESSION, n, n + 1);
      await bucket.put(keyOf("reviewJob", { profile, review }), JSON.stringify(reviewJob(profile, review)));
      if (n === 500) clock.advance(1_000);
    }
    const { counter, bucket: counted } = open();
    const holds = (text: string) => text.includes("Hello");
    const without = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll("Hello", "[purged]")) as unknown;
    const end = await eraseCopies({ bucket: counted, profile, now: clock.now(), holds, without });
    expect(end).toEqual({ erased: 2_500, unread: 500 });
    // The API's bucket reads two tombstones before each put.
    expect(counter.calls + 2 * counter.byKind["r2 put"]!).toBeLessThan(4_500);
    const bodies = await Promise.all(bucket.keys().map(async (key) => (await bucket.get(key))!.text()));
    expect(bodies.filter(holds)).toHaveLength(500);
  });
});

describe("an erasure", () => {
  const env = () => {
    const counter = createCounter();
    const object = {
      erase: async () => {},
      forgetSession: async () => {},
      forgetSkill: async () => {},
      forgetWords: async () => {},
      eraseSession: async () => 1,
      eraseSkill: async () => {},
      beginPurge: async () => {},
      purgedPieces: async () => [],
      eraseTexts: async () => null,
    };
    const namespace = { getByName: () => (counter.calls++, object) };
    const objects = {
      SESSION: namespace,
      ARCHIVE: namespace,
      WEBHOOKS: namespace,
      CHANNELS: namespace,
      AGENDA: namespace,
      EXPERIMENTS: namespace,
    };
    return { counter, env: objects as unknown as AccountEnv };
  };
  const eraseExternal = async () => {};
  const row = (kind: ErasureRow["kind"], id: string): ErasureRow => ({ kind, id, at: 0, pass: 0, due: 0 });

  async function erase(scene: ReturnType<typeof createScene>, what: ErasureRow): Promise<number> {
    const { counter, bucket } = scene.open();
    const objects = env();
    const stores = withRoom({ bucket, kv: createMemoryKv(scene), clock: scene.clock, swapMs: 60_000, eraseExternal });
    await erasePass(objects.env, stores, scene.profile, what, false);
    return counter.calls + objects.counter.calls;
  }

  async function fillPending({ bucket, profile }: ReturnType<typeof createScene>, count: number) {
    for (let n = 0; n < count; n++) {
      const id = String(n).padStart(20, "0");
      const change = {
        ...{
          v: 1,
          id,
          tool: "skill_manage",
          args: { name: "other" },
          prepared: {},
          op: `op ${n}`,
          origin: "foreground",
        },
        ...{ session: SESSION, reason: "approval", why: "w", summary: "s", diff: "", seen: null, state: "rejected" },
        ...{ askedAt: 1, decidedAt: 2, outcome: null },
      };
      await bucket.put(keyOf("pending", { profile, id }), JSON.stringify(change));
    }
  }

  it("of a skill with a thousand revisions among ten thousand skills fits one invocation", async () => {
    const scene = createScene();
    const { bucket, profile } = scene;
    const heads = await fillLibrary(bucket, profile);
    const name = largeSkillName(7);
    let head = heads[7]!;
    for (let rev = 1; rev <= 1_000; rev++) {
      const past = toRevision(head);
      const metadata = { customMetadata: { op: "op", ...toRefs(past.files) } };
      await bucket.put(keyOf("revision", { profile, name, rev }), JSON.stringify(past), metadata);
      const files = hashFiles({
        "SKILL.md": `---\nname: ${name}\ndescription: d\n---\nThe line of revision ${rev}.\n`,
      });
      head = SkillHead.parse({ ...head, rev: rev + 1, seq: rev + 1, files, text: textOfFiles(files) });
      const text = `---\nname: ${name}\ndescription: d\n---\nThe line of revision ${rev}.\n`;
      await bucket.put(keyOf("blob", { profile, sha256: files["SKILL.md"]!.sha256 }), text);
    }
    await bucket.put(keyOf("head", { profile, name }), JSON.stringify(head), { customMetadata: toHeadMirror(head) });
    const reviews = createReviewStore({ bucket, profile });
    for (let n = 0; n < 300; n++) {
      const review = toReviewId(SESSION, n, n + 1);
      await reviews.createStep(review, 0, {
        v: 1,
        kind: "intent",
        at: 0,
        call: "c",
        prepared: { text: `The line of revision ${n + 1}.` },
      });
    }
    await fillPending(scene, 3_000);
    const before = bucket.keys().filter((key) => key.includes("/blobs/")).length;
    expect(await erase(scene, row("skill", name))).toBeLessThan(PLATFORM);
    const left = bucket.keys().filter((key) => key.includes(`/${name}`));
    expect(left).toEqual([keyOf("deletedSkill", { profile, name })]);
    expect(before - bucket.keys().filter((key) => key.includes("/blobs/")).length).toBe(1_001);
  });

  it("of a skill leaves the experiments alone from the second pass on: a person may have made the name again", async () => {
    const scene = createScene();
    const forgotten: string[] = [];
    const { bucket } = scene.open();
    const objects = env();
    const experiments = { forgetSkill: async (name: string) => void forgotten.push(name), forgetWords: async () => {} };
    const withExperiments = { ...objects.env, EXPERIMENTS: { getByName: () => experiments } } as unknown as AccountEnv;
    const stores = withRoom({ bucket, kv: createMemoryKv(scene), clock: scene.clock, swapMs: 60_000, eraseExternal });
    for (const pass of [0, 1, 2]) {
      await erasePass(withExperiments, stores, scene.profile, { ...row("skill", "tides"), pass }, false);
    }
    expect(forgotten).toEqual(["tides"]);
  });

  it("of many sessions continues in another alarm after a thousand calls", async () => {
    const scene = createScene();
    const sql = createNodeSql();
    for (const statement of ERASURE_SCHEMA) sql.run(statement);
    const erasures = createErasures(sql);
    const sessions = Array.from({ length: 150 }, (_, n) => `01J${String(n).padStart(23, "0")}`);
    for (const session of sessions) erasures.begin("session", session, scene.clock.now());
    await fillPending(scene, 50);
    const left = () => sql.run("SELECT 1 FROM erasure WHERE pass = 0").length;
    const alarms: number[] = [];
    while (left() > 0) {
      const objects = env();
      const { counter, bucket } = scene.open();
      const stores = withRoom({ bucket, kv: createMemoryKv(scene), clock: scene.clock, swapMs: 60_000, eraseExternal });
      await eraseDue({ env: objects.env, stores, profile: scene.profile, erasures, isGone: false });
      alarms.push(counter.calls + objects.counter.calls);
    }
    expect(alarms.length).toBeGreaterThan(5);
    expect(Math.max(...alarms)).toBeLessThan(1_200);
  });

  it("of many sessions waits once for all their writers", async () => {
    const scene = createScene();
    const sql = createNodeSql();
    for (const statement of ERASURE_SCHEMA) sql.run(statement);
    const erasures = createErasures(sql);
    for (let n = 0; n < 12; n++) erasures.begin("session", `01J${String(n).padStart(23, "0")}`, scene.clock.now());
    let waits = 0;
    const clock = { now: () => scene.clock.now(), sleep: async () => void waits++ };
    const { bucket } = scene.open();
    const stores = withRoom({ bucket, kv: createMemoryKv(scene), clock, swapMs: 60_000, eraseExternal });
    const run = () => eraseDue({ env: env().env, stores, profile: scene.profile, erasures, isGone: false });
    await run();
    expect([waits, sql.run("SELECT 1 FROM erasure WHERE pass = 0").length]).toEqual([1, 0]);
    sql.run("UPDATE erasure SET due = 0");
    await run();
    expect(waits).toBe(1);
  });

  it("of a session reads only the newest pending changes, and lists the rest", async () => {
    const scene = createScene();
    const { bucket, profile } = scene;
    await fillPending(scene, 3_000);
    for (let n = 0; n < 3_000; n++) await bucket.put(`p/${profile}/evidence/a/b/${SESSION}-${n}.exit`, "x");
    expect(await erase(scene, row("session", SESSION))).toBeLessThan(2_600);
  });
});
