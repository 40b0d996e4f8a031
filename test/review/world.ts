// A world for reviews: one bucket, one KV and one clock that outlive the processes which use them. A process may be killed
// at any store call. From then on none of its calls returns, as if the process were dead.
import { type ReviewEnd, type ReviewOptions, runReview } from "../../core/learning/review/review.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { Bucket, KeyValue } from "../../core/ports.ts";
import type { ReviewJob } from "../../core/schemas/learning/review.ts";
import { createDecide } from "../../core/skills/edit/operations.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { createPendingStore } from "../../stores/pending-store.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { type DeliverOptions, deliverReview } from "../../workers/review/deliver.ts";
import type { Settlement } from "../../workers/message-settlement.ts";
import { PROFILE, sampleJob } from "../learning/sample.ts";
import { type TestClock, createTestClock } from "../support/clock.ts";
import { type MemoryBucket, createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { type MemoryKv, createMemoryKv } from "../support/bindings/memory-kv.ts";
import { type ScriptLine, createScriptedModel } from "../support/wires/scripted-model.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

export interface Kill {
  /** The store call at which the process dies, counted from 1. */
  atCall: number;
  /** Whether that call was carried out and only its response was lost. */
  afterwards: boolean;
}

/** The reviewer answers by the length of the conversation, not by how often this process was asked. */
export function byStep(lines: ScriptLine[]): ScriptLine[] {
  const line: ScriptLine = (request) => {
    const said = request.messages.filter((message) => message.role === "assistant").length;
    const next = lines[said] ?? { text: "The script is over." };
    return typeof next === "function" ? next(request) : next;
  };
  return Array.from({ length: 100 }, () => line);
}

interface Given extends Partial<Pick<ReviewOptions, "job" | "settings" | "seeds" | "runChecks" | "policy" | "judges">> {
  cache?: string;
  server?: string;
}

export type World = ReturnType<typeof openWorld>;

export async function createWorld(lines: ScriptLine[], given: Given = {}): Promise<World> {
  const clock = createTestClock();
  const world = openWorld(lines, given, clock, createMemoryBucket({ clock }), createMemoryKv({ clock }));
  await world.reviews.putJob(world.job);
  return world;
}

/** A copy of the world as a kill left it. */
export interface Killed {
  world: World;
  /** Model calls that had begun at the latest moment with these stores. */
  asked: number;
}

function openWorld(lines: ScriptLine[], given: Given, clock: TestClock, bucket: MemoryBucket, kv: MemoryKv) {
  const { job = sampleJob(), settings = DEFAULTS, seeds = {}, runChecks, policy, judges, cache, server } = given;
  const reviews = createReviewStore({ bucket, profile: PROFILE });
  const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: createSeededRandom(1), swapMs: 10_000 });
  const memory = createMemoryStore({ kv, profile: PROFILE, clock, overlayMs: 0 });
  const log: Record<string, unknown>[] = [];

  /** A fresh process, with nothing in its memory. */
  function start(kill?: Kill) {
    const guard = createGuard(kill);
    const stores = { bucket: guardBucket(bucket, guard.call), kv: guardKv(kv, guard.call) };
    const model = { ...createScriptedModel(byStep(lines)), ...(server !== undefined && { isOwn: true, server }) };
    const open = () => ({
      reviews: createReviewStore({ bucket: stores.bucket, profile: PROFILE }),
      skills: createSkillStore({ ...stores, profile: PROFILE, clock, random: createSeededRandom(2), swapMs: 10_000 }),
      memory: createMemoryStore({ ...stores, profile: PROFILE, clock, overlayMs: 0 }),
      pending: createPendingStore({ ...stores, profile: PROFILE, clock, random: createSeededRandom(4) }),
    });
    const run = (ofJob: ReviewJob): Promise<ReviewEnd> =>
      runReview({
        ...open(),
        job: ofJob,
        seeds,
        runChecks,
        policy,
        judges,
        models: [cache === undefined ? model : { ...model, cache }],
        clock,
        random: createSeededRandom(3),
        settings,
        signal: new AbortController().signal,
      });
    const options: DeliverOptions = {
      reviews: () => open().reviews,
      memory: () => open().memory,
      pending: () => open().pending,
      run,
      clock,
      settings,
      log: (line) => void log.push(line),
    };
    const deliver = (body: unknown = { v: 1, profile: PROFILE, review: job.review }): Promise<Settlement | "killed"> =>
      Promise.race([deliverReview(body, options), guard.killed]);
    return { model, options, deliver, run, calls: guard.calls };
  }

  /** Delivers the message until it is acknowledged, as a queue does. */
  async function deliverToEnd(most = 20): Promise<{ asked: number; deliveries: number }> {
    let asked = 0;
    for (let deliveries = 1; deliveries <= most; deliveries++) {
      const process = start();
      const verdict = await process.deliver();
      asked += process.model.requests.length;
      if (verdict === "killed") throw new Error("Nobody killed this process.");
      if (verdict.act === "ack") return { asked, deliveries };
      clock.advance(verdict.delaySeconds * 1_000);
    }
    throw new Error("The message was never acknowledged.");
  }

  /** Writes a skill of the profile, as an earlier review would. */
  async function writeSkill(name: string, content: string): Promise<void> {
    const operations = [{ action: "create" as const, name, content }];
    const writing = { origin: "review" as const, seeds: {}, settings: settings.skills, citations: [] };
    const made = await skills.change({
      name,
      op: `given:${name}`,
      since: 0,
      decide: createDecide(operations, writing),
    });
    if (!made.ok) throw new Error(made.failure.message);
  }

  function copy(): World {
    const ofCopy = createTestClock(clock.now());
    return openWorld(lines, given, ofCopy, bucket.copy(ofCopy), kv.copy(ofCopy));
  }

  /**
   * Delivers the message once, and copies the world before its first write and after each. A kill anywhere leaves the stores as
   * one of these copies, because reads change nothing. In each copy a minute has passed since.
   */
  async function deliverAndCopy(): Promise<{ process: ReturnType<typeof start>; killed: Killed[] }> {
    const process = start();
    const killed = [{ world: copy(), asked: 0 }];
    bucket.onChange = kv.onChange = () => {
      killed.at(-1)!.asked = process.model.requests.length;
      killed.push({ world: copy(), asked: 0 });
    };
    const verdict = await process.deliver();
    bucket.onChange = kv.onChange = undefined;
    killed.at(-1)!.asked = process.model.requests.length;
    if (verdict === "killed" || verdict.act !== "ack") throw new Error("The delivery was not acknowledged.");
    for (const { world } of killed) world.clock.advance(60_000);
    return { process, killed };
  }

  return {
    ...{ job, clock, bucket, kv, reviews, skills, memory, log, settings },
    ...{ start, deliverToEnd, writeSkill, copy, deliverAndCopy },
  };
}

type Guarded = <T>(call: () => Promise<T>) => Promise<T>;

function createGuard(kill: Kill | undefined) {
  const { promise: killed, resolve: die } = Promise.withResolvers<"killed">();
  let calls = 0;
  const never = new Promise<never>(() => {});
  const call: Guarded = async (work) => {
    calls += 1;
    if (!kill || calls < kill.atCall) return work();
    if (calls === kill.atCall && kill.afterwards) await work();
    die("killed");
    return never;
  };
  return { call, killed, calls: () => calls };
}

function guardBucket(bucket: Bucket, guard: Guarded): Bucket {
  return {
    get: (key) => guard(() => bucket.get(key)),
    getUnless: (key, unless) => guard(() => bucket.getUnless(key, unless)),
    put: (key, body, options) => guard(() => bucket.put(key, body, options)),
    list: (options) => guard(() => bucket.list(options)),
    delete: (keys) => guard(() => bucket.delete(keys)),
  };
}

function guardKv(kv: KeyValue, guard: Guarded): KeyValue {
  return {
    get: (key) => guard(() => kv.get(key)),
    getMany: (keys) => guard(() => kv.getMany(keys)),
    put: (key, value, options) => guard(() => kv.put(key, value, options)),
    delete: (key) => guard(() => kv.delete(key)),
    list: (options) => guard(() => kv.list(options)),
  };
}
