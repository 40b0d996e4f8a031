// A server whose chat template requires the roles to alternate, as those of Mistral and Gemma do, accepts every conversation of
// a session, and each request still begins with the one before.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Model, Tool } from "../../../core/agent/contract.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import { toChatBody } from "../../../core/models/wires/openai-chat.ts";
import { findCompat } from "../../../core/models/wires/openai-compat.ts";
import type { BusyMode } from "../../../core/schemas/settings.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";

interface Sent {
  role: string;
  content: string | null;
  tool_calls?: unknown[];
}

/**
 * The error of such a template for a conversation, if any. It counts the person's messages and the model's, as the templates in
 * vLLM's examples do: tool results and messages with calls are ignored. Mistral's own server also refuses a person's message
 * right after a tool result.
 */
function findTemplateError(messages: Sent[]): string | null {
  const said = messages.filter(({ role }) => role !== "system");
  const counted = said.filter(({ role, tool_calls }) => role !== "tool" && !tool_calls);
  const wrong = counted.findIndex(({ role }, n) => (role === "user") !== (n % 2 === 0));
  if (wrong >= 0) return `Conversation roles must alternate user/assistant: ${roles(counted)}`;
  const afterTool = said.find(({ role }, n) => role === "user" && said[n - 1]?.role === "tool");
  if (afterTool) return `Unexpected role 'user' after role 'tool': ${roles(said)}`;
  const double = said.find(({ role }, n) => role !== "tool" && role === said[n - 1]?.role);
  return double ? `Two messages of one role: ${roles(said)}` : null;
}

const roles = (messages: Sent[]) => messages.map(({ role }) => role).join(" ");

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: resolve };
}

async function setUp(script: ScriptLine[], settings = {}) {
  const scripted = createScriptedModel(script);
  const sent: Sent[][] = [];
  const model: Model = {
    ...scripted,
    stream(request, signal) {
      const body = toChatBody(request, "any", findCompat("https://llm.example/v1"));
      sent.push(JSON.parse(JSON.stringify(body.messages)));
      return scripted.stream(request, signal);
    },
  };
  const looks = [gate(), gate()];
  const tool: Tool = {
    name: "look",
    description: "Looks.",
    parameters: z.strictObject({}),
    effect: "read",
    async run() {
      looks[0]!.open();
      await looks[1]!.promise;
      return succeed({ seen: true });
    },
  };
  const harness = createSessionHarness({ model, tools: [tool], settings });
  const life = harness.boot();
  await life.engine.create({ learning: "off", title: "" });
  const post = (text: string, busy?: BusyMode) => life.engine.post({ text, ...(busy && { busy }) });
  const ticks = async () => {
    for (let tick = 0; tick < 300; tick++) await Promise.resolve();
  };
  return { harness, life, engine: life.engine, sent, post, ticks, began: looks[0]!.promise, release: looks[1]!.open };
}

const look: ScriptLine = { calls: [{ name: "look" }] };
const never = new Promise<void>(() => {});
type World = Awaited<ReturnType<typeof setUp>>;

const STORIES: [string, ScriptLine[], (world: World) => Promise<void>, object?][] = [
  [
    "an answer was stopped after its first words",
    [{ text: "I was going to", until: never }, { text: "Yes." }, { text: "And yes." }],
    async ({ post, ticks, engine, life }) => {
      await post("One");
      await ticks();
      await engine.stop();
      await life.settled();
    },
  ],
  [
    "a turn was stopped while a tool ran, and others waited",
    [look, { text: "Yes." }, { text: "And yes." }],
    async ({ post, began, engine, life, release }) => {
      await post("One");
      await began;
      await post("Two");
      await post("Three", "steer");
      await engine.stop();
      release();
      await life.settled();
    },
  ],
  [
    "two messages were steered into a turn",
    [look, look, { text: "In French." }, { text: "Yes." }, { text: "And yes." }],
    async ({ post, began, release, life }) => {
      await post("One");
      await began;
      await post("In French", "steer");
      await post("And short", "steer");
      release();
      await life.settled();
    },
  ],
  [
    "a message interrupted the turn",
    [look, { text: "Stopped." }, { text: "Yes." }, { text: "And yes." }],
    async ({ post, began, release, life }) => {
      await post("One");
      await began;
      await post("Never mind", "interrupt");
      release();
      await life.settled();
    },
  ],
  [
    "a turn failed, twice",
    [
      { failure: { code: "auth" } },
      { text: "Half", failure: { code: "auth" } },
      { text: "Yes." },
      { text: "And yes." },
    ],
    async ({ post, life }) => {
      for (const text of ["One", "Two"]) {
        await post(text);
        await life.settled();
      }
    },
  ],
  [
    "one answer was cut off, and one was empty",
    [
      { text: "Half of", stop: "length" },
      { reasoning: "Hm.", stop: "length" },
      { stop: "refusal" },
      { text: "Yes." },
      { text: "And yes." },
    ],
    async ({ post, life }) => {
      for (const text of ["One", "Two", "Three"]) {
        await post(text);
        await life.settled();
      }
    },
  ],
  [
    "a turn was ended after calls that could not be read",
    [
      ...Array.from({ length: 3 }, (): ScriptLine => ({ text: "Now:", calls: [{ name: "look", malformed: "{" }] })),
      { text: "I could not." },
      { text: "Yes." },
      { text: "And yes." },
    ],
    async ({ post, life }) => {
      await post("One");
      await life.settled();
    },
  ],
  [
    "a command was carried out, and files and memory changed",
    [{ text: "One." }, { text: "Two." }, { text: "Yes." }, { text: "And yes." }],
    async ({ post, life, engine }) => {
      await post("One");
      await life.settled();
      await post("/refresh");
      await life.settled();
      engine.putFile("AGENTS.md", new TextEncoder().encode("Use tabs."));
      await post("Two");
      await life.settled();
    },
  ],
  [
    "the conversation was compacted",
    [
      ...Array.from({ length: 12 }, (_, n): ScriptLine => ({ text: `Answer ${n}. ${"word ".repeat(400)}` })),
      { text: "A summary." },
      { text: "Yes." },
      { text: "And yes." },
    ],
    async ({ post, life }) => {
      for (let n = 0; n < 12; n++) {
        await post(`Ask ${n}`);
        await life.settled();
      }
      await post("/compress");
      await life.settled();
    },
    { context: { minTailTokens: 100, maxTailTokens: 200, tailShare: 0.001, minTailMessages: 2 } },
  ],
];

describe("a server that requires alternating roles", () => {
  it.each(STORIES)("accepts the conversation after %s", async (_, script, story, settings) => {
    const world = await setUp(script, settings);
    await story(world);
    world.release();
    for (const text of ["And now?", "And then?"]) {
      await world.post(text);
      await world.life.settled();
    }
    expect(world.engine.detail()!.turns.at(-1)).toMatchObject({ state: "done", reason: "answer" });
    // The request for a summary is a conversation of its own.
    const sent = world.sent.filter((messages) => !String(messages.at(-1)!.content).includes("<conversation>"));
    expect(sent.map(findTemplateError)).toEqual(sent.map(() => null));
    const [before, last] = sent.slice(-2) as [Sent[], Sent[]];
    expect(last.slice(0, before.length)).toEqual(before);
    expect(last.length).toBeGreaterThan(before.length);
  });

  it("gets requests that each begin with the one before, while messages are steered into a turn", async () => {
    const world = await setUp([look, look, { text: "Done." }, { text: "Yes." }]);
    await world.post("One");
    await world.began;
    await world.post("In French", "steer");
    world.release();
    await world.life.settled();
    await world.post("Two");
    await world.life.settled();
    for (const [n, messages] of world.sent.slice(1).entries()) {
      expect(messages.slice(0, world.sent[n]!.length)).toEqual(world.sent[n]);
    }
  });

  it("receives every word of the messages that are joined", async () => {
    const world = await setUp([{ text: "I was going to", until: never }, { text: "Yes." }]);
    await world.post("One");
    await world.ticks();
    await world.engine.stop();
    await world.post("Two");
    await world.life.settled();
    expect(world.sent[1]!.slice(1)).toEqual([
      { role: "user", content: "One" },
      { role: "assistant", content: "I was going to\n\n[The turn was stopped.]" },
      { role: "user", content: "Two" },
    ]);
  });
});
