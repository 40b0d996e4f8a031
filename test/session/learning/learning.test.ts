// What a session's turns store for learning: evidence and active days that the curator reads, reviews when they are due and no
// more often, and nothing if learning is off.
import { describe, expect, it } from "vitest";
import { toHeadCheck } from "../../../core/learning/curation/head-check.ts";
import { runCuration } from "../../../core/learning/curation/run-curation.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import { createCurationStore } from "../../../stores/curation/curation-store.ts";
import { deliverCuration, sendDueShards } from "../../../workers/curator/deliver.ts";
import type { CurationMessage } from "../../../core/schemas/learning/curation.ts";
import { SKILL, SKILL_MD } from "../../review/script.ts";
import { reviewResult } from "../../support/skills/reviews.ts";
import { type ScriptLine } from "../../support/wires/scripted-model.ts";
import { PROFILE, SESSION } from "../../support/session/session-harness.ts";
import {
  type LearningSession,
  type SessionOptions,
  createLearningSession,
  done,
  ticks,
  view,
  write,
} from "../../support/session/scripted-session.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Runs the curator Worker's hour, and every message it sends to itself. */
async function curate({ bucket, skills, evidenceStore: evidence, clock }: LearningSession) {
  const curation = createCurationStore({ bucket });
  const queue: CurationMessage[] = [];
  const options = {
    curation,
    queue: { send: async (message: CurationMessage) => void queue.push(message) },
    run: (profile: string, run: string, dryRun: boolean) =>
      runCuration({
        ...{ profile, run, dryRun, curation, skills, evidence, clock, settings: DEFAULTS },
        checkHead: toHeadCheck({}, DEFAULTS.skills),
      }),
    clock,
    random: () => 0.5,
    log: () => {},
  };
  await sendDueShards(options);
  for (let message = queue.shift(); message; message = queue.shift()) await deliverCuration(message, 1, options);
  return bucket.keys().filter((key) => key.startsWith("due/"));
}

const list: ScriptLine = { calls: [{ name: "skills_list" }] };
const readIn = (path: string): ScriptLine => ({ calls: [{ name: "read_file", args: { path } }] });
/** With the settings of a person who changed none. */
const open = (script: ScriptLine[], options: SessionOptions = {}) =>
  createLearningSession(script, { settings: {}, ...options });
const everyTurn = { review: { afterModelCalls: 0 } };

describe("a turn that read a skill", () => {
  it("stores evidence and an active day, which the curator finds the day after", async () => {
    const world = await open([view, write, done, view, readIn("nowhere.txt"), done]);
    const text = await world.learn();
    const keysBefore = world.bucket.keys();
    await world.say("Go on.");
    await world.say("Go on.");
    const day = "2026-01-05";
    const of = (n: number, outcome: "success" | "failure") => ({
      ...{ v: 2, skill: SKILL, text, turn: `${SESSION}-${n}`, judge: "exit", nth: 1, outcome, day },
      ...{ modelCalls: 3, toolCalls: 2, failedCalls: outcome === "failure" ? 1 : 0 },
    });
    expect(await world.fullEvidence()).toMatchObject([of(1, "success"), of(2, "failure")]);
    expect(await world.evidenceStore.activeDays("2026-01-01")).toEqual([day]);
    const written = world.bucket.keys().filter((key) => !keysBefore.includes(key));
    expect(written.filter((key) => key.startsWith("due/"))).toEqual([
      expect.stringMatching(new RegExp(`^due/${day}/[0-9a-f]{2}/${PROFILE}$`)),
    ]);
    expect(await curate(world)).toHaveLength(1); // the day is not over

    world.clock.advance(DAY_MS);
    expect(await curate(world)).toEqual([]);
    const curation = createCurationStore(world);
    const [run = ""] = await curation.runs(PROFILE);
    const report = await curation.report(PROFILE, run);
    expect(report?.markdown).toContain(`| ${SKILL} | trial | 2 | 1 | 1 | 0, 0 active |`);
    expect(JSON.parse((await (await world.bucket.get(`p/${PROFILE}/stats/${SKILL}`))?.text()) ?? "")).toMatchObject({
      ...{ skill: SKILL, uses: 2, successes: 1, failures: 1, lastUsedDay: day },
    });
  });

  it("has its failures counted by the curator at once, and its successes once the skill has been used often", async () => {
    const world = await open([view, write, done, view, write, done, view, readIn("nowhere.txt"), done]);
    await world.learn();
    const use = (uses: number) => ({ [SKILL]: { uses, successes: uses, failures: 0, lastUsedDay: null } });
    const stats = async () => {
      const stored = await world.bucket.get(`p/${PROFILE}/stats/${SKILL}`);
      return stored && (JSON.parse(await stored.text()) as { uses: number }).uses;
    };
    await world.skills.noteUse(use(99));
    await world.say("Go on.");
    expect(await stats()).toBe(1);
    await world.skills.noteUse(use(100));
    await world.say("Go on.");
    expect(await stats()).toBe(1);
    await world.say("Go on.");
    expect(await stats()).toBe(3);
  });

  it("stores no evidence if it was stopped, and is not reviewed", async () => {
    const hanging: ScriptLine = { text: "I was", until: new Promise(() => {}) };
    const world = await open([view, hanging], { settings: everyTurn });
    await world.learn();
    expect(await world.engine.post({ text: "Go." })).toMatchObject({ ok: true });
    await ticks(500);
    expect(world.model.requests).toHaveLength(2);
    await world.engine.stop();
    await world.life.settled();
    expect(await world.fullEvidence()).toEqual([]);
    expect(world.sent).toEqual([]);
  });
});

describe("a review", () => {
  it("is requested at the tenth model call with tools since the last review, and covers all turns since", async () => {
    // Each request asks something else: guardrails would stop the same call repeated.
    const looks = Array.from({ length: 8 }, (_, n) => ({ calls: [{ name: "skills_list", args: { query: `q${n}` } }] }));
    const more = ["x", "y"].map((query) => ({ calls: [{ name: "skills_list", args: { query } }] }));
    const world = await open([...looks, done, ...more, done, done]);
    await world.say("Go on.");
    expect(world.sent).toEqual([]);
    await world.say("Go on.");
    const review = `${SESSION}.1-24`;
    expect(world.sent).toEqual([{ v: 1, profile: PROFILE, review }]);
    const { trigger, skills, memory, grant, createdAt, entries } = (await world.reviews.job(review))!;
    expect({ trigger, skills, memory }).toEqual({ trigger: "model_calls", skills: true, memory: true });
    const { grantTokens, grantMs } = DEFAULTS.review;
    expect(grant).toEqual({ tokens: grantTokens, expiresAt: createdAt + grantMs });
    expect(entries).toHaveLength(24);
    await world.say("Go on.");
    expect(world.engine.detail()?.reviewing).toEqual([review]);
  });

  it("is requested after a turn that recovered from a failure", async () => {
    const script = [readIn("b.txt"), write, readIn("a.txt"), readIn("a.txt"), readIn("a.txt"), done];
    const world = await open(script);
    await world.say("Go on.");
    const review = `${SESSION}.1-12`;
    expect(world.sent.map((message) => message.review)).toEqual([review]);
    expect(await world.reviews.job(review)).toMatchObject({ trigger: "value", observations: [{ value: 0.6 }] });
  });

  it("is the only one of its session in flight, and the next comes ten minutes after it began", async () => {
    const world = await open([done, done, done, done], { settings: everyTurn });
    await world.say("Go on.");
    world.clock.advance(11 * MINUTE_MS);
    await world.say("Go on.");
    expect(world.reviewsSent()).toEqual([`${SESSION}.1-2`]);
    await world.reviews.finish(reviewResult(`${SESSION}.1-2`));
    for (let wakes = 0; world.alarmAt() !== null && wakes < 5; wakes++) await world.life.wake();
    expect(world.engine.detail()?.reviewing).toEqual([]);
    await world.say("Go on.");
    expect(world.reviewsSent()).toEqual([`${SESSION}.1-2`, `${SESSION}.3-6`]);

    const quick = await open([done, done, done], { settings: everyTurn });
    await quick.say("Go on.");
    await quick.reviews.finish(reviewResult(`${SESSION}.1-2`));
    await quick.life.wake();
    quick.clock.advance(9 * MINUTE_MS);
    await quick.say("Go on.");
    expect(quick.sent).toHaveLength(1);
    quick.clock.advance(MINUTE_MS);
    await quick.say("Go on.");
    expect(quick.sent.map(({ review }) => review)).toEqual([`${SESSION}.1-2`, `${SESSION}.3-6`]);
  });

  it("waits for the time that the profile's account names, then is sent once", async () => {
    const asked: unknown[] = [];
    const world = await open([done], {
      settings: everyTurn,
      account: {
        async reserveReview(request) {
          asked.push(request);
          const retryAt = request.now + 2 * MINUTE_MS;
          return asked.length === 1 ? { granted: false, retryAt } : { granted: true, grant: request.grant };
        },
      },
    });
    const now = world.clock.now();
    await world.say("Go on.");
    const { perProfileMs, grantTokens: tokens, grantMs } = DEFAULTS.review;
    const request = (at: number) => ({
      review: `${SESSION}.1-2`,
      session: SESSION,
      now: at,
      perProfileMs,
      urgent: false,
      maxBacklog: DEFAULTS.review.maxBacklog,
      grant: { tokens, expiresAt: at + grantMs },
      day: { tokens: 0, usdMicros: 0 },
    });
    expect(asked).toEqual([request(now)]);
    expect([world.sent, world.bucket.keys().filter((key) => key.includes("/reviews/"))]).toEqual([[], []]);
    while (world.sent.length === 0) await world.life.wake();
    expect(asked).toEqual([request(now), request(now + 2 * MINUTE_MS)]);
    await world.life.wake();
    expect(asked).toHaveLength(2);
  });

  it("that never ends is looked for eleven times over a week, then gets a tombstone", async () => {
    const world = await open([done], { settings: everyTurn });
    await world.say("Go on.");
    const begun = world.clock.now();
    for (let wakes = 0; world.alarmAt() !== null && wakes < 40; wakes++) await world.life.wake();
    const review = `${SESSION}.1-2`;
    expect(await world.reviews.outcome(review)).toMatchObject({ review, code: "no_result" });
    expect(world.sent).toHaveLength(DEFAULTS.review.maxLooks);
    const days = (world.clock.now() - begun) / DAY_MS;
    expect([days > 7, days < 7.1]).toEqual([true, true]);
    expect(world.engine.detail()?.reviewing).toEqual([]);
  });
});

describe("a session with learning off", () => {
  it("neither shows nor loads what was learned, and records only a day of activity", async () => {
    const seed: ScriptLine = { calls: [{ name: "skill_view", args: { name: "using-the-workspace" } }] };
    const script = [list, view, seed, done];
    const [off, on] = [await open(script, { learning: "off", settings: everyTurn }), await open(script)];
    for (const world of [off, on]) {
      await world.learn();
      await world.memory().add("user", "m1", { v: 1, text: "Likes short answers.", at: 1, origin: "user" });
      await world.say("Go on.");
    }
    const shown = (world: LearningSession) => {
      const tools = world.entries().filter((entry) => entry.kind === "tool");
      return {
        prompt: [SKILL, "Likes short answers.", "using-the-workspace"].map((words) =>
          world.model.requests[0]!.system.includes(words),
        ),
        listed: textOf(tools[0]!).includes(SKILL),
        failed: tools.map((entry) => entry.failed),
      };
    };
    expect(shown(on)).toEqual({ prompt: [true, true, true], listed: true, failed: [false, false, false] });
    expect(shown(off)).toEqual({ prompt: [false, false, true], listed: false, failed: [false, true, false] });
    expect(off.sent).toEqual([]);
    expect(off.bucket.keys().filter((key) => /\/(evidence|reviews)\//.test(key))).toEqual([]);
    expect(await off.evidenceStore.activeDays("2026-01-01")).toEqual(["2026-01-05"]);
  });
});

describe("a skill saved in a turn", () => {
  it("has the origin of the person if the request begins with /learn, and of the agent otherwise", async () => {
    const save: ScriptLine = {
      calls: [{ name: "skill_manage", args: { action: "create", name: SKILL, content: SKILL_MD } }],
    };
    for (const [request, origin] of [
      ["/learn how to add up columns", "user"],
      ["/learn-tables now", "foreground"],
      ["Please /learn this", "foreground"],
    ] as const) {
      const world = await open([save, done]);
      await world.say(request);
      expect(await world.skills.head(SKILL)).toMatchObject({ origin });
    }
  });
});

describe("an answer that a crash cut off", () => {
  it("keeps the part that readers saw if the turn is stopped after the restart", async () => {
    const long = "word ".repeat(1_000);
    const world = await open([{ text: long, until: new Promise(() => {}) }]);
    expect(await world.engine.post({ text: "Go." })).toMatchObject({ ok: true });
    for (let tick = 0; tick < 20_000 && world.sql.run("SELECT 1 FROM block").length === 0; tick++) {
      await Promise.resolve();
    }
    world.life.kill();
    const { engine, settled } = world.boot();
    await engine.stop();
    await settled();
    const entries = engine.entries(1);
    if (!entries.ok) throw new Error(entries.failure.code);
    expect(entries.value.map((entry) => entry.kind)).toEqual(["notice", "assistant", "notice"]);
    const kept = textOf(entries.value[1]!);
    expect(kept.length).toBeGreaterThanOrEqual(4_096);
    expect(long.startsWith(kept)).toBe(true);
  });
});
