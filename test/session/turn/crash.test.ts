// A turn with three kinds of tools crashes at every write it makes, of any port, and continues in a new object from what was
// stored. No accepted input is lost, no effect with an id happens twice, and the outcome of an effect without one is never
// guessed.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Tool } from "../../../core/agent/contract.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import { collect } from "../../support/session/collect-events.ts";
import { type ScriptedModel, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { Crash, type SessionHarness, createSessionHarness } from "../../support/session/session-harness.ts";

interface World {
  read: number;
  keyed: string[];
  unkeyed: number;
}

function worldTools(world: World, between: () => void): Tool[] {
  const base = { description: "Acts on the world.", parameters: z.strictObject({}) };
  return [
    { ...base, name: "look", effect: "read", run: async () => (world.read++, between(), succeed({ done: true })) },
    {
      ...base,
      name: "keyed",
      effect: "keyed",
      prepare: async () => ({ seen: world.keyed.length }),
      run: async (_args, { op, prepared }) => {
        world.keyed.push(op);
        between();
        return succeed({ done: true, prepared });
      },
    },
    {
      ...base,
      name: "unkeyed",
      effect: "unkeyed",
      run: async () => (world.unkeyed++, between(), succeed({ done: true })),
    },
  ];
}

/** Depends on the request alone: the same place in the turn always gets the same answer. */
function createWalker(): ScriptedModel {
  const walk = ["look", "keyed", "unkeyed", "keyed", "look"];
  const line = (request: { messages: { role: string }[] }) => {
    const last = request.messages.map((message) => message.role).lastIndexOf("user");
    const done = request.messages.slice(last).filter((message) => message.role === "tool").length;
    const name = walk[done];
    return name ? { text: `Now ${name}.`, calls: [{ name, id: `c${done}` }] } : { text: "All five are done." };
  };
  return createScriptedModel(Array.from({ length: 100 }, () => line));
}

/** One run that crashes at write `crashAt`, then runs until nothing is left to do. */
async function runWithCrash(crashAt: number): Promise<{ world: World; harness: SessionHarness; model: ScriptedModel }> {
  const world: World = { read: 0, keyed: [], unkeyed: 0 };
  const model = createWalker();
  const harness = createSessionHarness({
    model,
    tools: worldTools(world, () => {}),
    settings: { review: { enabled: false } },
  });
  const first = harness.boot({ crashAt });
  const post = async (engine: typeof first.engine) => {
    await engine.create({ learning: "on", title: "" });
    const accepted = await engine.post({ text: "Do all five.", key: "the-key" });
    expect(accepted.ok).toBe(true);
  };
  await post(first.engine).catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
  await first.settled();
  // The client repeats its request with the same key if it got no response. Both cases must end alike.
  const second = harness.boot();
  await post(second.engine);
  await second.settled();
  for (let wakes = 0; harness.alarmAt() !== null && wakes < 20; wakes++) await second.wake();
  expect(second.reports).toEqual([]);
  return { world, harness, model };
}

const whole = await runWithCrash(Infinity);
const WRITES = whole.harness.crashPoints();

describe("a turn that crashes", () => {
  it("makes enough writes to be worth enumerating", () => {
    expect(WRITES).toBeGreaterThan(20);
    expect(whole.world).toMatchObject({ read: 2, unkeyed: 1 });
  });

  it.each(Array.from({ length: WRITES }, (_, index) => index + 1))(
    "at write %i ends with one answer and each effect once",
    async (at) => {
      const { world, harness, model } = await runWithCrash(at);
      const { engine } = harness.boot();
      const entries = engine.entries(0);
      if (!entries.ok) throw new Error(entries.failure.code);
      const log = entries.value;
      const finals = log.filter((entry) => entry.kind === "assistant" && entry.answer.calls.length === 0);
      expect(finals.map(textOf)).toEqual(["All five are done."]);
      expect(engine.detail()).toMatchObject({ state: "idle", turns: [{ state: "done", final: finals[0]?.n }] });

      const tools = log.filter((entry) => entry.kind === "tool");
      expect(tools.map((entry) => entry.call.name)).toEqual(["look", "keyed", "unkeyed", "keyed", "look"]);
      expect(tools.every((entry) => entry.state === "done")).toBe(true);
      expect(new Set(world.keyed).size).toBe(2);
      expect(world.unkeyed).toBeLessThanOrEqual(1);
      const unknown = tools.filter((entry) => entry.failed);
      expect(unknown.map((entry) => entry.call.name)).toEqual(unknown.length > 0 ? ["unkeyed"] : []);
      if (world.unkeyed === 0) expect(unknown).toHaveLength(1);
      // A recorded step is not requested again: six answers, and at most the one that was lost.
      expect(model.requests.length).toBeLessThanOrEqual(7);
      expect(new Set(log.map((entry) => entry.n)).size).toBe(log.length);
      const days = await harness.bucket.list({ prefix: "p/" });
      expect(days.objects.filter((object) => object.key.includes("/active/"))).toHaveLength(1);
    },
  );

  it("is given up with a clear entry if it crashes repeatedly without progress", async () => {
    const never = new Promise<void>(() => {});
    const model = createScriptedModel(Array.from({ length: 9 }, () => ({ text: "Let me", until: never })));
    const harness = createSessionHarness({ model, settings: { turn: { maxAttempts: 3 } } });
    const first = harness.boot();
    await first.engine.create({ learning: "off", title: "" });
    await first.engine.post({ text: "Do it.", key: "k" });
    first.kill();
    for (let attempt = 0; attempt < 2; attempt++) {
      const life = harness.boot();
      void life.wake();
      for (let tick = 0; tick < 300; tick++) await Promise.resolve();
      life.kill();
    }
    const last = harness.boot();
    await last.wake();
    await last.settled();
    const detail = last.engine.detail();
    expect(detail).toMatchObject({ state: "idle", turns: [{ state: "failed" }] });
    const events = last.engine.events({ turn: 1 });
    if (!events.ok) throw new Error(events.failure.code);
    expect((await collect(events.value)).slice(-2).map(({ event }) => event)).toMatchObject([
      {
        type: "notice_add",
        code: "gave_up",
        text: "The turn was stopped: it was interrupted 3 times without progress.",
      },
      { type: "turn_end", state: "failed" },
    ]);
  });

  it("is given up if its object runs out of memory repeatedly", async () => {
    const reserveTurn = async () => {
      throw new Error("Durable Object's isolate exceeded its memory limit and was reset.");
    };
    const settings = { turn: { maxMemoryStrikes: 2 }, budget: { profileDayTokens: 1_000 } };
    const harness = createSessionHarness({ model: createScriptedModel([]), account: { reserveTurn }, settings });
    const life = harness.boot();
    await life.engine.create({ learning: "off", title: "" });
    await life.engine.post({ text: "Do it." });
    await life.settled();
    for (let wakes = 0; harness.alarmAt() !== null && wakes < 9; wakes++) await life.wake();
    const entries = life.engine.entries(0);
    expect(entries.ok && entries.value.at(-1)).toMatchObject({ kind: "notice", code: "memory_exhausted" });
    expect(life.reports).toHaveLength(2);
  });
});
