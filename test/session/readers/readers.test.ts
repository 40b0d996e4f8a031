// Readers that join, or come back with an event id, at every moment of a turn with retries and tools, which is stopped or
// answers. Over a stream or a WebSocket, each assembles what the log holds in the end.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Tool } from "../../../core/agent/contract.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import type { SessionEngine } from "../../../core/session/engine.ts";
import type { StandingReader } from "../../../core/session/readers/standing-reader.ts";
import { collect } from "../../support/session/collect-events.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";

type Seen = Awaited<ReturnType<typeof collect>>;

function createTool(name: string, ticks: number): Tool {
  return {
    name,
    description: "Looks.",
    parameters: z.strictObject({}),
    effect: "read",
    run: async () => {
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      return succeed({ done: name });
    },
  };
}
const look = createTool("look", 12);
/** Ends before a call of `look` that began earlier. */
const glance = createTool("glance", 2);

/** What a client shows after these events. */
function show(events: Seen) {
  const texts = new Map<number, string>();
  const tools = new Map<number, string>();
  const ends: string[] = [];
  for (const { event } of events) {
    if (event.type === "text_delta") {
      const before = texts.get(event.entry) ?? "";
      expect(event.offset).toBe(before.length);
      texts.set(event.entry, before + event.text);
    }
    if (event.type === "entry_restart") texts.delete(event.entry);
    if (event.type === "tool_start") tools.set(event.entry, "running");
    if (event.type === "tool_end") tools.set(event.entry, event.result);
    if (event.type === "turn_end") ends.push(`${event.turn} ${event.state}`);
  }
  return { texts: Object.fromEntries(texts), tools: Object.fromEntries(tools), ends };
}

const script: ScriptLine[] = [
  { text: "Let me see what is there.", calls: [{ name: "look" }, { name: "glance" }, { name: "look" }] },
  { text: "A wrong start of it", cut: true },
  { text: "There it is, and once more.", calls: [{ name: "look" }] },
  { text: "All of it has been looked at now." },
];

/** The reader joins `join` ticks after the message, leaves after `leave` events, and comes back with its last id. */
async function watch(join: number, leave: number, stopAt: number) {
  const harness = createSessionHarness({ model: createScriptedModel(script), tools: [look, glance] });
  const life = harness.boot();
  await life.engine.create({ learning: "off", title: "" });
  await life.engine.post({ text: "Go" });
  const open = (after?: string) => {
    const events = life.engine.events({ turn: 1, after });
    if (!events.ok) throw new Error(events.failure.code);
    return events.value;
  };
  const reading: { seen?: Promise<Seen> } = {};
  const standing = readBySocket(life.engine, leave);
  for (let tick = 0; tick < 600; tick++) {
    if (tick === join) {
      reading.seen = comeBack(open, leave);
      standing.join();
    }
    if (tick === stopAt) await life.engine.stop();
    await Promise.resolve();
  }
  await life.settled();
  const seen = await reading.seen!;
  return { seen, stood: standing.seen(), settled: await collect(open()) };
}

/** Reads over a WebSocket, which is lost after `leave` messages and opened again when the turn has ended. */
function readBySocket(engine: SessionEngine, leave: number) {
  const seen: Seen = [];
  const join = () => {
    const isFirst = seen.length === 0;
    const reader: StandingReader = {
      send(text) {
        if (isFirst && seen.length >= leave) throw new Error("the connection is gone");
        seen.push(JSON.parse(text) as Seen[number]);
      },
      close: () => {},
      keep: () => {},
    };
    const watching = engine.watch(seen.at(-1)?.id ?? "0.0", () => reader);
    if (!watching.ok) throw new Error(watching.failure.code);
  };
  return {
    join,
    seen() {
      join(); // it catches up on everything it missed
      return seen;
    },
  };
}

async function comeBack(open: (after?: string) => ReadableStream<Uint8Array>, leave: number): Promise<Seen> {
  const seen: Seen = [];
  let rest = "";
  const reader = open().getReader();
  const decoder = new TextDecoder();
  while (seen.length < leave) {
    const { done, value } = await reader.read();
    if (done) return seen;
    rest += decoder.decode(value, { stream: true });
    const blocks = rest.split("\n\n");
    rest = blocks.pop()!;
    seen.push(...(await collect(new Response(blocks.map((block) => `${block}\n\n`).join("")).body!)));
  }
  await reader.cancel();
  return [...seen, ...(await collect(open(seen.at(-1)?.id)))];
}

describe("a reader of a turn", () => {
  it.each([Infinity, 30, 60, 90, 110])(
    "of a turn that is stopped at tick %s has seen what the log holds",
    async (stopAt) => {
      for (let join = 0; join < 160; join += 9) {
        for (const leave of join % 2 === 0 ? [1, 6] : [3, 14]) {
          const { seen, stood, settled } = await watch(join, leave, stopAt);
          expect({ join, leave, ...show(seen) }).toEqual({ join, leave, ...show(settled) });
          expect({ join, leave, ...show(stood) }).toEqual({ join, leave, ...show(settled) });
          expect(show(settled).ends).toEqual([stopAt === Infinity ? "1 done" : "1 stopped"]);
        }
      }
    },
    60_000,
  );
});

describe("a standing reader of a session", () => {
  it("gets every turn: begun at once, queued, and put into the running one", async () => {
    const model = createScriptedModel([
      { text: "Looking.", calls: [{ name: "look" }] },
      { text: "Seen, and what you added." },
      { text: "And then." },
    ]);
    const life = createSessionHarness({ model, tools: [look] }).boot();
    const { engine } = life;
    await engine.create({ learning: "off", title: "" });
    const seen: Seen = [];
    const reader: StandingReader = {
      send: (text) => void seen.push(JSON.parse(text) as Seen[number]),
      close: () => {},
      keep: () => {},
    };
    expect(engine.watch(undefined, () => reader)).toEqual({ ok: true, value: null });
    await engine.post({ text: "Look" });
    const steered = await engine.post({ text: "Add this", busy: "steer" });
    await engine.post({ text: "Then this", busy: "queue" });
    expect(steered).toMatchObject({ ok: true, value: { entry: null } });
    const waiting = engine.events({ turn: 2 });
    await life.settled();
    const ofTurns = seen.filter(({ event }) => !["text_delta", "entry_start"].includes(event.type));
    expect(ofTurns.map(({ id, event }) => `${id} ${event.type} ${"turn" in event ? event.turn : ""}`)).toEqual([
      "1.0 turn_start 1",
      "3.0 tool_start ",
      "3.1 tool_end ",
      "4.0 steer_add 2",
      "5.26 turn_end 1",
      "6.0 turn_start 3",
      "7.10 turn_end 3",
    ]);
    const events = waiting.ok ? await collect(waiting.value) : [];
    expect([events[0]?.event, events.at(-1)?.event.type, events.at(-1)?.id]).toEqual([
      { type: "steer_add", turn: 2, into: 1, entry: 4, text: "Add this" },
      "turn_end",
      "5.26",
    ]);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  });
});
