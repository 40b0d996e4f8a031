// Readers who join, or come back with an event id, at every moment of a turn with retries, tools and a stop or an answer at
// its end: what each has pieced together at the end is what the log holds.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Tool } from "../../core/agent/contract.ts";
import { succeed } from "../../core/agent/tool-result.ts";
import { collect } from "../support/collect-events.ts";
import { type ScriptLine, createScriptedModel } from "../support/scripted-model.ts";
import { createSessionHarness } from "../support/session-harness.ts";

type Seen = Awaited<ReturnType<typeof collect>>;

const look: Tool = {
  name: "look",
  description: "Looks.",
  parameters: z.strictObject({}),
  effect: "read",
  run: async () => {
    for (let tick = 0; tick < 5; tick++) await Promise.resolve();
    return succeed({ done: true });
  },
};

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
  { text: "Let me see what is there.", calls: [{ name: "look" }, { name: "look" }] },
  { text: "A wrong start of it", cut: true },
  { text: "There it is, and once more.", calls: [{ name: "look" }] },
  { text: "All of it has been looked at now." },
];

/** `join` ticks after the message a reader joins; it leaves after `leave` events and comes back with the last id. */
async function watch(join: number, leave: number, stopAt: number) {
  const harness = createSessionHarness({ model: createScriptedModel(script), tools: [look] });
  const life = harness.boot();
  await life.engine.create({ learning: "off", title: "" });
  await life.engine.post({ text: "Go" });
  const open = (after?: string) => {
    const events = life.engine.events({ turn: 1, after });
    if (!events.ok) throw new Error(events.failure.code);
    return events.value;
  };
  const reading: { seen?: Promise<Seen> } = {};
  for (let tick = 0; tick < 600; tick++) {
    if (tick === join) reading.seen = comeBack(open, leave);
    if (tick === stopAt) await life.engine.stop();
    await Promise.resolve();
  }
  await life.settled();
  const seen = await reading.seen!;
  return { seen, settled: await collect(open()) };
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
    "that is stopped at tick %s has seen what the log holds",
    async (stopAt) => {
      for (let join = 0; join < 160; join += 9) {
        for (const leave of [1, 3, 6, 14]) {
          const { seen, settled } = await watch(join, leave, stopAt);
          expect({ join, leave, ...show(seen) }).toEqual({ join, leave, ...show(settled) });
          expect(show(settled).ends).toEqual([stopAt === Infinity ? "1 done" : "1 stopped"]);
        }
      }
    },
    60_000,
  );
});
