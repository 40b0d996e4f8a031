// How many requests an invocation makes for a profile with ten thousand skills and five thousand long facts. The platform
// allows ten thousand. The table in docs/LIMITS.md lists these figures.
import { beforeAll, describe, expect, it, vi } from "vitest";
import { ok } from "../../core/errors.ts";
import { runWork } from "../../core/learning/curation/work/run-work.ts";
import { toHeadCheck } from "../../core/learning/curation/head-check.ts";
import { runCuration } from "../../core/learning/curation/run-curation.ts";
import { clustersOf } from "../../core/learning/curation/work/clusters.ts";
import { toJudge } from "../../core/learning/evidence/verdict.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { dayOf, toCurationId } from "../../core/schemas/ids.ts";
import { type SkillHead, toHeadMirror } from "../../core/schemas/skill.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { keyOf } from "../../stores/keys.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { createTestClock } from "../support/clock.ts";
import { countBucket, countKv, createCounter } from "../support/bindings/counted.ts";
import { LARGE_FACTS, LARGE_SKILLS, fillLibrary, fillMemory, largeSkillName } from "../support/skills/large-profile.ts";
import { type MemoryBucket, createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createMemoryKv } from "../support/bindings/memory-kv.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";
import { IS_THOROUGH } from "../support/thorough.ts";

/** [cf] Requests of an invocation on a paid plan. */
const PLATFORM = 10_000;
/** A quarter of the calls for a quarter of the skills, except in a thorough run: what a run does after its last look at the room is the same. */
const SHARE = IS_THOROUGH ? 1 : 4;
/** In a thorough run the same value as in workers/curator/index.ts. */
const RUN_CALLS = 6_000 / SHARE;
/** Skills with uncounted evidence: their number needs a second invocation. */
const USED_SKILLS = 5_000 / SHARE;
const SLOW_MS = 120_000;
vi.setConfig({ testTimeout: SLOW_MS });
const MEGABYTE = 1 << 20;

const clock = createTestClock();
const profile = newProfileId();
let bucket: MemoryBucket;
let heads: SkillHead[];

/** The stores of one invocation, and a counter of its bucket calls. */
function invocation(of = bucket) {
  const counter = createCounter();
  const counted = countBucket(of, counter);
  const stores = {
    skills: createSkillStore({ bucket: counted, profile, clock, random: () => 0.5, swapMs: 60_000 }),
    evidence: createEvidenceStore({ bucket: counted, profile, judge: toJudge(DEFAULTS.learning) }),
    curation: createCurationStore({ bucket: counted }),
  };
  return { counter, ...stores };
}

/** Runs a curation to its end in successive invocations. Returns the calls of each. */
async function curate(): Promise<number[]> {
  const run = toCurationId(clock.now(), () => 0.5);
  const calls: number[] = [];
  for (let end = "more"; end === "more";) {
    const { counter, ...stores } = invocation();
    end = await runCuration({
      ...{ profile, run, dryRun: false, ...stores, clock, settings: DEFAULTS },
      checkHead: toHeadCheck({}, DEFAULTS.skills),
      hasRoom: () => counter.calls < RUN_CALLS,
    });
    expect(end).not.toBe("busy");
    calls.push(counter.calls);
  }
  return calls;
}

beforeAll(async () => {
  bucket = createMemoryBucket({ clock });
  heads = await fillLibrary(bucket, profile, { at: clock.now() });
}, SLOW_MS);

describe("a curation of ten thousand skills", () => {
  it(
    "folds all uncounted evidence in as many invocations as needed",
    async () => {
      const { evidence } = invocation();
      for (const [n, { name, text }] of heads.slice(0, USED_SKILLS).entries()) {
        const at = clock.now();
        await evidence.put({
          ...{
            v: 2,
            skill: name,
            text,
            turn: `01JZZZZZZZZZZZZZZZZZZZZZZZ-${n + 1}`,
            judge: "exit",
            outcome: "success",
          },
          ...{ day: dayOf(at), at, task: `task ${n}`, modelCalls: 2, toolCalls: 1, failedCalls: 0 },
        });
      }
      const calls = await curate();
      expect(calls.length).toBeGreaterThan(1);
      expect(Math.max(...calls)).toBeLessThan(RUN_CALLS + 500);
    },
    SLOW_MS,
  );

  it(
    "makes a few hundred calls when everything is counted, and folds only skills used since",
    async () => {
      clock.advance(24 * 60 * 60_000);
      const quiet = await curate();
      expect(quiet).toHaveLength(1);
      expect(quiet[0]).toBeLessThan(1_000);
      const { evidence } = invocation();
      for (let n = 0; n < 10; n++) {
        const { name, text } = heads[n]!;
        await evidence.put({
          ...{
            v: 2,
            skill: name,
            text,
            turn: `01JZZZZZZZZZZZZZZZZZZZZZZZ-${n + 20_001}`,
            judge: "exit",
            outcome: "failure",
          },
          ...{ day: dayOf(clock.now()), at: clock.now(), task: "x", modelCalls: 2, toolCalls: 1, failedCalls: 0 },
        });
      }
      clock.advance(24 * 60 * 60_000);
      const [used] = await curate();
      expect(used! - quiet[0]!).toBeLessThan(10 * 10);
      const { uses, failures } = (await invocation().evidence.counted(new Map())).get(largeSkillName(99)) ?? {};
      expect({ uses, failures }).toEqual({ uses: undefined, failures: undefined });
      const { use } = (await invocation().skills.index()).skills[largeSkillName(3)]!;
      expect(use).toMatchObject({ uses: 2, successes: 1, failures: 1 });
    },
    SLOW_MS,
  );
});

describe("a lost index of three thousand skills", () => {
  it(
    "is rebuilt in rounds, each of which is stored, in as many invocations as needed",
    async () => {
      const count = 3_000;
      const room = 2_000;
      const lost = createMemoryBucket({ clock });
      await fillLibrary(lost, profile, { skills: count, at: clock.now(), withIndex: false });
      // Reviews made these skills, so each is compared with the skills indexed before it.
      const check = toHeadCheck({}, DEFAULTS.skills);
      let rounds = 0;
      const calls: number[] = [];
      for (let isDone = false; !isDone;) {
        const { skills, counter } = invocation(lost);
        const pause = () => {
          rounds += 1;
          if (counter.calls >= room) throw new Error("no room");
        };
        const rebuilt = await skills.rebuildIndex(check, pause).catch(() => null);
        calls.push(counter.calls);
        isDone = rebuilt !== null;
      }
      expect([rounds, calls.length]).toEqual([5, 2]);
      expect(Math.max(...calls)).toBeLessThan(room + 1_000);
      expect(Object.keys((await invocation(lost).skills.index()).skills)).toHaveLength(count);
    },
    SLOW_MS,
  );
});

describe("the stored state of ten thousand skills", () => {
  it("is at most a few megabytes per object", async () => {
    const { curation } = invocation();
    const [run] = await curation.runs(profile);
    await curation.changePolicy(profile, (policy) => ({ ...policy, keepSkills: heads.map(({ name }) => name) }));
    const size = async (key: string) => (await (await bucket.get(key))!.arrayBuffer()).byteLength;
    expect(await size(keyOf("index", { profile }))).toBeLessThan(4 * MEGABYTE);
    expect(await size(keyOf("curatorNotes", { profile }))).toBeLessThan(MEGABYTE);
    expect(await size(keyOf("policy", { profile }))).toBeLessThan(MEGABYTE);
    expect(await size(keyOf("curationReport", { profile, run: run! }))).toBeLessThan(2 * MEGABYTE);
    expect(await size(keyOf("curationRun", { profile, run: run! }))).toBeLessThan(MEGABYTE);
    expect((await curation.policy(profile)).keepSkills).toHaveLength(LARGE_SKILLS);
  });
});

describe("groups among ten thousand skills", () => {
  it("are found without comparing all pairs", async () => {
    const skills = heads.map((head) => ({ name: head.name, mirror: toHeadMirror(head) }));
    const { index } = invocation().skills;
    expect(clustersOf(skills, await index())).toHaveLength(5);
  });

  it("are shown to a model with a few calls per grouped skill, plus the listings", async () => {
    const { counter, ...stores } = invocation();
    const model = createScriptedModel([{ text: "They are fine." }]);
    const run = toCurationId(clock.now(), () => 0.9);
    const end = await runWork({
      ...{ profile, run, work: "consolidate", ...stores, seeds: {}, clock, random: () => 0.5, settings: DEFAULTS },
      reviews: { list: async () => [], job: async () => null },
      ...{ models: () => ok([model]), signal: new AbortController().signal },
    });
    expect(end).toMatchObject({ state: "finished", result: { state: "left" } });
    expect(model.requests).toHaveLength(1);
    expect(counter.calls).toBeLessThan(300);
  });
});

describe("in a library of ten thousand skills", () => {
  it(
    "a change, a purge and a read of the index cost the same as in a small library, plus the listings",
    async () => {
      const name = largeSkillName(5_000);
      const write = invocation();
      const description = "Another way.";
      const files = { "SKILL.md": `---\nname: ${name}\ndescription: ${description}\n---\n# Other\n` };
      const next = { files, description, state: "active", origin: "user", citations: [] } as const;
      const decide = () => ({ ok: true as const, value: { ...next, citations: [] } });
      expect((await write.skills.change({ name, op: "api:1", since: 1, decide })).ok).toBe(true);
      expect(write.counter.calls).toBeLessThan(30);
      const purge = invocation();
      expect(await purge.skills.purge(name, 1)).toMatchObject({ ok: true });
      expect(purge.counter.calls).toBeLessThan(100);
      const read = invocation();
      await read.skills.index();
      await read.skills.open(name);
      expect(read.counter.calls).toBeLessThan(10);
    },
    SLOW_MS,
  );
});

describe("a memory of five thousand long facts", () => {
  it(
    "is read with one request per thousand keys and one per hundred values",
    async () => {
      const kv = createMemoryKv({ clock });
      await fillMemory(kv, profile, "memory");
      const counter = createCounter();
      const store = createMemoryStore({ kv: countKv(kv, counter), profile, clock, overlayMs: 60_000 });
      expect(await store.list("memory")).toHaveLength(LARGE_FACTS);
      expect(counter).toEqual({ calls: 55, byKind: { "kv list": 5, "kv getMany": 50 } });
      expect(counter.calls).toBeLessThan(PLATFORM);
    },
    SLOW_MS,
  );
});
