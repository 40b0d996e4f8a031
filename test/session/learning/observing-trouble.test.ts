// Turns that are observed while something fails: an Archive or an Account that never answers, a skill whose verdict cannot be
// carried out, a store that accepts no evidence of one turn. Learning is delayed, not lost, and wakes nothing needlessly.
import { describe, expect, it } from "vitest";
import type { Result } from "../../../core/errors.ts";
import { createEvidenceStore } from "../../../stores/evidence-store.ts";
import { createReviewStore } from "../../../stores/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { SKILL, SKILL_MD } from "../../review/script.ts";
import { collect } from "../../support/session/collect.ts";
import { JUDGE, reviewResult } from "../../support/skills/reviews.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { type HarnessOptions, PROFILE, SESSION, createSessionHarness } from "../../support/session/session-harness.ts";
import { creation } from "../../support/skills/skills.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const view: ScriptLine = { calls: [{ name: "skill_view", args: { name: SKILL } }] };
const write: ScriptLine = { calls: [{ name: "write_file", args: { path: "a.txt", content: "x" } }] };
const done: ScriptLine = { text: "Done." };
const quiet = { review: { afterModelCalls: 1_000, minValue: 1, memoryAfterTurns: 1_000, similarTurns: 1_000 } };

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
}

async function setUp(script: ScriptLine[], { settings = quiet, ...options }: Partial<HarnessOptions> = {}) {
  const model = createScriptedModel(script);
  const harness = createSessionHarness({ model, settings, ...options });
  const { bucket, clock } = harness;
  const life = harness.boot();
  const { engine } = life;
  await engine.create({ learning: "on", title: "" });
  const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 });
  const evidence = createEvidenceStore({ bucket, profile: PROFILE, judge: JUDGE });
  const reviews = createReviewStore({ bucket, profile: PROFILE });
  const rows = () => harness.sql.run<{ id: string }>("SELECT id FROM job ORDER BY id").map(({ id }) => id);
  return {
    ...harness,
    ...{ model, life, engine, skills, reviews, rows },
    async say(text: string) {
      expect(await engine.post({ text })).toMatchObject({ ok: true });
      await life.settled();
    },
    async rate(n: number, rating: Parameters<typeof engine.rate>[1]) {
      must(await engine.rate(n, rating));
      await life.settled();
    },
    learn: () => skills.change(creation(SKILL, SKILL_MD, "learn")),
    observation: (n: number) => must(engine.observation(n)).observation,
    evidence: async () =>
      (await collect(evidence.list(SKILL))).map(({ turn, judge, outcome }) =>
        [turn.slice(SESSION.length + 1), judge, outcome].join(" "),
      ),
    /** Wakes the session as often as it asks, until no row with `prefix` is left. Returns how often, and how long it took. */
    async drain(prefix: string, most: number) {
      const began = clock.now();
      let wakes = 0;
      for (; rows().some((id) => id.startsWith(prefix)) && wakes < most; wakes++) await life.wake();
      return { wakes, ms: clock.now() - began };
    },
    reviewsSent: () => [...new Set(harness.sent.map(({ review }) => review))],
    /** Wakes the session until another review was sent. */
    async nextReview() {
      const before = new Set(harness.sent.map(({ review }) => review)).size;
      const sent = () => new Set(harness.sent.map(({ review }) => review)).size;
      for (let wakes = 0; sent() === before && wakes < 9; wakes++) await life.wake();
    },
    jobOf: async (at: number) => (await reviews.job([...new Set(harness.sent.map(({ review }) => review))][at]!))!,
    /** Something hangs: lets time pass until its timeout. */
    async hang(ms: number) {
      for (let tick = 0; tick < 2_000; tick++) await Promise.resolve();
      clock.advance(ms);
      for (let tick = 0; tick < 2_000; tick++) await Promise.resolve();
    },
  };
}

type World = Awaited<ReturnType<typeof setUp>>;

/** Makes every later call of `method` on a matching key fail. */
function breakKeys({ bucket }: World, method: "get" | "put", isBroken: (key: string) => boolean) {
  const whole = bucket[method] as (key: string, ...rest: unknown[]) => Promise<never>;
  Object.assign(bucket, {
    [method]: async (key: string, ...rest: unknown[]) => {
      if (isBroken(key)) throw new Error(`${key} is broken`);
      return whole(key, ...rest);
    },
  });
}

describe("a dependency that never answers", () => {
  it("is left out of the observation if it is the Archive", async () => {
    const world = await setUp([write, done], { onArchive: () => new Promise(() => {}) });
    must(await world.engine.post({ text: "Average the prices" }));
    await world.hang(MINUTE_MS);
    for (let asked = 1; world.observation(1) === null && asked < 9; asked++) {
      await world.engine.alarm();
      await world.hang(MINUTE_MS);
    }
    await world.life.settled();
    expect(world.observation(1)).toMatchObject({ outcome: "success", similar: 0 });
    expect(world.rows()).toEqual([]);
  });

  it("is asked again if it is the Account, and does not delay other work for long", async () => {
    let hangs = true;
    const world = await setUp([write, done], {
      account: { book: () => (hangs ? new Promise(() => {}) : Promise.resolve()) },
    });
    must(await world.engine.post({ text: "Average the prices" }));
    await world.hang(5 * MINUTE_MS);
    expect(world.rows()).toEqual([`usage:${SESSION}-1`]);
    await world.hang(5 * MINUTE_MS); // sent again from a job row of its own
    hangs = false;
    await world.drain("usage", 3);
    expect(world.rows()).toEqual([]);
    expect(world.booked.map(({ id }) => id)).toEqual([`${SESSION}-1`]);
  });
});

it("an object that dies right after the answer is woken by its alarm alone, and observes the turn", async () => {
  let asked = 0;
  const world = await setUp([write, done], { onArchive: () => (++asked === 1 ? new Promise(() => {}) : undefined) });
  must(await world.engine.post({ text: "Average the prices" }));
  for (let tick = 0; tick < 2_000; tick++) await Promise.resolve();
  expect([asked, world.observation(1)]).toEqual([1, null]);
  world.life.kill();
  const next = world.boot();
  const began = world.clock.now();
  for (let wakes = 0; world.rows().length > 0 && wakes < 3; wakes++) await next.wake();
  expect(must(next.engine.observation(1)).observation).toMatchObject({ outcome: "success", judge: "exit" });
  expect([world.rows(), world.clock.now() - began <= MINUTE_MS]).toEqual([[], true]);
});

describe("a turn whose observation cannot be stored whole", () => {
  it("is stored if only its verdict cannot be carried out: the curator does that later", async () => {
    const world = await setUp([view, write, done, done, done]);
    await world.learn();
    await world.say("Average the prices in the export");
    breakKeys(world, "get", (key) => key.includes("/heads/"));
    await world.say("That's wrong.");
    expect(world.rows()).toEqual(["observe:2"]);
    await world.drain("observe", 9);
    expect(world.rows().filter((id) => id.startsWith("observe"))).toEqual([]);
    expect(world.observation(1)).toMatchObject({ outcome: "failure", judge: "message" });
    expect(await world.evidence()).toEqual(["1 exit success", "1 message failure"]);
    expect(world.life.reports.some((report) => report.includes("verdict"))).toBe(true);
  });

  it("delays later turns for hours, not forever, and the session sleeps meanwhile", async () => {
    const world = await setUp([view, write, done, done, done]);
    await world.learn();
    breakKeys(world, "put", (key) => key.includes("/evidence/"));
    await world.say("Average the prices in the export");
    await world.say("Write a poem");
    await world.say("Now another one");
    expect(world.rows()).toEqual(["observe:1", "observe:2", "observe:3"]);
    const { wakes, ms } = await world.drain("observe", 200);
    expect(world.rows()).toEqual([]);
    expect([ms > 2 * HOUR_MS, ms < 24 * HOUR_MS, wakes < 60]).toEqual([true, true, true]);
    expect([1, 2, 3].map((n) => world.observation(n)?.judge)).toEqual([undefined, "exit", "exit"]);
    expect(world.life.reports.some((report) => report.includes("given up"))).toBe(true);
  });
});

describe("a rating", () => {
  it("that follows another within a millisecond, while their turn is observed, is the one that counts", async () => {
    let asked = 0;
    let hold = () => {};
    const holding = new Promise<void>((resolve) => (hold = resolve));
    const world = await setUp([view, write, done], {
      onArchive() {
        if (++asked === 1) throw new Error("unreachable");
        return asked === 2 ? holding : undefined;
      },
    });
    await world.learn();
    await world.say("Average the prices");
    world.clock.advance(5_000);
    must(await world.engine.rate(1, { rating: "up" }));
    for (let tick = 0; tick < 300; tick++) await Promise.resolve();
    must(await world.engine.rate(1, { rating: "down" }));
    hold();
    await world.life.settled();
    await world.drain("rating", 9);
    const words = world.observation(1)!.judgements!.map(({ judge, outcome }) => `${judge} ${outcome}`);
    expect(words).toEqual(["exit success", "rating success", "rating failure"]);
    expect(world.observation(1)).toMatchObject({ outcome: "failure", judge: "rating" });
  });

  it("of a session command is kept, but is not evidence about any work", async () => {
    const world = await setUp([]);
    await world.say("/pending");
    await world.rate(1, { rating: "down" });
    expect(world.observation(1)).toMatchObject({ judge: "rating" });
    expect([world.records.turns({ limit: 9 }), world.sent]).toEqual([[], []]);
  });
});

describe("a review that may not begin yet", () => {
  it("is remembered, even if its trigger would not hold again", async () => {
    const settings = { review: { ...quiet.review, afterModelCalls: 0, similarTurns: 2, minToolCalls: 1_000 } };
    const world = await setUp([write, done, write, done, done], { settings });
    await world.say("Average the prices in the export");
    expect(world.reviewsSent()).toEqual([`${SESSION}.1-4`]);
    await world.reviews.finish(reviewResult(`${SESSION}.1-4`));
    await world.drain("review", 3);
    await world.say("Average the weights in the export");
    expect(world.reviewsSent()).toHaveLength(1);
    world.clock.advance(11 * MINUTE_MS);
    await world.say("Thanks");
    expect(world.reviewsSent()).toEqual([`${SESSION}.1-4`, `${SESSION}.5-10`]);
    expect(await world.jobOf(1)).toMatchObject({
      trigger: "similar_turns",
      because: "2 similar turns succeeded without a skill that covers them",
    });
  });

  it("begins once the one in flight has ended, if the session's minimum interval has passed", async () => {
    const settings = { review: { ...quiet.review, afterModelCalls: 1, similarTurns: 2, perSessionMs: 0 } };
    const world = await setUp([write, done, write, done], { settings });
    await world.say("Average the prices in the export");
    await world.say("Average the weights in the export");
    expect(world.reviewsSent()).toEqual([`${SESSION}.1-4`]);
    await world.reviews.finish(reviewResult(`${SESSION}.1-4`));
    await world.nextReview();
    expect(world.reviewsSent()).toEqual([`${SESSION}.1-4`, `${SESSION}.5-8`]);
    expect((await world.jobOf(1)).trigger).toBe("similar_turns");
  });

  it("gets the observed turns of its range, not an earlier turn whose notice is in the range", async () => {
    const settings = { review: { ...quiet.review, afterModelCalls: 0, perSessionMs: 0 } };
    const world = await setUp([done, done], { settings });
    await world.say("Write a poem");
    await world.reviews.finish({ ...reviewResult(`${SESSION}.1-2`, "done", "A change waits."), waiting: 1 });
    await world.drain("review", 3);
    await world.say("Now a letter");
    expect(world.reviewsSent().at(-1)).toBe(`${SESSION}.3-5`);
    const job = await world.jobOf(1);
    expect(job.observations.map(({ turn }) => turn)).toEqual([`${SESSION}-2`]);
  });
});

describe("a /refine focus", () => {
  it("is limited in length, however long and frequent the requests are", async () => {
    const world = await setUp([done]);
    await world.say("Hello");
    await world.say("/refine names");
    for (let n = 0; n < 25; n++) await world.say(`/refine ${n} ${"tables ".repeat(12_000)}`);
    expect(world.engine.detail()?.turns.every(({ state }) => state === "done")).toBe(true);
    await world.reviews.finish(reviewResult(world.reviewsSent()[0]!));
    await world.nextReview();
    const { focus } = await world.jobOf(1);
    expect([focus!.length < 5_000, focus!.startsWith("0 tables")]).toEqual([true, true]);
  });

  it("waits for the running turn, and is not sent to that turn's model", async () => {
    let finish = () => {};
    const until = new Promise<void>((resolve) => (finish = resolve));
    for (const busy of ["steer", "interrupt"] as const) {
      const world = await setUp([{ ...write, until }, done]);
      must(await world.engine.post({ text: "Average the prices" }));
      for (let tick = 0; tick < 300; tick++) await Promise.resolve();
      must(await world.engine.post({ text: "/refine names", busy }));
      finish();
      await world.life.settled();
      expect(world.engine.detail()?.turns.map(({ state }) => state)).toEqual(["done", "done"]);
      expect(await world.jobOf(0)).toMatchObject({ trigger: "refine", focus: "names" });
    }
  });
});
