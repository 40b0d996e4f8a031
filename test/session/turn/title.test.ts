// How a session without a title gets one.
import { describe, expect, it } from "vitest";
import { NO_USAGE } from "../../../core/schemas/entry.ts";
import { toTitle } from "../../../core/session/turn/title.ts";
import { createAccountDouble } from "../../support/account-double.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import {
  Crash,
  type HarnessOptions,
  type SessionLife,
  SESSION,
  createSessionHarness,
} from "../../support/session/session-harness.ts";

const NAME: ScriptLine = { text: '"Rain in Bergen and Cadiz."\n\nThat is the name.' };
const BUSY: ScriptLine = { failure: { code: "overloaded", retry: true } };
const SPENT = { model: "scripted:test", usage: { ...NO_USAGE, input: 10, output: 5 } };

function setUp(names: ScriptLine[], options: Partial<HarnessOptions> = {}, script: ScriptLine[] = []) {
  const model = createScriptedModel(script);
  const namer = createScriptedModel(names);
  const { settings = {}, ...rest } = options;
  const harness = createSessionHarness({
    model,
    models: { title: [namer] },
    ...rest,
    settings: { review: { enabled: false }, ...settings, turn: { titles: true, ...settings.turn } },
  });
  const life = harness.boot();
  async function turn(text: string, { engine, settled }: SessionLife = life) {
    await engine.create({ learning: "on", title: "" });
    expect(await engine.post({ text })).toMatchObject({ ok: true });
    await settled();
  }
  async function wakeUntilIdle() {
    for (let wakes = 0; harness.alarmAt() !== null && wakes < 20; wakes++) await life.wake();
  }
  const titleLines = () => harness.booked.flatMap(({ lines }) => lines.filter(({ kind }) => kind === "title"));
  const rows = () => harness.sql.run<{ id: string }>("SELECT id FROM job").map(({ id }) => id);
  return { ...harness, model, namer, life, turn, wakeUntilIdle, titleLines, rows };
}

describe("a session without a title", () => {
  it("gets one after its first answer, by one call that is booked as a title", async () => {
    const world = setUp([NAME], {}, [{ text: "It rained 2.8 mm." }]);
    const at = world.clock.now();
    await world.turn("What is the total?");
    expect(world.life.engine.detail()).toMatchObject({
      title: "Rain in Bergen and Cadiz",
      turns: [{ state: "done", stats: { modelCalls: 1 } }],
      usage: { calls: 2, tokens: 30 },
    });
    const line = { kind: "title", model: "scripted:test", source: "none", calls: 1, usage: SPENT.usage, usdMicros: 0 };
    expect(world.booked.at(-1)).toEqual({
      ...{ id: `${SESSION}.title`, session: SESSION, at, lines: [line] },
      title: "Rain in Bergen and Cadiz",
    });
    expect(world.namer.requests).toMatchObject([{ tools: [], toolChoice: "none", cacheKey: `${SESSION}:title` }]);
    expect(world.namer.requests[0]!.messages).toEqual([
      {
        role: "user",
        text: "<request>\nWhat is the total?\n</request>\n\n<answer>\nIt rained 2.8 mm.\n</answer>",
      },
    ]);
    await world.turn("And now?");
    expect([world.namer.requests.length, world.booked.length]).toEqual([1, 3]);
    await world.wakeUntilIdle();
    expect(world.rows()).toEqual([]);
  });

  it("keeps its own title, and gets none if the operator turned titles off", async () => {
    const own = setUp([NAME]);
    await own.life.engine.create({ learning: "on", title: "Mine" });
    await own.turn("Hello");
    const off = setUp([NAME], { settings: { turn: { titles: false } } });
    await off.turn("Hello");
    expect([own, off].map(({ life, namer }) => [life.engine.detail()?.title, namer.requests.length])).toEqual([
      ["Mine", 0],
      ["", 0],
    ]);
  });

  it("waits for an answer: neither a failed turn nor a command gives a title", async () => {
    const world = setUp([NAME], {}, [{ failure: { code: "auth" } }, { text: "Hello." }]);
    await world.turn("Hello?");
    await world.turn("/refresh");
    expect(world.namer.requests).toEqual([]);
    await world.turn("Hello again");
    expect(world.life.engine.detail()?.title).toBe("Rain in Bergen and Cadiz");
  });

  it("stays without one after three tries, each of which is booked", async () => {
    const failed: ScriptLine = { failure: { code: "overloaded", retry: true, spent: SPENT } };
    const world = setUp([failed, failed, failed, NAME]);
    await world.turn("Hello");
    await world.wakeUntilIdle();
    expect(world.namer.requests).toHaveLength(3);
    expect(world.titleLines()).toMatchObject([{ calls: 3, usage: { input: 30 } }]);
    expect(world.life.engine.detail()?.title).toBe("");
    expect(world.rows()).toEqual([]);
    await world.turn("Again");
    expect(world.namer.requests).toHaveLength(3);
  });

  it("gets it from a later try if the first finds no capacity", async () => {
    const world = setUp([BUSY, NAME]);
    await world.turn("Hello");
    expect(world.life.engine.detail()?.title).toBe("");
    await world.wakeUntilIdle();
    expect([world.life.engine.detail()?.title, world.life.reports]).toEqual(["Rain in Bergen and Cadiz", []]);
  });

  it("asks no model if a budget is spent", async () => {
    const session = setUp([NAME], { settings: { budget: { sessionTokens: 15 } } });
    await session.turn("Hello");
    const account = createAccountDouble();
    const day = setUp([NAME], { account: account.port, settings: { budget: { profileDayTokens: 15 } } });
    await day.turn("Hello");
    expect([session, day].map(({ life, namer }) => [life.engine.detail()?.title, namer.requests.length])).toEqual([
      ["", 0],
      ["", 0],
    ]);
    expect([session.rows(), day.rows()]).toEqual([[], []]);
  });

  it("leaves nothing reserved under a daily limit", async () => {
    const account = createAccountDouble();
    const world = setUp([NAME], { account: account.port, settings: { budget: { profileDayTokens: 1_000 } } });
    await world.turn("Hello");
    expect(world.life.engine.detail()?.title).toBe("Rain in Bergen and Cadiz");
    expect(account.reservations()).toEqual([]);
  });

  it("gets it once, and its cost counts once, wherever the object dies", async () => {
    for (let crashAt = 1; ; crashAt++) {
      const world = setUp([NAME, NAME, NAME]);
      const first = world.boot({ crashAt });
      await world.turn("Hello", first).catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
      await first.settled();
      const died = first.isDead();
      const second = world.boot();
      await second.engine.create({ learning: "on", title: "" });
      if (!second.engine.detail()!.turns.length) await world.turn("Hello", second);
      await second.settled();
      for (let wakes = 0; world.alarmAt() !== null && wakes < 20; wakes++) await second.wake();
      expect([crashAt, second.engine.detail()?.title, world.rows()]).toEqual([crashAt, "Rain in Bergen and Cadiz", []]);
      // The cost of a call whose answer died with the object is unknown.
      expect(new Set(world.booked.map(({ id }) => id))).toEqual(new Set([`${SESSION}-1`, `${SESSION}.title`]));
      expect(world.namer.requests.length).toBeLessThanOrEqual(2);
      if (!died) break;
    }
  });

  it("is given up if its calls kill the object repeatedly", async () => {
    const world = setUp([]);
    let asked = 0;
    let life: SessionLife;
    const deadly = createScriptedModel(Array.from({ length: 9 }, () => () => (asked++, life.kill(), { text: "Name" })));
    const harness = createSessionHarness({
      model: world.model,
      models: { title: [deadly] },
      settings: { turn: { titles: true }, review: { enabled: false } },
    });
    for (let lives = 0; lives < 8; lives++) {
      life = harness.boot();
      await life.engine.create({ learning: "off", title: "" }).catch(() => undefined);
      if (lives === 0) await life.engine.post({ text: "Hello" });
      await life.settled();
      await life.wake().catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
      await life.settled();
    }
    // The three tries, the one right after the turn, and one by an alarm that was set before the turn's end.
    expect([asked, harness.sql.run("SELECT id FROM job")]).toEqual([5, []]);
  });
});

describe("the kind of work that the same call names", () => {
  const NAMED: ScriptLine = { text: "Rain in Bergen and Cadiz\nkind: compute statistics of a table" };
  const KIND = { text: "compute statistics of a table", by: "title" };
  const observed = ({ engine }: SessionLife) => {
    const seen = engine.observation(1);
    return seen.ok ? seen.value.observation : null;
  };

  it("is stored with the turn's observation in the Archive", async () => {
    const world = setUp([NAMED], {}, [{ text: "It rained 2.8 mm." }]);
    await world.turn("What is the total?");
    expect(world.life.engine.detail()?.title).toBe("Rain in Bergen and Cadiz");
    expect(observed(world.life)?.kind).toEqual(KIND);
    expect(world.records.turns({ limit: 9 }).map((turn) => turn.kind)).toEqual([KIND]);
    await world.wakeUntilIdle();
    expect(world.rows()).toEqual([]);
  });

  it("is sent later if a later try names it, and never if none does", async () => {
    const world = setUp([BUSY, NAMED]);
    await world.turn("Hello");
    expect(observed(world.life)?.kind).toBeUndefined();
    await world.wakeUntilIdle();
    expect([observed(world.life)?.kind, world.records.turns({ limit: 9 })[0]?.kind]).toEqual([KIND, KIND]);
    expect([world.rows(), world.life.reports]).toEqual([[], []]);
    const silent = setUp([NAME]);
    await silent.turn("Hello");
    expect([observed(silent.life)?.kind, silent.records.turns({ limit: 9 })[0]?.kind]).toEqual([undefined, undefined]);
  });

  it("is not waited for longer than half a minute: the turn is observed without it", async () => {
    const answered = Promise.withResolvers<void>();
    const world = setUp([{ ...(NAMED as object), until: answered.promise }]);
    const { engine, settled } = world.life;
    await engine.create({ learning: "on", title: "" });
    await engine.post({ text: "Hello" });
    const isAsked = () => world.namer.requests.length === 1;
    await expect.poll(isAsked).toBe(true);
    expect(world.records.turns({ limit: 9 })).toEqual([]);
    world.clock.advance(30_000);
    await expect.poll(() => world.records.turns({ limit: 9 }).length).toBe(1);
    answered.resolve();
    await settled();
    await world.wakeUntilIdle();
    expect(engine.detail()?.title).toBe("Rain in Bergen and Cadiz");
    expect([observed(world.life)?.kind, world.records.turns({ limit: 9 })[0]?.kind]).toEqual([KIND, KIND]);
    expect([world.namer.requests.length, world.rows()]).toEqual([1, []]);
  });

  it("is not the title, and neither a sentence nor a secret is a kind", async () => {
    const kinds = ["kind: answer a question", `A name\nkind: ${"very ".repeat(30)}long`, "A name\nkind:"];
    const worlds = await Promise.all(
      kinds.map(async (text) => {
        const world = setUp([{ text }]);
        await world.turn("Hello");
        return [world.life.engine.detail()?.title, observed(world.life)?.kind?.text];
      }),
    );
    expect(worlds).toEqual([
      ["", "answer a question"],
      ["A name", undefined],
      ["A name", undefined],
    ]);
  });
});

describe("a title", () => {
  it.each([
    ["**Rain in Bergen**", "Rain in Bergen"],
    ["# Title of a file.", "Title of a file"],
    ["\n\n---\n„Regen in Bergen“\nMehr", "Regen in Bergen"],
    ["a\u001b[31m red\u202e name", "a [31m red name"],
    ["x".repeat(100), `${"x".repeat(79)}…`],
    ["...", ""],
    ["", ""],
    ["Use sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz today", expect.not.stringContaining("0123456789abcdef")],
  ])("from %j is one plain line", (text, title) => {
    expect(toTitle(text)).toEqual(title);
  });
});
