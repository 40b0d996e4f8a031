// Turns that are observed while something fails: an Archive or an Account that never answers, a skill whose verdict cannot be
// carried out, a store that accepts no evidence of one turn. Learning is delayed, not lost, and wakes nothing needlessly.
import { describe, expect, it } from "vitest";
import { reviewResult } from "../../support/skills/reviews.ts";
import { SESSION } from "../../support/session/session-harness.ts";
import {
  type LearningSession,
  createLearningSession as setUp,
  done,
  must,
  quiet,
  ticks,
  view,
  write,
} from "../../support/session/scripted-session.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Something hangs: lets time pass until its timeout. */
async function hang({ clock }: LearningSession, ms: number) {
  await ticks(2_000);
  clock.advance(ms);
  await ticks(2_000);
}

/** Makes every later call of `method` on a matching key fail. */
function breakKeys({ bucket }: LearningSession, method: "get" | "put", isBroken: (key: string) => boolean) {
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
    await hang(world, MINUTE_MS);
    for (let asked = 1; world.observation(1) === null && asked < 9; asked++) {
      await world.engine.alarm();
      await hang(world, MINUTE_MS);
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
    await hang(world, 5 * MINUTE_MS);
    expect(world.rows()).toEqual([`usage:${SESSION}-1`]);
    await hang(world, 5 * MINUTE_MS); // sent again from a job row of its own
    hangs = false;
    await world.drain("usage", 3);
    expect(world.rows()).toEqual([]);
    expect(world.booked.map(({ id }) => id)).toEqual([`${SESSION}-1`]);
  });
});

it("an object that dies right after the answer is woken by its alarm alone, and observes the turn", async () => {
  let asked = 0;
  const world = await setUp([write, done], {
    onArchive: () => (++asked === 1 ? new Promise(() => {}) : undefined),
  });
  must(await world.engine.post({ text: "Average the prices" }));
  await ticks(2_000);
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
    expect(await world.evidence()).toEqual(["1 exit 1 success", "1 message 1 failure"]);
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
    const { promise: holding, resolve: hold } = Promise.withResolvers<void>();
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
    await ticks(300);
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
    const { promise: until, resolve: finish } = Promise.withResolvers<void>();
    for (const busy of ["steer", "interrupt"] as const) {
      const world = await setUp([{ ...write, until }, done]);
      must(await world.engine.post({ text: "Average the prices" }));
      await ticks(300);
      must(await world.engine.post({ text: "/refine names", busy }));
      finish();
      await world.life.settled();
      expect(world.engine.detail()?.turns.map(({ state }) => state)).toEqual(["done", "done"]);
      expect(await world.jobOf(0)).toMatchObject({ trigger: "refine", focus: "names" });
    }
  });
});
