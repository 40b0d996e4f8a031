// Inputs that arrive while a turn runs: queued, steered into it, or interrupting it.
import { describe, expect, it } from "vitest";
import type { ModelRequest, Tool } from "../../../core/agent/contract.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import * as z from "zod";
import { collect } from "../../support/session/collect-events.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";
import { createScriptedSession, must } from "../../support/session/scripted-session.ts";

const MARKER = "k3f9x2m7q1w8e5r4";

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: resolve };
}

/** A tool that reports when it runs, and waits. */
function createGatedTool() {
  const began = gate();
  const release = gate();
  let runs = 0;
  const tool: Tool = {
    name: "look",
    description: "Looks.",
    parameters: z.strictObject({}),
    effect: "read",
    async run() {
      runs++;
      began.open();
      await release.promise;
      return succeed({ seen: true });
    },
  };
  return { tool, began: began.promise, release: release.open, runs: () => runs };
}

const setUp = (script: ScriptLine[], tools: Tool[] = []) => createScriptedSession(script, { tools, learning: "off" });

const said = (request: ModelRequest | undefined) =>
  request?.messages.map((message) => (message.role === "tool" ? `tool:${message.failed}` : message.text));

describe("steer", () => {
  it("puts the text into the running turn at its next step, after the turn's marker", async () => {
    const gated = createGatedTool();
    const { engine, life, model } = await setUp(
      [{ calls: [{ name: "look" }] }, { calls: [{ name: "look" }] }, { text: "Done, in French." }],
      [gated.tool],
    );
    must(await engine.post({ text: "Look around" }));
    await gated.began;
    must(await engine.post({ text: "In French, please", busy: "steer" }));
    must(await engine.post({ text: "And short", busy: "steer" }));
    gated.release();
    await life.settled();
    expect(said(model.requests[1])).toEqual([
      "Look around",
      "",
      "tool:false",
      `[steer ${MARKER}]\nIn French, please`,
      `[steer ${MARKER}]\nAnd short`,
    ]);
    expect(said(model.requests[2])?.slice(0, 5)).toEqual(said(model.requests[1]));
    const turns = engine.detail()!.turns;
    expect(turns.map(({ n, state, into, input, final }) => ({ n, state, into, input, final }))).toEqual([
      { n: 1, state: "done", into: undefined, input: 1, final: 8 },
      { n: 2, state: "steered", into: 1, input: 4, final: 8 },
      { n: 3, state: "steered", into: 1, input: 5, final: 8 },
    ]);
  });

  it("reads the same in the history of the next turn", async () => {
    const gated = createGatedTool();
    const { engine, life, model } = await setUp(
      [{ calls: [{ name: "look" }] }, { text: "Done." }, { text: "Again." }],
      [gated.tool],
    );
    must(await engine.post({ text: "Look" }));
    await gated.began;
    must(await engine.post({ text: "Hurry", busy: "steer" }));
    gated.release();
    await life.settled();
    must(await engine.post({ text: "More" }));
    await life.settled();
    const before = model.requests[1]!.messages;
    expect(model.requests[2]!.messages.slice(0, before.length)).toEqual(before);
    expect(said(model.requests[2])?.slice(before.length)).toEqual(["Done.", "More"]);
  });

  it("is a turn of its own when the running one has no further step", async () => {
    const hold = gate();
    const { engine, life, model } = await setUp([{ text: "Nearly", until: hold.promise }, { text: "Yes." }]);
    must(await engine.post({ text: "One" }));
    for (let tick = 0; tick < 200; tick++) await Promise.resolve();
    must(await engine.post({ text: "Two", busy: "steer" }));
    hold.open();
    await life.settled();
    expect(said(model.requests[1])).toEqual(["One", "Nearly", "Two"]);
    expect(engine.detail()!.turns.map(({ state }) => state)).toEqual(["done", "done"]);
  });

  it("goes into the turn of an input that waited before it", async () => {
    const gated = createGatedTool();
    const { engine, life } = await setUp(
      [{ calls: [{ name: "look" }] }, { text: "1" }, { text: "2 and 3" }],
      [gated.tool],
    );
    must(await engine.post({ text: "one" }));
    await gated.began;
    must(await engine.post({ text: "two", busy: "queue" }));
    must(await engine.post({ text: "three", busy: "steer" }));
    gated.release();
    await life.settled();
    expect(engine.detail()!.turns.map(({ state, into }) => [state, into])).toEqual([
      ["done", undefined],
      ["done", undefined],
      ["steered", 2],
    ]);
  });

  it("survives a crash at any write, once, in its place", async () => {
    for (let crashAt = 1; ; crashAt++) {
      const gated = createGatedTool();
      gated.release();
      const model = createScriptedModel([]);
      const reply = (request: ModelRequest): { text?: string; calls?: { name: string; id: string }[] } => {
        const steps = request.messages.filter(({ role }) => role === "assistant").length;
        return steps < 2 ? { calls: [{ name: "look", id: `c${steps}` }] } : { text: "End." };
      };
      const script = Array.from({ length: 40 }, () => reply);
      const harness = createSessionHarness({
        model: Object.assign(model, createScriptedModel(script)),
        tools: [gated.tool],
      });
      const first = harness.boot();
      await first.engine.create({ learning: "off", title: "" });
      const life = harness.boot({ crashAt });
      const accepted = await life.engine.post({ text: "Go" }).catch(() => null);
      const steered = await life.engine.post({ text: "Left", busy: "steer", key: "k" }).catch(() => null);
      await life.settled();
      life.kill();
      const next = harness.boot();
      if (!accepted) must(await next.engine.post({ text: "Go" }));
      if (!steered) must(await next.engine.post({ text: "Left", busy: "steer", key: "k" }));
      for (let i = 0; i < 5; i++) {
        await next.wake();
        await next.settled();
      }
      const inputs = must(next.engine.entries(0)).filter((entry) => entry.kind === "user");
      const texts = inputs.map((entry) => entry.parts[0]?.text);
      expect(texts.filter((text) => text === "Left")).toHaveLength(1);
      for (const turn of next.engine.detail()!.turns) expect(turn.final).not.toBeNull();
      if (crashAt > 25) break;
    }
  });

  it("shows a reader of the steered input the turn that it went into", async () => {
    const gated = createGatedTool();
    const { engine, life } = await setUp([{ calls: [{ name: "look" }] }, { text: "Left it is." }], [gated.tool]);
    must(await engine.post({ text: "Go" }));
    await gated.began;
    must(await engine.post({ text: "Left", busy: "steer" }));
    const waiting = collect(must(engine.events({ turn: 2 })));
    gated.release();
    await life.settled();
    const types = (events: { event: { type: string } }[]) => events.map(({ event }) => event.type);
    const live = await waiting;
    expect(live[0]).toEqual({
      id: "4.0",
      event: { type: "steer_add", turn: 2, into: 1, entry: 4, text: "Left" },
    });
    expect(live.at(-1)?.event).toMatchObject({ type: "turn_end", turn: 1, state: "done" });
    const later = await collect(must(engine.events({ turn: 2 })));
    expect(types(later)).toContain("steer_add");
    expect(later.at(-1)?.event).toMatchObject({ type: "turn_end", turn: 1 });
  });
});

describe("interrupt", () => {
  it("ends the running turn at its next tool boundary and begins its own", async () => {
    const gated = createGatedTool();
    const { engine, life, model } = await setUp(
      [{ calls: ["a", "b"].map((id) => ({ name: "look", id })) }, { text: "Stopped looking." }],
      [gated.tool],
    );
    must(await engine.post({ text: "Look" }));
    await gated.began;
    must(await engine.post({ text: "Never mind", busy: "interrupt" }));
    gated.release();
    await life.settled();
    const results = must(engine.entries(0)).filter((entry) => entry.kind === "tool");
    expect(results.map(({ state }) => state)).toEqual(["done", "done"]);
    expect(model.requests).toHaveLength(2);
    const turns = engine.detail()!.turns;
    expect(turns.map(({ state }) => state)).toEqual(["stopped", "done"]);
    expect(said(model.requests.at(-1))?.at(-1)).toBe("Never mind");
  });

  it("lets an answer without calls end by itself", async () => {
    const hold = gate();
    const { engine, life } = await setUp([{ text: "An answer.", until: hold.promise }, { text: "Next." }]);
    must(await engine.post({ text: "One" }));
    for (let tick = 0; tick < 200; tick++) await Promise.resolve();
    must(await engine.post({ text: "Two", busy: "interrupt" }));
    hold.open();
    await life.settled();
    expect(engine.detail()!.turns.map(({ state }) => state)).toEqual(["done", "done"]);
  });

  it("waits for a running model call, whose tool calls are then not run", async () => {
    const hold = gate();
    const gated = createGatedTool();
    gated.release();
    const { engine, life, model } = await setUp(
      [
        { calls: [{ name: "look" }] },
        { text: "Looking again.", calls: [{ name: "look", id: "b" }], until: hold.promise },
        { text: "Next." },
      ],
      [gated.tool],
    );
    must(await engine.post({ text: "One" }));
    await gated.began;
    for (let tick = 0; tick < 200; tick++) await Promise.resolve();
    must(await engine.post({ text: "Two", busy: "interrupt" }));
    for (let tick = 0; tick < 200; tick++) await Promise.resolve();
    expect(engine.detail()!.turns.map(({ state }) => state)).toEqual(["running", "queued"]);
    hold.open();
    await life.settled();
    expect(gated.runs()).toBe(1);
    expect(engine.detail()!.turns.map(({ state, reason }) => [state, reason])).toEqual([
      ["stopped", "redirected"],
      ["done", "answer"],
    ]);
    expect(said(model.requests.at(-1))).toEqual([
      ...["One", "", "tool:false", "Looking again.", "tool:true"],
      ...["[The turn ended for the message after it.]", "Two"],
    ]);
  });

  it("does not apply to a command to the session, which waits", async () => {
    const gated = createGatedTool();
    const { engine, life } = await setUp([{ calls: [{ name: "look" }] }, { text: "Seen." }], [gated.tool]);
    must(await engine.post({ text: "Look" }));
    await gated.began;
    must(await engine.post({ text: "/refresh", busy: "interrupt" }));
    must(await engine.post({ text: "/refresh", busy: "steer" }));
    gated.release();
    await life.settled();
    expect(engine.detail()!.turns.map(({ state, reason }) => [state, reason])).toEqual([
      ["done", "answer"],
      ["done", "refreshed"],
      ["done", "refreshed"],
    ]);
  });

  it("does not affect inputs accepted before it that have not begun", async () => {
    const gated = createGatedTool();
    const { engine, life } = await setUp(
      [{ calls: [{ name: "look" }] }, { text: "x" }, { calls: [{ name: "look" }] }, { text: "two" }, { text: "three" }],
      [gated.tool],
    );
    must(await engine.post({ text: "one" }));
    await gated.began;
    must(await engine.post({ text: "two", busy: "queue" }));
    must(await engine.post({ text: "three", busy: "interrupt" }));
    gated.release();
    await life.settled();
    expect(engine.detail()!.turns.map(({ state }) => state)).toEqual(["stopped", "done", "done"]);
  });
});

describe("stop", () => {
  it("ends a turn in the middle of a tool, and what waits, without waiting for either", async () => {
    const gated = createGatedTool();
    const { engine, life, model } = await setUp([{ calls: [{ name: "look" }] }], [gated.tool]);
    must(await engine.post({ text: "Look" }));
    await gated.began;
    must(await engine.post({ text: "Then this", busy: "steer" }));
    must(await engine.post({ text: "And this", busy: "interrupt" }));
    must(await engine.stop());
    const ends = engine.detail()!.turns.map(({ state, reason }) => [state, reason]);
    expect(ends).toEqual(Array.from({ length: 3 }, () => ["stopped", "stopped"]));
    gated.release();
    await life.settled();
    expect(model.requests).toHaveLength(1);
  });
});

it("a steered input ends with the reason of the turn it went into", async () => {
  const gated = createGatedTool();
  const script = [{ calls: [{ name: "look" }] }, { text: "Half of", stop: "length" as const }];
  const { engine, life } = await setUp(script, [gated.tool]);
  must(await engine.post({ text: "Look" }));
  await gated.began;
  must(await engine.post({ text: "In French", busy: "steer" }));
  gated.release();
  await life.settled();
  expect(engine.detail()!.turns.map(({ state, into, reason }) => [state, into, reason])).toEqual([
    ["done", undefined, "length"],
    ["steered", 1, "length"],
  ]);
});

it("ten posts at once are ten accepted inputs in their order", async () => {
  const script = Array.from({ length: 10 }, (_, i) => ({ text: `Answer ${i + 1}.` }));
  const { engine, life } = await setUp(script);
  const accepted = await Promise.all(
    Array.from({ length: 10 }, (_, i) => engine.post({ text: `Message ${i + 1}` }).then(must)),
  );
  expect(accepted.map(({ turn }) => Number(turn.split("-")[1]))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  await life.settled();
  const entries = must(engine.entries(0));
  expect(entries.map((entry) => entry.parts[0]?.text)).toEqual(
    Array.from({ length: 10 }, (_, i) => [`Message ${i + 1}`, `Answer ${i + 1}.`]).flat(),
  );
});
