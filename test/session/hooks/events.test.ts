// Which events a session hands to its profile's Account, and that a crash between an event and its handing over loses none.
import { describe, expect, test } from "vitest";
import type { SkillMove } from "../../../core/learning/evidence/settle.ts";
import type { HookEvent, HookEventType } from "../../../core/schemas/profile/hooks.ts";
import { noProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { createFileChanges } from "../../../core/session/approvals/file-changes.ts";
import { planWithdrawn } from "../../../core/session/hooks/events.ts";
import { createPendingStore } from "../../../stores/pending-store.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { beginTurn, createEngineContext } from "../../support/session/engine-context.ts";
import { call, createParkedSession } from "../../support/session/parked-session.ts";
import { type HarnessOptions, PROFILE, SESSION, createSessionHarness } from "../../support/session/session-harness.ts";
import { reviewResult } from "../../support/skills/reviews.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";

const ALL: HookEventType[] = [
  ...([
    "turn.ended",
    "review.learned",
    "pending.created",
    "approval.needed",
    "skill.withdrawn",
    "budget.reached",
  ] as const),
];
const DONE: ScriptLine = { text: "Done." };

/** An owner with one hook, and an Account that takes events. `isDown`: it does not answer. */
function createOwner(events: HookEventType[] = ALL) {
  const settings = noProfileSettings();
  settings.rev = 1;
  const hook = { v: 1 as const, url: "https://receiver.example.com/", events, createdAt: 0, secret: "sealed" };
  settings.sections.hooks.hook_000000000001 = hook;
  const taken: HookEvent[] = [];
  const state = { isDown: false };
  return {
    taken,
    state,
    ofType: (type: HookEventType) => taken.filter((event) => event.type === type).map(dataOf),
    ports: {
      readProfileSettings: async () => structuredClone(settings),
      hooks: {
        async take(event: HookEvent) {
          if (state.isDown) throw new Error("the Account does not answer");
          taken.push(event);
        },
      },
    },
  };
}

const dataOf = ({ body }: HookEvent) => (JSON.parse(body) as { data: Record<string, unknown> }).data;

function setUp(
  script: ScriptLine[],
  { events, ...options }: Partial<HarnessOptions> & { events?: HookEventType[] } = {},
) {
  const owner = createOwner(events);
  const model = createScriptedModel(script);
  const harness = createSessionHarness({ model, ...owner.ports, ...options });
  let life = harness.boot();
  return {
    ...owner,
    harness,
    life: () => life,
    reboot: (crash: { crashAt?: number } = {}) => (life = harness.boot(crash)),
    async say(
      text: string,
      { learning = "off", settingsRev = 1 }: { learning?: "on" | "off"; settingsRev?: number } = {},
    ) {
      await life.engine.create({ learning, title: "" });
      await life.engine.post({ text, ...(settingsRev > 0 && { settingsRev }) });
      await life.settled();
    },
    jobs: () => harness.sql.run<{ id: string }>("SELECT id FROM job").map(({ id }) => id),
  };
}

describe("turn.ended", () => {
  test("says how the turn ended, with ids and counts and no text", async () => {
    const { say, taken, jobs } = setUp([{ text: "A secret answer." }]);
    await say("A secret request.");
    expect(taken).toMatchObject([
      { type: "turn.ended", session: SESSION, id: expect.stringMatching(/^msg_[0-9a-f]{32}$/) },
    ]);
    expect(dataOf(taken[0]!)).toEqual({
      ...{ profile: PROFILE, session: SESSION, turn: `${SESSION}-1`, state: "done", reason: "answer" },
      ...{ modelCalls: 1, toolCalls: 0, failedCalls: 0 },
      startedAt: "2026-01-05T09:00:00.000Z",
      endedAt: expect.stringMatching(/^2026-01-05T09:00/),
    });
    expect(taken[0]!.body).not.toContain("secret");
    expect(jobs()).toEqual([]);
  });

  test("is sent for a first turn that runs no model, whose session has not read the settings", async () => {
    const { say, ofType } = setUp([]);
    await say("/help");
    expect(ofType("turn.ended")).toMatchObject([{ turn: `${SESSION}-1`, state: "done" }]);
  });

  test("waits in the session until the Account answers, with the same id", async () => {
    const { say, taken, state, jobs, life } = setUp([DONE]);
    state.isDown = true;
    await say("Go.");
    const [waiting] = jobs();
    expect(waiting).toMatch(/^hook:msg_/);
    state.isDown = false;
    for (let wakes = 0; jobs().length > 0 && wakes < 5; wakes++) await life().wake();
    expect(taken.map(({ id }) => `hook:${id}`)).toEqual([waiting]);
    expect(jobs()).toEqual([]);
  });

  test("survives a crash at every write, and is the same event however often it is handed over", async () => {
    const calm = setUp([DONE]);
    await calm.say("Go.");
    const writes = calm.harness.crashPoints();
    expect(writes).toBeGreaterThan(10);
    const lost: number[] = [];
    const ids = new Set(calm.taken.map(({ id }) => id));
    for (let crashAt = 1; crashAt <= writes; crashAt++) {
      const world = setUp([DONE, DONE, DONE]);
      world.reboot({ crashAt });
      await world.say("Go.").catch(() => undefined);
      world.reboot();
      for (let wakes = 0; wakes < 9 && (world.harness.alarmAt() !== null || wakes === 0); wakes++) {
        await world.life().wake();
      }
      const detail = world.life().engine.detail();
      for (const { id } of world.taken) ids.add(id);
      if (detail?.turns[0]?.state === "done" && world.taken.length === 0) lost.push(crashAt);
    }
    expect(lost).toEqual([]);
    expect(ids.size).toBe(1);
  }, 60_000);

  test("costs a profile with other hooks no row and no request", async () => {
    const without = createSessionHarness({ model: createScriptedModel([DONE, DONE]) });
    const plain = without.boot();
    await plain.engine.create({ learning: "off", title: "" });
    const world = setUp([DONE, DONE], { events: ["skill.withdrawn"] });
    await world.say("Go.");
    await plain.engine.post({ text: "Go." });
    await plain.settled();
    const before = [without.writes(), world.harness.writes()];
    await world.say("Go on.");
    await plain.engine.post({ text: "Go on." });
    await plain.settled();
    expect(world.harness.writes() - before[1]!).toBe(without.writes() - before[0]!);
    expect(world.taken).toEqual([]);
  });
});

describe("approval.needed", () => {
  test("is sent when a turn parks, at once", async () => {
    const owner = createOwner();
    const world = await createParkedSession([call("rm a"), DONE], owner.ports);
    await world.engine.post({ text: "Tidy up.", settingsRev: 1 });
    await world.life.settled();
    expect(world.turn().state).toBe("parked");
    await world.life.wake();
    const [asked] = world.waiting();
    expect(owner.ofType("approval.needed")).toEqual([
      {
        ...{ profile: PROFILE, session: SESSION, turn: `${SESSION}-1`, for: "approval", approval: asked!.id },
        until: new Date(world.turn().parked!.until).toISOString(),
      },
    ]);
    expect(owner.taken[0]!.body).not.toContain("rm a");
    expect(world.turn().state).toBe("parked");
    await world.decide({ approve: true });
    expect(owner.ofType("turn.ended")).toMatchObject([{ state: "done" }]);
  });

  test("is sent for a question of the agent", async () => {
    const ask = { name: "clarify", args: { questions: [{ question: "Red or blue?", choices: ["red", "blue"] }] } };
    const { say, life, ofType } = setUp([{ calls: [ask] }, DONE]);
    await say("Paint it.");
    await life().wake();
    expect(ofType("approval.needed")).toMatchObject([{ turn: `${SESSION}-1`, for: "clarify" }]);
  });

  test("is sent for a file that only the person may change", () => {
    const context = createEngineContext().open();
    const owner = createOwner();
    context.host.hooks = owner.ports.hooks;
    context.log.setMeta("profile", { v: 1, rev: 1, sections: { hooks: hookFor("approval.needed") } });
    beginTurn(context);
    createFileChanges(context).park({ op: "1", path: "AGENTS.md", content: "x" });
    createFileChanges(context).park({ op: "1", path: "AGENTS.md", content: "x" });
    const events = context.jobs.all().flatMap(({ job }) => (job.kind === "hook" ? [dataOf(job.event)] : []));
    expect(events).toMatchObject([{ for: "file", approval: expect.any(String), turn: `${SESSION}-1` }]);
  });
});

const hookFor = (type: HookEventType) => ({
  hook_000000000001: { v: 1, url: "https://a.example.com/", events: [type], createdAt: 0, secret: "sealed" },
});

describe("pending.created", () => {
  test("is sent for a write of the session that waits for the person", async () => {
    const add = { name: "memory", args: { action: "add", store: "user", content: "Prefers metric units." } };
    const { say, ofType, taken } = setUp([{ calls: [add] }, DONE], { settings: { memory: { writeApproval: true } } });
    await say("Remember it.", { learning: "on" });
    const facts = {
      tool: "memory",
      by: "session",
      turn: `${SESSION}-1`,
      pending: expect.stringMatching(/^[0-9a-f]{20}$/),
    };
    expect(ofType("pending.created")).toEqual([{ profile: PROFILE, session: SESSION, ...facts }]);
    expect(JSON.stringify(taken)).not.toContain("metric");
  });

  test("and review.learned are sent when the session reads what a review has done", async () => {
    const { say, ofType, harness } = setUp([DONE, DONE], { settings: { review: { afterModelCalls: 0 } } });
    await say("Hi.", { learning: "on" });
    const { review } = harness.sent[0]!;
    const of = { bucket: harness.bucket, profile: PROFILE };
    const pending = createPendingStore({ ...of, clock: harness.clock, random: () => 0.5 });
    const change = (id: string, op: string) =>
      pending.park({
        ...{ v: 1, id: id.repeat(20), tool: "memory", args: {}, prepared: {}, op, origin: "review", session: SESSION },
        ...{ reason: "taint", why: "w", summary: "s", diff: "d", seen: null, state: "waiting" },
        ...{ askedAt: harness.clock.now(), decidedAt: null, outcome: null },
      });
    await change("a", `${review}.0003`);
    await change("b", `${SESSION}.90-99.0001`);
    const lesson = {
      kind: "skill" as const,
      skill: "tables",
      action: "create",
      rev: 1,
      text: "c".repeat(64),
      citations: [],
    };
    await createReviewStore(of).finish({ ...reviewResult(review), lessons: [lesson], waiting: 1 });
    await say("Hi again.", { learning: "on" });
    expect(ofType("pending.created")).toMatchObject([{ pending: "a".repeat(20), by: "review", review }]);
    expect(ofType("review.learned")).toEqual([
      { profile: PROFILE, session: SESSION, review, trigger: "value", skills: ["tables"], facts: 0, waiting: 1 },
    ]);
  });

  test("is not asked after in the store unless a hook wants it", async () => {
    const { say, harness, taken } = setUp([DONE, DONE], {
      events: ["turn.ended"],
      settings: { review: { afterModelCalls: 0 } },
    });
    await say("Hi.", { learning: "on" });
    const { review } = harness.sent[0]!;
    await createReviewStore({ bucket: harness.bucket, profile: PROFILE }).finish({
      ...reviewResult(review),
      waiting: 1,
    });
    await say("Hi again.", { learning: "on" });
    expect(taken.map(({ type }) => type)).toEqual(["turn.ended", "turn.ended"]);
  });
});

describe("budget.reached", () => {
  test("names the budget, once for a session that has spent its own", async () => {
    const settings = { budget: { sessionTokens: 10 } };
    const { say, taken, ofType } = setUp([{ text: "Long.", usage: { output: 1_000 } }], { settings });
    await say("Go.");
    await say("Go on.");
    await say("Go on.");
    expect(ofType("budget.reached")).toMatchObject([
      { turn: `${SESSION}-2`, budget: "session" },
      { turn: `${SESSION}-3`, budget: "session" },
    ]);
    const ids = taken.filter(({ type }) => type === "budget.reached").map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
  });

  test("of a profile's day is one event for all its sessions", async () => {
    const worlds = [SESSION, "01J00000000000000000000001"].map((session) =>
      setUp([DONE], {
        session,
        settings: { budget: { profileDayTokens: 1 } },
        account: { reserveTurn: async () => null },
      }),
    );
    for (const world of worlds) await world.say("Go.");
    const found = worlds.flatMap(({ taken }) => taken.filter(({ type }) => type === "budget.reached"));
    expect(found.map(dataOf)).toMatchObject([{ budget: "profile_day" }, { budget: "profile_day" }]);
    expect(new Set(found.map(({ id }) => id)).size).toBe(1);
  });
});

test("skill.withdrawn is planned for texts that were withdrawn, whole or in part, and for no other move", () => {
  const context = createEngineContext().open();
  context.host.hooks = createOwner().ports.hooks;
  context.log.setMeta("profile", { v: 1, rev: 1, sections: { hooks: hookFor("skill.withdrawn") } });
  const move: SkillMove = {
    ...{ skill: "tables", from: "active", to: "archived", reason: "It failed.", rev: 3, withdrew: true, inPart: false },
  };
  planWithdrawn(context, [move, { ...move, skill: "other", withdrew: false }, move]);
  const events = context.jobs.all().flatMap(({ job }) => (job.kind === "hook" ? [dataOf(job.event)] : []));
  expect(events).toEqual([
    { profile: PROFILE, session: SESSION, skill: "tables", state: "archived", rev: 3, inPart: false },
  ]);
});
