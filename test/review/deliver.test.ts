// The delivery of a review from the queue: a whole run, crashes, concurrent deliveries, limits, failing models, dead letters.
import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../core/limits.ts";
import { NO_USAGE } from "../../core/schemas/entry.ts";
import { fromReviewId } from "../../core/schemas/ids.ts";
import { memoryId } from "../../core/schemas/memory.ts";
import type { ReviewResult } from "../../core/schemas/learning/review.ts";
import { deliverDeadReview, deliverReview } from "../../workers/review/deliver.ts";
import { PROFILE, SESSION, sampleJob } from "../learning/sample.ts";
import { CITED, LINES, SKILL } from "./script.ts";
import { type World, createWorld } from "./world.ts";

async function resultOf(world: World): Promise<ReviewResult> {
  const outcome = await world.reviews.outcome(world.job.review);
  if (!outcome || !("state" in outcome)) throw new Error(`no result but ${JSON.stringify(outcome)}`);
  return outcome;
}

/** Everything a review stores, without the times. */
async function tracesOf(world: World) {
  const revisions = await world.skills.revisions(SKILL);
  return {
    result: { ...(await resultOf(world)), finishedAt: 0 },
    revisions: revisions.map(({ rev, op, text, citations }) => ({ rev, op, text, citations })),
    index: (await world.skills.index()).skills[SKILL],
    memory: (await world.memory.list("memory")).map(({ text, adds }) => ({ text, adds })),
    watermark: await world.reviews.watermark(SESSION),
    steps: (await world.reviews.script(world.job.review)).steps.map((step) => step.kind),
  };
}

describe("a delivered review", () => {
  it("is run, reported and acknowledged", async () => {
    const world = await createWorld(LINES);
    expect(await world.start().deliver()).toEqual({ act: "ack" });
    const head = await world.skills.head(SKILL);
    const memory = { store: "memory" as const, action: "add", id: memoryId("Rates come as text files.") };
    expect(await resultOf(world)).toEqual({
      v: 1,
      review: world.job.review,
      session: SESSION,
      state: "done",
      trigger: "value",
      summary: `Learned: created skill ${SKILL}; remembered 1 fact.`,
      note: "Kept how to add up a column.",
      lessons: [
        { kind: "skill", skill: SKILL, action: "create", rev: 1, text: expect.any(String), citations: CITED },
        { kind: "skill", skill: SKILL, action: "patch", rev: 2, text: head?.text, citations: CITED },
        { kind: "memory", ...memory, text: "Rates come as text files.", citations: CITED },
      ],
      refused: [
        {
          tool: "terminal",
          code: "unknown_tool",
          message: expect.stringContaining("Use one of: skills_list, skill_view, skill_manage, memory."),
        },
        {
          tool: "skill_manage",
          code: "citation_own",
          message: expect.stringContaining("only the assistant's own words"),
        },
      ],
      modelCalls: 6,
      usage: { input: 60, output: 30, cacheRead: 0, cacheWrite: 0 },
      spent: [
        {
          model: "scripted:test",
          calls: 6,
          usage: { input: 60, output: 30, cacheRead: 0, cacheWrite: 0 },
          cost: { usdMicros: 0, source: "none" },
        },
      ],
      finishedAt: world.clock.now(),
    });
    expect(head).toMatchObject({ origin: "review", state: "trial", rev: 2, citations: CITED });
    expect(await world.memory.list("memory")).toMatchObject([{ origin: "review", session: SESSION }]);
    expect(await world.reviews.watermark(SESSION)).toBe(fromReviewId(world.job.review).to);
  });

  it("asks the model with the policy, the existing memory, and the transcript", async () => {
    const world = await createWorld(LINES);
    await world.memory.add("user", "earlier", { v: 1, text: "Likes short answers.", at: 1, origin: "user" });
    const process = world.start();
    await process.deliver();
    const [first] = process.model.requests;
    expect(first?.tools.map((tool) => tool.name)).toEqual(["skills_list", "skill_view", "skill_manage", "memory"]);
    expect(first?.messages).toHaveLength(1);
    const text = first?.messages[0]?.role === "user" ? first.messages[0].text : "";
    expect(text).toContain("- Likes short answers.");
    expect(text).toContain('[3#outcome] terminal failed\n{"exit_code":1}');
    expect(new Set(process.model.requests.map((request) => request.system)).size).toBe(1);
  });

  it("reads a turn's kind of work from its closing note, and removes that line from the note", async () => {
    const world = await createWorld([{ text: "Nothing worth keeping.\nkind 1: add up a column\nkind 99: nothing" }]);
    await world.start().deliver();
    expect(await resultOf(world)).toMatchObject({
      note: "Nothing worth keeping.",
      kinds: [{ turn: 1, kind: "add up a column" }],
    });
  });

  it("has only the tools of the stores that its job opens", async () => {
    for (const [scope, tools] of [
      [{ skills: false, memory: true }, ["memory"]],
      [{ skills: true, memory: false }, ["skills_list", "skill_view", "skill_manage"]],
    ] as const) {
      const world = await createWorld([{ text: "Nothing." }], { job: sampleJob(scope) });
      const process = world.start();
      await process.deliver();
      expect(process.model.requests[0]?.tools.map((tool) => tool.name)).toEqual(tools);
      expect((await resultOf(world)).summary).toBe("Nothing worth keeping.");
    }
  });

  it("may not change a skill that it has not read, or reads only in the same step", async () => {
    const patch = { action: "patch", name: SKILL, old_string: "a", new_string: "b", citations: CITED };
    const world = await createWorld([
      { calls: [{ name: "skill_manage", args: patch }] },
      {
        calls: [
          { name: "skill_view", args: { name: SKILL } },
          { name: "skill_manage", args: patch },
        ],
      },
      { text: "Done." },
    ]);
    await seedSkill(world);
    await world.start().deliver();
    expect((await resultOf(world)).refused.map((refusal) => refusal.code)).toEqual(["read_first", "read_first"]);
  });

  it("asks the model at most sixteen times, the last time for a closing note", async () => {
    const world = await createWorld(
      Array.from({ length: 40 }, (_, n) => ({
        text: "Again.",
        calls: [{ name: "skills_list", args: { query: `question ${n}` } }],
      })),
    );
    const process = world.start();
    await process.deliver();
    expect(process.model.requests).toHaveLength(DEFAULTS.review.maxSteps);
    expect(await resultOf(world)).toMatchObject({ modelCalls: 16, note: "Again.", lessons: [] });
  });
});

async function seedSkill(world: World) {
  const process = await createWorld(LINES);
  await process.start().deliver();
  const files = (await process.skills.open(SKILL))!.files;
  const made = await world.skills.change({
    name: SKILL,
    op: "seed",
    since: 0,
    decide: () => ({ ok: true, value: { files, description: "d", category: "c", state: "trial", origin: "review" } }),
  });
  expect(made.ok).toBe(true);
}

describe("a process that is killed", () => {
  it("leaves work that another process finishes, wherever the first one died", async () => {
    const whole = await createWorld(LINES);
    const { killed } = await whole.deliverAndCopy();
    const expected = await tracesOf(whole);
    expect(killed.length).toBeGreaterThan(20);
    for (const [writes, { world }] of killed.entries()) {
      const { steps } = await world.reviews.script(world.job.review);
      const recorded = steps.filter((step) => step.kind === "answer").length;
      const { asked } = await world.deliverToEnd();
      expect({ writes, asked }).toEqual({ writes, asked: expected.result.modelCalls - recorded });
      expect({ writes, ...(await tracesOf(world)) }).toEqual({ writes, ...expected });
    }
  });

  it("may still be alive: the next delivery waits while the script has just grown", async () => {
    const world = await createWorld(LINES);
    await world.start({ atCall: 20, afterwards: true }).deliver();
    world.clock.advance(15_000);
    const next = world.start();
    expect(await next.deliver()).toEqual({ act: "retry", delaySeconds: 30 });
    expect(next.model.requests).toEqual([]);
  });
});

describe("two concurrent deliveries", () => {
  it("leave one script, one skill and one fact", async () => {
    const expected = await createWorld(LINES);
    await expected.deliverToEnd();
    const world = await createWorld(LINES);
    const verdicts = await Promise.all([world.start().deliver(), world.start().deliver()]);
    expect(verdicts).toContainEqual({ act: "ack" });
    await world.deliverToEnd();
    expect(await tracesOf(world)).toEqual(await tracesOf(expected));
  });

  it("follow one script even if the second joins in the middle", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let slow = true;
    const world = await createWorld([
      ...LINES.slice(0, 3),
      () => ({ ...(LINES[3] as object), ...(slow && { until: held }) }),
      ...LINES.slice(4),
    ]);
    const first = world.start();
    const begun = first.deliver();
    while (first.model.requests.length < 4) await new Promise((done) => setImmediate(done));
    // The model answers only after the quiet period of the script has passed.
    world.clock.advance(world.settings.review.quietMs + 1);
    slow = false;
    const second = world.start();
    expect(await second.deliver()).toEqual({ act: "ack" });
    release();
    expect(await begun).toEqual({ act: "ack" });
    expect(first.model.requests).toHaveLength(4);
    expect(second.model.requests).toHaveLength(3);
    const expected = await createWorld(LINES);
    await expected.deliverToEnd();
    expect(await tracesOf(world)).toEqual(await tracesOf(expected));
  });

  it("acknowledge a review that is already finished, and raise its watermark", async () => {
    const world = await createWorld(LINES);
    const killed = world.start();
    const total = await finishWithoutWatermark(world, killed);
    expect(await world.reviews.watermark(SESSION)).toBe(0);
    const again = world.start();
    expect(await again.deliver()).toEqual({ act: "ack" });
    expect({ total: total > 0, asked: again.model.requests.length }).toEqual({ total: true, asked: 0 });
    expect(await world.reviews.watermark(SESSION)).toBe(8);
  });

  /** Finishes a review and then deletes its watermark, as if the process had died between the two writes. */
  async function finishWithoutWatermark(world: World, process: ReturnType<World["start"]>): Promise<number> {
    const end = await process.run(world.job);
    if (end.state !== "finished") throw new Error("not finished");
    await world.bucket.delete(`p/${PROFILE}/reviewed/${SESSION}`);
    return process.calls();
  }
});

describe("a review overtaken by a later one", () => {
  it("is superseded if a later review has finished, and asks no model", async () => {
    const world = await createWorld(LINES);
    await world.reviews.raiseWatermark(SESSION, 20);
    const process = world.start();
    expect(await process.deliver()).toEqual({ act: "ack" });
    expect(process.model.requests).toEqual([]);
    expect(await resultOf(world)).toMatchObject({
      state: "superseded",
      summary: "A later review of this session came first.",
      lessons: [],
      modelCalls: 0,
    });
    expect(await world.reviews.watermark(SESSION)).toBe(20);
  });

  it("still reports what it wrote before a later review overtook it", async () => {
    const world = await createWorld(LINES);
    const whole = await createWorld(LINES);
    const process = whole.start();
    await process.deliver();
    await world.start({ atCall: process.calls() - 7, afterwards: true }).deliver();
    await world.reviews.raiseWatermark(SESSION, 20);
    await world.deliverToEnd();
    expect(await resultOf(world)).toMatchObject({
      state: "superseded",
      summary: `Learned: created skill ${SKILL}; remembered 1 fact.`,
    });
  });
});

describe("limits of a run", () => {
  const grant = (over: Partial<ReturnType<typeof sampleJob>["grant"]>) =>
    sampleJob({ grant: { ...sampleJob().grant, ...over } });

  it("end it when its grant is spent, and keep what it learned", async () => {
    const world = await createWorld(LINES, { job: grant({ tokens: 75 }) });
    await world.deliverToEnd();
    expect(await resultOf(world)).toMatchObject({
      state: "done",
      summary: `Learned: created skill ${SKILL}; remembered 1 fact.`,
      note: "Stopped early. The review's grant of 75 tokens is spent.",
      modelCalls: 5,
    });
  });

  it("end it when the money of its grant is spent, including charges for retried calls", async () => {
    const cost = { usdMicros: 40, source: "catalog" as const };
    const broken = {
      model: "scripted:test",
      usage: { ...NO_USAGE, input: 7 },
      cost: { usdMicros: 30, source: "provider" as const },
    };
    let isFirst = true;
    const [look, ...rest] = LINES.map((line) => ({ ...(line as object), cost }));
    const flaky = () => {
      if (!isFirst) return look!;
      isFirst = false;
      return { text: "I", failure: { code: "server_error", retry: true, spent: broken } };
    };
    const world = await createWorld([flaky, ...rest], { job: grant({ usdMicros: 150 }) });
    expect(await world.start().deliver()).toEqual({ act: "ack" });
    const one = { model: "scripted:test" };
    expect(await resultOf(world)).toMatchObject({
      note: "Stopped early. The review's grant of $0.00015 is spent.",
      modelCalls: 3,
      spent: [
        {
          ...one,
          calls: 3,
          usage: { ...NO_USAGE, input: 30, output: 15 },
          cost: { usdMicros: 120, source: "catalog" },
        },
        { ...one, calls: 1, ...broken },
      ],
    });
  });

  it.each([
    ["grant_spent", { tokens: 0 }],
    ["grant_expired", { expiresAt: 1 }],
  ])("give the review up with %s when nothing was learned", async (code, over) => {
    const world = await createWorld(LINES, { job: grant(over) });
    const process = world.start();
    expect(await process.deliver()).toEqual({ act: "ack" });
    expect(process.model.requests).toEqual([]);
    expect(await world.reviews.outcome(world.job.review)).toMatchObject({ code, session: SESSION });
  });

  it("keep what was learned in the result when the grant expires before the run continues", async () => {
    const world = await createWorld(LINES);
    const whole = await createWorld(LINES);
    const process = whole.start();
    await process.deliver();
    await world.start({ atCall: process.calls() - 7, afterwards: true }).deliver();
    world.clock.advance(world.settings.review.grantMs + 1);
    await world.deliverToEnd();
    expect(await resultOf(world)).toMatchObject({
      state: "done",
      summary: `Learned: created skill ${SKILL}; remembered 1 fact.`,
    });
  });

  it("let a run that takes too long request another delivery, which does not count as a failure", async () => {
    const slow = LINES.map((line) => () => {
      world.clock.advance(5 * 60_000);
      return line as object;
    });
    const turn = { ...DEFAULTS.turn, firstByteMs: 10 * 60_000, idleStreamMs: 10 * 60_000 };
    const world: World = await createWorld(slow, { settings: { ...DEFAULTS, turn } });
    const first = world.start();
    expect(await first.deliver()).toEqual({ act: "retry", delaySeconds: 0 });
    expect(first.model.requests).toHaveLength(3);
    expect(await world.deliverToEnd()).toMatchObject({ asked: 3 });
    expect((await resultOf(world)).modelCalls).toBe(6);
    expect(world.log.map((line) => line.event)).toEqual(["review_finished"]);
  });
});

describe("a failing model", () => {
  const failing = { failure: { code: "overloaded", message: "Overloaded.", retryable: false } };

  it("is retried with backoff, and then the review gets a tombstone with the reason", async () => {
    const world = await createWorld([failing]);
    const delays: number[] = [];
    for (let verdict = await world.start().deliver(); verdict !== "killed"; verdict = await world.start().deliver()) {
      if (verdict.act === "ack") break;
      delays.push(verdict.delaySeconds);
      world.clock.advance(Math.max(verdict.delaySeconds, 45) * 1_000);
    }
    expect(delays).toEqual([5, 10, 20, 40]);
    expect(await world.reviews.outcome(world.job.review)).toEqual({
      v: 1,
      review: world.job.review,
      session: SESSION,
      code: "overloaded",
      message: "Overloaded.",
      at: world.clock.now(),
    });
  });

  it("is retried after the delay that the provider asked for", async () => {
    const world = await createWorld([{ failure: { ...failing.failure, retryAfterMs: 90_000 } }]);
    expect(await world.start().deliver()).toEqual({ act: "retry", delaySeconds: 90 });
  });

  it("lets the review continue where it failed once the model works again", async () => {
    let down = true;
    const world = await createWorld([
      ...LINES.slice(0, 4),
      () => (down ? failing : (LINES[4] as object)),
      ...LINES.slice(5),
    ]);
    expect(await world.start().deliver()).toMatchObject({ act: "retry" });
    down = false;
    expect(await world.deliverToEnd()).toMatchObject({ asked: 2 });
    expect((await resultOf(world)).lessons).toHaveLength(3);
  });
});

describe("a message", () => {
  it.each([[null], ["x"], [{ v: 1, profile: PROFILE }], [{ v: 1, profile: "../..", review: `${SESSION}.1-8` }]])(
    "that is malformed (%j) is acknowledged, and its text is not logged",
    async (body) => {
      const world = await createWorld(LINES);
      const keys = world.bucket.keys();
      expect(await world.start().deliver(body)).toEqual({ act: "ack" });
      expect(await deliverDeadReview(body, world.start().options)).toEqual({ act: "ack" });
      expect(world.bucket.keys()).toEqual(keys);
      const line = { event: "message_malformed", type: body === null ? "null" : typeof body };
      expect(world.log).toEqual([line, line]);
    },
  );

  it("for a missing job is given up after five deliveries", async () => {
    const world = await createWorld(LINES);
    const review = `${SESSION}.50-60`;
    const body = { v: 1, profile: PROFILE, review };
    for (let n = 1; n < 5; n++) expect(await world.start().deliver(body)).toMatchObject({ act: "retry" });
    expect(await world.start().deliver(body)).toEqual({ act: "ack" });
    expect(await world.reviews.outcome(review)).toMatchObject({ code: "job_missing" });
  });

  it("is retried while the store is unavailable", async () => {
    const world = await createWorld(LINES);
    const away = async () => Promise.reject(new Error("R2 is away"));
    const reviews = { ...world.reviews, outcome: away, countFailure: away };
    const options = { ...world.start().options, reviews: () => reviews };
    const body = { v: 1, profile: PROFILE, review: world.job.review };
    expect(await deliverReview(body, options)).toEqual({ act: "retry", delaySeconds: 60 });
    expect(await deliverDeadReview(body, options)).toEqual({ act: "retry", delaySeconds: 600 });
  });
});

describe("the dead-letter queue", () => {
  it("writes a tombstone for an unfinished review, and none for a finished one", async () => {
    const world = await createWorld(LINES);
    const body = { v: 1, profile: PROFILE, review: world.job.review };
    expect(await deliverDeadReview(body, world.start().options)).toEqual({ act: "ack" });
    expect(await world.reviews.outcome(world.job.review)).toMatchObject({ code: "undeliverable" });
    // A later delivery does not revive the review.
    const late = world.start();
    expect(await late.deliver()).toEqual({ act: "ack" });
    expect(late.model.requests).toEqual([]);

    const finished = await createWorld(LINES);
    await finished.deliverToEnd();
    await deliverDeadReview(body, finished.start().options);
    expect(finished.bucket.keys().filter((key) => key.endsWith("/dead"))).toEqual([]);
  });
});

describe("a memory entry that was removed long ago", () => {
  it("is swept after a review; living entries stay", async () => {
    const world = await createWorld([{ text: "Nothing." }]);
    const add = (op: string, text: string) =>
      world.memory.add("memory", op, { v: 1, text, at: world.clock.now(), origin: "user" });
    const { id } = await add("a", "Old and forgotten.");
    await world.memory.remove("memory", id, { op: "r", at: world.clock.now() - 31 * 24 * 60 * 60_000 });
    await add("b", "Living.");
    await world.deliverToEnd();
    expect(world.log).toContainEqual({ event: "memory_swept", profile: PROFILE, keys: 1 });
    expect((await world.memory.list("memory")).map(({ text }) => text)).toEqual(["Living."]);
  });
});

describe("an old review", () => {
  it("is swept when a later one finishes; the later one is kept", async () => {
    const world = await createWorld([{ text: "Nothing." }]);
    const [session] = world.job.review.split(".");
    world.clock.advance(31 * 24 * 60 * 60_000);
    const grant = { tokens: 100_000, expiresAt: world.clock.now() + 60_000 };
    const later = sampleJob({ review: `${session}.900-901`, grant });
    await world.reviews.putJob(later);
    expect(await world.start().deliver({ v: 1, profile: PROFILE, review: later.review })).toEqual({ act: "ack" });
    expect(world.log).toContainEqual({ event: "reviews_swept", profile: PROFILE, reviews: 1 });
    expect(await world.reviews.list()).toMatchObject([{ review: later.review }]);
    expect(await world.reviews.job(world.job.review)).toBeNull();
  });
});
