// What a session books, and the budgets that it checks before its calls.
import { describe, expect, it } from "vitest";
import { MODEL_SLOTS, type Model } from "../../core/agent/contract.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { type Entry, NO_USAGE, textOf } from "../../core/schemas/entry.ts";
import { UsageKind, toUsdMicros } from "../../core/schemas/usage.ts";
import type { AccountPort } from "../../core/session/context.ts";
import { toTurnLines } from "../../core/session/ledger.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { createAccountDouble } from "../support/account-double.ts";
import { reviewResult } from "../support/skills/reviews.ts";
import { type ScriptLine, createScriptedModel } from "../support/wires/scripted-model.ts";
import { type HarnessOptions, PROFILE, SESSION, createSessionHarness } from "../support/session/session-harness.ts";

const DAY_MS = 24 * 60 * 60_000;
const list: ScriptLine = { calls: [{ name: "skills_list" }] };
const done: ScriptLine = { text: "Done." };
const costs = (usdMicros: number) => ({ cost: { usdMicros, source: "catalog" as const } });
const NO_LIMIT = { tokens: 0, usdMicros: 0 };

function setUp(script: ScriptLine[], options: Partial<HarnessOptions> = {}) {
  const model = createScriptedModel(script);
  const harness = createSessionHarness({ model, ...options });
  const life = harness.boot();
  const { engine } = life;
  async function turn(text = "Go.") {
    await engine.create({ learning: "on", title: "" });
    expect(await engine.post({ text })).toMatchObject({ ok: true });
    await life.settled();
    const n = engine.detail()!.turns.at(-1)!.n;
    const entries = engine.entries(0);
    const own = entries.ok ? entries.value.filter((entry) => entry.turn === n) : [];
    const last = own.at(-1)!;
    return {
      state: engine.detail()!.turns.at(-1)!.state,
      code: last.kind === "notice" ? last.code : "",
      text: textOf(last),
    };
  }
  return { ...harness, model, life, engine, turn };
}

const line = (calls: number, usdMicros = 0, source: "none" | "catalog" = "none") => ({
  kind: "turn",
  model: "scripted:test",
  source,
  calls,
  usage: { ...NO_USAGE, input: 10 * calls, output: 5 * calls },
  usdMicros,
});

describe("a turn", () => {
  it("is booked once, by id, when it ends: each call, and the cost of those with a known price", async () => {
    const world = setUp([{ ...list, ...costs(30) }, list, { ...done, ...costs(12) }, done]);
    const at = world.clock.now();
    await world.turn();
    expect(world.booked).toEqual([
      { id: `${SESSION}-1`, session: SESSION, at, lines: [line(2, 42, "catalog"), line(1)] },
    ]);
    await world.turn();
    expect(world.booked.slice(1)).toEqual([{ id: `${SESSION}-2`, session: SESSION, at, lines: [line(1)] }]);
    expect(world.engine.detail()?.usage).toEqual({ calls: 4, tokens: 60, usd: 0.000042 });
    expect(world.sql.run("SELECT id FROM job WHERE id LIKE 'usage:%'")).toEqual([]);
  });

  it("is booked again, with the same content, until the account has answered", async () => {
    const account = createAccountDouble();
    const times: number[] = [];
    const book: AccountPort["book"] = async (booking) => {
      await account.port.book(booking);
      if (times.push(booking.at) < 3) throw new Error("the answer was lost");
    };
    const world = setUp([done], { account: { ...account.port, book } });
    const at = world.clock.now();
    await world.turn();
    for (let wakes = 0; world.alarmAt() !== null && wakes < 9; wakes++) await world.life.wake();
    expect(times).toEqual([at, at, at]);
    const today = { from: "2026-01-05", to: "2026-01-05", by: "day", now: at } as const;
    expect(account.report(today).totals).toMatchObject({ calls: 1, tokens: 15 });
  });

  it("arms no alarm for its booking: the drive's alarm covers an object that dies before it is sent", async () => {
    const { port } = createAccountDouble();
    const seen: unknown[] = [];
    const book: AccountPort["book"] = async (booking) => {
      seen.push([world.alarmAt(), world.sql.run("SELECT id, due FROM job")]);
      return port.book(booking);
    };
    const world = setUp([done, done], { account: { ...port, book } });
    await world.turn(); // the first turn of a day adds more jobs than a booking
    world.clock.advance(1_000);
    const due = world.clock.now() + DEFAULTS.turn.leaseMs;
    await world.turn();
    expect(seen[1]).toEqual([due, [{ id: "observe:2", due }]]);
  });

  it("leaves its alarm armed when nothing is left to do; the alarm fires once, and is not armed again", async () => {
    const world = setUp([done, done, done]);
    await world.turn(); // the first turn of a day adds one more job
    world.clock.advance(1_000);
    const armed = world.clock.now() + DEFAULTS.turn.leaseMs;
    await world.turn();
    expect(world.alarmAt()).toBe(armed);
    world.clock.advance(1_000);
    await world.turn();
    expect(world.alarmAt()).toBe(armed);
    await world.life.wake();
    expect(world.alarmAt()).toBeNull();
  });

  it("is not booked if it never asked a model", async () => {
    const world = setUp([], { models: {} });
    await world.engine.create({ learning: "on", title: "" });
    await world.engine.post({ text: "/refresh" });
    await world.life.settled();
    expect(world.booked).toEqual([]);
    expect(world.engine.detail()?.usage).toEqual({ calls: 0, tokens: 0, usd: 0 });
  });

  it("is booked with every call of its entries: answers, summaries, and failed calls that were charged", () => {
    const base = { v: 1 as const, turn: 1, at: 1, parts: [] };
    const usage = { ...NO_USAGE, input: 3, output: 4, reasoning: 2 };
    const call = { model: "m:b", usage, ...costs(7) };
    const compaction = {
      step: 0,
      head: 1,
      tail: 2,
      method: "model" as const,
      kept: [],
      tokensBefore: 9,
      tokensAfter: 1,
    };
    const entries: Entry[] = [
      { ...base, n: 1, kind: "user" },
      { ...base, n: 2, kind: "notice", code: "model_retried", spent: { model: "m:a", usage } },
      { ...base, n: 3, kind: "notice", code: "resumed" },
      { ...base, n: 3, kind: "notice", code: "compaction_failed", spent: { model: "m:a", usage } },
      { ...base, n: 4, kind: "compaction", ...compaction, droppedSkills: [], calls: [call, call] },
      { ...base, n: 5, kind: "assistant", answer: { calls: [], stop: "end", ...call } },
    ];
    const twice = { ...NO_USAGE, input: 6, output: 8, reasoning: 4 };
    expect(toTurnLines(entries)).toEqual([
      { kind: "compaction", model: "m:a", source: "none", calls: 1, usage, usdMicros: 0 },
      { kind: "compaction", model: "m:b", source: "catalog", calls: 2, usage: twice, usdMicros: 14 },
      { kind: "turn", model: "m:a", source: "none", calls: 1, usage, usdMicros: 0 },
      { kind: "turn", model: "m:b", source: "catalog", calls: 1, usage, usdMicros: 7 },
    ]);
  });

  it("is booked with a kind for each slot of models but `judge`, and one each for images and for voice messages", () => {
    expect([...UsageKind.options, "judge"].toSorted()).toEqual([...MODEL_SLOTS, "image", "voice"].toSorted());
  });
});

describe("a review", () => {
  const everyTurn = { review: { afterModelCalls: 0 } };
  const review = `${SESSION}.1-2`;
  const usage = { ...NO_USAGE, input: 100, output: 10 };
  const spent = [{ model: "m:a", calls: 3, usage, cost: { usdMicros: 50, source: "provider" as const } }];
  const booked = { kind: "review", model: "m:a", source: "provider", calls: 3, usage, usdMicros: 50 };

  async function reviewed(finish: (reviews: ReturnType<typeof createReviewStore>) => Promise<unknown>) {
    const account = createAccountDouble();
    const world = setUp([done], { settings: everyTurn, account: account.port });
    await world.turn();
    const asOf = (now: number) => account.report({ from: "2026-01-01", to: "2026-12-31", by: "kind", now });
    expect(asOf(world.clock.now()).grants).toMatchObject([
      { review, state: "open", tokens: DEFAULTS.review.grantTokens },
    ]);
    await finish(createReviewStore({ bucket: world.bucket, profile: PROFILE }));
    for (let wakes = 0; world.alarmAt() !== null && wakes < 40; wakes++) await world.life.wake();
    expect(world.life.reports).toEqual([]);
    return { world, lines: world.booked.slice(1), report: asOf(world.clock.now()) };
  }

  it("is settled with the costs in its result, and counts towards its session", async () => {
    const { world, lines, report } = await reviewed((reviews) => reviews.finish({ ...reviewResult(review), spent }));
    expect(lines).toEqual([{ id: review, session: SESSION, at: expect.any(Number), lines: [booked] }]);
    expect(report.grants).toEqual([]);
    expect(report.lines.map(({ key, calls, tokens }) => [key, calls, tokens])).toEqual([
      ["review", 3, 110],
      ["turn", 1, 15],
    ]);
    expect(world.engine.detail()?.usage).toEqual({ calls: 4, tokens: 125, usd: 0.00005 });
  });

  it("that was given up is settled with the calls in its script", async () => {
    const answer = { text: "", calls: [], stop: "end" as const, usage, model: "m:a", cost: spent[0]!.cost };
    const { lines, report } = await reviewed(async (reviews) => {
      await reviews.createStep(review, 0, { v: 1, kind: "start", at: 1 });
      await reviews.createStep(review, 1, { v: 1, kind: "answer", at: 2, answer });
    });
    expect(lines).toEqual([{ id: review, session: SESSION, at: expect.any(Number), lines: [{ ...booked, calls: 1 }] }]);
    expect(report.grants).toEqual([]);
  });

  it("whose result has no costs, as in older versions, is settled with the calls in its script", async () => {
    const { lines } = await reviewed((reviews) => reviews.finish(reviewResult(review)));
    expect(lines).toEqual([{ id: review, session: SESSION, at: expect.any(Number), lines: [] }]);
  });

  it("that is not settled within a day is charged in full, and corrected by its result", async () => {
    const account = createAccountDouble();
    const world = setUp([done], { settings: everyTurn, account: account.port });
    await world.turn();
    const report = () => account.report({ from: "2026-01-01", to: "2026-12-31", by: "kind", now: world.clock.now() });
    const [turn, grant] = [15, DEFAULTS.review.grantTokens];
    expect(report().totals.tokens).toBe(turn);
    world.clock.advance(DAY_MS);
    expect([report().totals.tokens, report().grants[0]?.state]).toEqual([turn + grant, "unsettled"]);
    const reviews = createReviewStore({ bucket: world.bucket, profile: PROFILE });
    await reviews.finish({ ...reviewResult(review), spent });
    for (let wakes = 0; world.alarmAt() !== null && wakes < 9; wakes++) await world.life.wake();
    expect([report().totals.tokens, report().grants]).toEqual([turn + 110, []]);
  });

  it("carries its grant in its job", async () => {
    const settings = { ...everyTurn, review: { afterModelCalls: 0, grantUsd: 0.25 } };
    const world = setUp([done], { settings });
    const now = world.clock.now();
    await world.turn();
    const job = await createReviewStore({ bucket: world.bucket, profile: PROFILE }).job(review);
    const { grantTokens: tokens, grantMs } = DEFAULTS.review;
    expect(job?.grant).toEqual({ tokens, usdMicros: 250_000, expiresAt: now + grantMs });
  });
});

describe("a budget", () => {
  const forever = Array.from({ length: 50 }, () => ({ ...list, ...costs(1_000) }));

  it("of a turn ends the turn before the call that would exceed it, with a notice", async () => {
    const world = setUp(forever, { settings: { turn: { maxTokens: 40 } } });
    expect(await world.turn()).toEqual({
      state: "failed",
      code: "turn_budget_spent",
      text: "This turn's budget of 40 tokens and $200 is spent (45 tokens and $0.003). The next message has its own budget; turn.maxTokens and turn.maxUsd set it.",
    });
    expect(world.model.requests).toHaveLength(3);
    await world.turn();
    expect(world.model.requests).toHaveLength(6);
    expect(world.engine.detail()?.usage).toEqual({ calls: 6, tokens: 90, usd: 0.006 });
  });

  it("in dollars counts only the calls whose price is known", async () => {
    const settings = { turn: { maxUsd: 0.002 } };
    const world = setUp([list, list, list, { ...list, ...costs(1_999) }, { ...list, ...costs(1) }, done], { settings });
    expect(await world.turn()).toMatchObject({ state: "failed", code: "turn_budget_spent" });
    expect(world.model.requests).toHaveLength(5);
  });

  it("never cuts off an answer that has begun", async () => {
    const big = { text: "A long answer.", usage: { output: 1_000_000 } };
    const world = setUp([big, done], { settings: { turn: { maxTokens: 10 }, budget: { sessionTokens: 10 } } });
    expect(await world.turn()).toEqual({ state: "done", code: "", text: "A long answer." });
    expect(await world.turn()).toEqual({
      state: "failed",
      code: "session_budget_spent",
      text: "This session's budget of 10 tokens is spent and is not renewed. Go on in a new session.",
    });
    expect(world.model.requests).toHaveLength(1);
  });

  it("of a session spans its turns and reviews", async () => {
    const settings = { review: { afterModelCalls: 0 }, budget: { sessionTokens: 100 } };
    const world = setUp([done, done], { settings });
    await world.turn();
    const reviews = createReviewStore({ bucket: world.bucket, profile: PROFILE });
    const spent = {
      model: "m:a",
      calls: 1,
      usage: { ...NO_USAGE, input: 90 },
      cost: { usdMicros: 0, source: "none" as const },
    };
    await reviews.finish({ ...reviewResult(`${SESSION}.1-2`), spent: [spent] });
    await world.life.wake();
    expect(await world.turn()).toMatchObject({ code: "session_budget_spent" });
  });

  it("counts what was spent before the turn crashed", async () => {
    const world = setUp(forever, { settings: { turn: { maxTokens: 40 } } });
    await world.engine.create({ learning: "on", title: "" });
    await world.engine.post({ text: "Go." });
    for (let tick = 0; world.model.requests.length < 2 && tick < 1_000; tick++) await Promise.resolve();
    world.life.kill();
    await world.life.settled();
    const answers = () => world.sql.run('SELECT 1 FROM entry WHERE body LIKE \'%"kind":"assistant"%\'').length;
    const before = [world.model.requests.length, answers()];
    const second = world.boot();
    for (let wakes = 0; world.alarmAt() !== null && wakes < 9; wakes++) await second.wake();
    expect(second.engine.detail()?.turns[0]?.state).toBe("failed");
    expect(answers()).toBe(3);
    expect(world.model.requests.length - before[0]!).toBe(3 - before[1]!);
  });

  it("does not ask the account if there is no daily limit", async () => {
    const asked: unknown[] = [];
    const account = { reserveTurn: async (request: unknown) => (asked.push(request), NO_LIMIT) };
    const world = setUp([list, done], { account, settings: { turn: { maxTokens: 1_000 }, budget: { sessionUsd: 5 } } });
    expect(await world.turn()).toMatchObject({ state: "done" });
    expect(asked).toEqual([]);
  });

  it("of a profile's day is reserved in slices: at the first call, and when a slice is used up", async () => {
    const account = createAccountDouble();
    const asked: number[] = [];
    const reserveTurn: AccountPort["reserveTurn"] = async (request) => {
      asked.push(request.spent.tokens);
      return account.port.reserveTurn(request);
    };
    const settings = { budget: { profileDayTokens: 300 } };
    const world = setUp([...Array.from({ length: 4 }, () => list), done], {
      account: { ...account.port, reserveTurn },
      settings,
    });
    expect(await world.turn()).toMatchObject({ state: "done" });
    expect(asked).toEqual([0, 30, 60]);
  });

  it("of a profile's day is shared by two sessions, and is renewed at midnight UTC", async () => {
    const account = createAccountDouble();
    const settings = { budget: { profileDayTokens: 100 }, review: { enabled: false } };
    const other = "01J00000000000000000000001";
    const rename = (id: string) => id.replace(SESSION, other);
    const ofOther: Partial<AccountPort> = {
      reserveTurn: (request) => account.port.reserveTurn({ ...request, session: other, turn: rename(request.turn) }),
      book: (booking) => account.port.book({ ...booking, session: other, id: rename(booking.id) }),
    };
    const worlds = [account.port, ofOther].map((port) => setUp(forever, { account: port, settings }));
    const ends = await Promise.all(worlds.map((world) => world.turn()));
    expect(ends.map(({ code }) => code)).toEqual(["profile_budget_spent", "profile_budget_spent"]);
    expect(ends[0]?.text).toBe(
      "Today's budget of 100 tokens for this profile is spent, or reserved for what is running. It is renewed at 2026-01-06T00:00Z.",
    );
    const [first] = worlds;
    const calls = () => worlds.reduce((sum, world) => sum + world.model.requests.length, 0);
    // Each of the two may exceed it by one call of at most 15 tokens.
    expect([calls() * 15 >= 100, calls() * 15 < 100 + 2 * 15]).toEqual([true, true]);
    const before = calls();
    expect(await first!.turn()).toMatchObject({ code: "profile_budget_spent" });
    expect(calls()).toBe(before);
    first!.clock.advance(DAY_MS);
    await first!.turn();
    expect(calls()).toBeGreaterThan(before);
  });

  it("makes the turn wait, without spending, if the account cannot be reached", async () => {
    let away = true;
    const reserveTurn: AccountPort["reserveTurn"] = async ({ day }) => {
      if (away) throw new Error("the account is away");
      return day;
    };
    const world = setUp([done], { account: { reserveTurn }, settings: { budget: { profileDayUsd: 1 } } });
    await world.engine.create({ learning: "on", title: "" });
    await world.engine.post({ text: "Go." });
    await world.life.settled();
    expect([world.model.requests, world.engine.detail()?.turns[0]?.state]).toEqual([[], "running"]);
    away = false;
    for (let wakes = 0; world.alarmAt() !== null && wakes < 9; wakes++) await world.life.wake();
    expect(world.engine.detail()?.turns[0]?.state).toBe("done");
  });

  it("in dollars is rounded to whole millionths, and a limit that is set never becomes none", () => {
    expect([0, 0.29, 1.1, 19.99, 1e-9].map(toUsdMicros)).toEqual([0, 290_000, 1_100_000, 19_990_000, 1]);
  });
});

describe("a call that returned no answer", () => {
  const spent = { model: "m:2", usage: { ...NO_USAGE, input: 100 }, ...costs(9) };
  const charged = { kind: "turn", model: "m:2", source: "catalog", calls: 1, usage: spent.usage, usdMicros: 9 };
  const stalled = { code: "stream_stalled", retry: true, fallBack: true, spent };
  const linesOf = ({ booked }: ReturnType<typeof setUp>) => booked.flatMap(({ lines }) => lines);

  it("is counted once, with or without partial text", async () => {
    for (const text of ["", "Half an"]) {
      const world = setUp([{ text, failure: { code: "auth", spent } }]);
      expect(await world.turn()).toMatchObject({ state: "failed" });
      expect(linesOf(world)).toEqual([charged]);
    }
  });

  it("is counted once if the conversation was refused as too long and could not be shortened", async () => {
    const world = setUp([{ failure: { code: "context_overflow", compact: true, spent } }]);
    expect(await world.turn()).toMatchObject({ state: "failed", code: "context_overflow" });
    expect(linesOf(world)).toEqual([charged]);
  });

  it("is repeated only within the budget, which includes what it was charged", async () => {
    const script = [stalled, stalled, stalled].map((failure) => ({ failure }));
    const world = setUp([...script, done], { settings: { turn: { maxTokens: 150 } } });
    expect(await world.turn()).toMatchObject({ state: "failed", code: "turn_budget_spent" });
    expect(world.model.requests).toHaveLength(2);
    expect(linesOf(world)).toEqual([{ ...charged, calls: 2, usage: { ...NO_USAGE, input: 200 }, usdMicros: 18 }]);
  });

  it.each([
    ["had said nothing", "", false],
    ["had said something", "Half an", false],
    ["finished its answer", "Half an", true],
  ])("is booked if the turn was stopped while the model %s", async (_what, text, isAnswered) => {
    const model: Model = {
      name: spent.model,
      contextWindow: 200_000,
      async *stream(_request, signal) {
        if (text) yield { type: "text_delta", text };
        await new Promise<void>((stop) => signal.addEventListener("abort", () => stop(), { once: true }));
        const failure = {
          code: "aborted",
          message: "",
          retry: false,
          compact: false,
          rotateKey: false,
          fallBack: false,
        };
        if (isAnswered) yield { type: "done", answer: { text, calls: [], stop: "end", ...spent } };
        else yield { type: "failed", failure: { ...failure, spent } };
      },
    };
    const harness = createSessionHarness({ model });
    const life = harness.boot();
    await life.engine.create({ learning: "off", title: "" });
    await life.engine.post({ text: "Go." });
    for (let tick = 0; tick < 300; tick++) await Promise.resolve();
    await life.engine.stop();
    await life.settled();
    const lines = harness.booked.flatMap((booking) => booking.lines);
    expect(lines.reduce((sum, { calls }) => sum + calls, 0)).toBe(1);
    expect(life.engine.detail()?.usage).toEqual({ calls: 1, tokens: 100, usd: 0.000009 });
    for (let wakes = 0; harness.alarmAt() !== null && wakes < 5; wakes++) await life.wake();
    expect(harness.sql.run("SELECT id FROM job WHERE id LIKE 'usage:%'")).toEqual([]);
  });
});
