// How many requests a turn, a review and the Archive make for a profile with ten thousand skills and five thousand long facts,
// and how large their stored rows become. The table in docs/LIMITS.md lists these figures.
import { describe, expect, it } from "vitest";
import { createSkillArchive } from "../../core/archive/skill-archive.ts";
import { runReview } from "../../core/learning/review/review.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { createLibrary } from "../../core/skills/library.ts";
import { createWordsCache } from "../../core/skills/search/skill-words.ts";
import { guardWrites, isGone } from "../../stores/deleted.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { createPendingStore } from "../../stores/pending-store.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { deliverReview } from "../../workers/review/deliver.ts";
import { PROFILE, sampleJob } from "../learning/sample.ts";
import { LINES } from "../review/script.ts";
import { byStep } from "../review/world.ts";
import { createTestClock } from "../support/clock.ts";
import { type Counter, countBucket, countKv, createCounter } from "../support/bindings/counted.ts";
import { LARGE_SKILLS, fillLibrary, fillMemory, largeSkillName } from "../support/skills/large-profile.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createMemoryKv } from "../support/bindings/memory-kv.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { type ScriptLine, createScriptedModel } from "../support/wires/scripted-model.ts";
import { createSessionHarness } from "../support/session/session-harness.ts";

/** [cf] Requests of an invocation on the free plan. */
const FREE_PLAN = 50;
/** [cf] The size limit of a row in an object's database. */
const ROW_BYTES = 2_000_000;
const SLOW_MS = 60_000;
const HALF_OF_FACTS = 2_500;

async function fillFacts(kv: ReturnType<typeof createMemoryKv>) {
  for (const store of ["memory", "user"] as const) await fillMemory(kv, PROFILE, store, HALF_OF_FACTS);
}

/** A function that returns the calls counted createCallMeter it was last called. */
function createCallMeter(counter: Counter): () => number {
  let before = 0;
  return () => {
    const calls = counter.calls - before;
    before = counter.calls;
    return calls;
  };
}

it(
  "a session starts and continues with a few dozen requests, and no row exceeds its size limit",
  async () => {
    const skill = largeSkillName(17);
    const script: ScriptLine[] = [
      { text: "Hello." },
      { text: "Hello again." },
      ...[{ calls: [{ name: "skill_view", args: { name: skill } }] }, { text: "Read." }],
      {
        calls: [
          {
            name: "memory",
            args: { store: "memory", operations: [{ action: "add", content: "Rates are in percent." }] },
          },
        ],
      },
      { calls: [{ name: "skills_list", args: { query: "walrus" } }] },
      { text: "Kept." },
    ];
    const counter = createCounter();
    const harness = createSessionHarness({ model: createScriptedModel(script), counter });
    await fillLibrary(harness.bucket, PROFILE);
    await fillFacts(harness.kv);
    const life = harness.boot();
    const { engine } = life;
    await engine.create({ learning: "on", title: "" });
    const counted = createCallMeter(counter);
    const figures: number[] = [];
    for (const text of ["Hi.", "Hi.", "Read it.", "Keep it."]) {
      expect(await engine.post({ text })).toMatchObject({ ok: true });
      await life.settled();
      figures.push(counted());
    }
    const [first, second, third, fourth] = figures as [number, number, number, number];
    // The first turn reads the index and both memory stores, which is more than the free plan allows.
    expect(first).toBeGreaterThan(FREE_PLAN);
    expect(first).toBeLessThan(70);
    expect(second).toBeLessThan(10);
    expect(third).toBeLessThan(15);
    expect(fourth).toBeLessThan(45);
    // The alarm's remaining work does not depend on the size of the library.
    await life.wake();
    expect(counted()).toBeLessThan(30);
    for (const table of ["meta", "entry", "turn", "job"]) {
      const columns = harness.sql.run<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`);
      const size = columns.map(({ name }) => `coalesce(length(CAST("${name}" AS BLOB)), 0)`).join(" + ");
      const [largest] = harness.sql.run<{ bytes: number | null }>(`SELECT max(${size}) AS bytes FROM ${table}`);
      expect(largest!.bytes ?? 0).toBeLessThan(ROW_BYTES / 2);
    }
  },
  SLOW_MS,
);

/** Delivers a review that makes a skill, patches it and keeps a fact. Returns the number of its requests. */
async function deliver({ isLarge }: { isLarge: boolean }): Promise<number> {
  const clock = createTestClock();
  const [bare, kv] = [createMemoryBucket({ clock }), createMemoryKv({ clock })];
  if (isLarge) await fillLibrary(bare, PROFILE);
  if (isLarge) await fillFacts(kv);
  const job = sampleJob();
  await createReviewStore({ bucket: bare, profile: PROFILE }).putJob(job);

  const counter = createCounter();
  const [bucket, counted] = [guardWrites(countBucket(bare, counter)), countKv(kv, counter)];
  const [profile, random, settings] = [PROFILE, () => 0.5, DEFAULTS];
  const open = () => ({
    reviews: createReviewStore({ bucket, profile }),
    memory: createMemoryStore({
      ...{ kv: counted, profile, clock, overlayMs: 60_000, isDeleted: () => isGone(bucket, profile) },
    }),
    pending: createPendingStore({ bucket, profile, clock, random }),
    skills: createSkillStore({ bucket, profile, clock, random, swapMs: 10_000 }),
  });
  const model = createScriptedModel(byStep(LINES));
  const log: object[] = [];
  const verdict = await deliverReview(
    { v: 1, profile, review: job.review },
    {
      ...{ clock, settings, log: (line: object) => void log.push(line) },
      ...{ reviews: () => open().reviews, memory: () => open().memory, pending: () => open().pending },
      run: (ofJob) =>
        runReview({
          ...{ ...open(), job: ofJob, seeds: {}, models: [model], clock, random, settings },
          signal: new AbortController().signal,
        }),
    },
  );
  expect(verdict).toEqual({ act: "ack" });
  expect(log).toContainEqual(expect.objectContaining({ event: "review_finished", kept: "skill+memory" }));
  return counter.calls;
}

describe("a review", () => {
  it(
    "needs as many requests as in a new profile, plus those that list the facts",
    async () => {
      const [small, large] = [await deliver({ isLarge: false }), await deliver({ isLarge: true })];
      expect(large).toBeLessThan(250);
      expect(large - small).toBeLessThan(120);
      // This is more than the free plan allows, even in a new profile.
      expect(small).toBeGreaterThan(FREE_PLAN);
    },
    SLOW_MS,
  );
});

describe("the Archive", () => {
  it(
    "reads the index and a few skills for a search, and four hundred skills at an alarm",
    async () => {
      const clock = createTestClock();
      const bare = createMemoryBucket({ clock });
      await fillLibrary(bare, PROFILE);
      const counter = createCounter();
      const bucket = countBucket(bare, counter);
      const store = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 10_000 });
      const archive = createSkillArchive({
        sql: createNodeSql(),
        memory: createWordsCache(16 << 20),
        // The same source as in durable-objects/archive.ts.
        source: {
          lines: createLibrary({ store, seeds: {} }).lines,
          async read({ name }) {
            const head = await store.head(name);
            const body = head && (await store.blob(head.files["SKILL.md"]!.sha256));
            return head && typeof body === "string" ? { key: head.text, skillMd: body, requests: "" } : null;
          },
        },
      });
      const counted = createCallMeter(counter);
      expect(await archive.search("walrus", 16)).toMatchObject({ unread: LARGE_SKILLS - 16 });
      expect(counted()).toBe(1 + 2 * 16);
      expect(await archive.fill(400)).toEqual({ read: 400, unread: LARGE_SKILLS - 416 });
      expect(counted()).toBe(1 + 2 * 400);
    },
    SLOW_MS,
  );
});
