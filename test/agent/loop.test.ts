import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Tool } from "../../core/agent/contract.ts";
import { type LoopOptions, runLoop } from "../../core/agent/loop.ts";
import { fail, readRendered, succeed } from "../../core/agent/tool-result.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryJournal } from "../support/session/memory-journal.ts";
import { type ScriptLine, createScriptedModel } from "../support/wires/scripted-model.ts";

const echo: Tool<{ say: string }> = {
  name: "echo",
  description: "Says it back.",
  parameters: z.strictObject({ say: z.string().describe("What to say.") }),
  effect: "read",
  async run({ say }, { op }) {
    if (say === "throw") throw new Error("it broke");
    return say === "fail" ? fail("no", "It cannot be said.") : succeed({ op }, { content: { said: say } });
  },
};

const LIMITS = { ...DEFAULTS.turn, maxSteps: 5, maxOutputTokens: 100, maxResultChars: 1_000 };

function setUp(script: ScriptLine[], options: Partial<LoopOptions> = {}) {
  const model = createScriptedModel(script);
  const run = () =>
    runLoop({
      models: [model],
      tools: [echo],
      journal: createMemoryJournal(),
      system: "system",
      history: [{ role: "user", text: "hello" }],
      limits: LIMITS,
      cacheKey: "key",
      clock: createTestClock(),
      random: () => 0.5,
      signal: new AbortController().signal,
      ...options,
    });
  return { model, run };
}

const results = (request: { messages: { role: string }[] } | undefined) =>
  request?.messages.filter((message) => message.role === "tool");

const said = (op: string, text: string) => `{"op":"${op}"}\n<content>\n{"said":"${text}"}\n</content>`;

describe("the loop", () => {
  it("returns an answer, and counts one model call", async () => {
    const { run, model } = setUp([{ text: "Hello there." }]);
    const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
    expect(await run()).toEqual({
      state: "done",
      reason: "answer",
      why: null,
      text: "Hello there.",
      stats: { modelCalls: 1, toolCalls: 0, failedCalls: 0, usage },
    });
    expect(model.requests[0]).toMatchObject({
      system: "system",
      toolChoice: "auto",
      cacheKey: "key",
      maxOutputTokens: 100,
    });
  });

  it("runs the calls of a step in order and shows their results in that order", async () => {
    const { run, model } = setUp([
      {
        calls: [
          { id: "a", name: "echo", args: { say: "one" } },
          { id: "b", name: "echo", args: { say: "two" } },
        ],
      },
      { text: "Done." },
    ]);
    const end = await run();
    expect(end).toMatchObject({ state: "done", stats: { modelCalls: 2, toolCalls: 2, failedCalls: 0 } });
    expect(results(model.requests[1])).toEqual([
      { role: "tool", call: "a", name: "echo", text: said("0.0", "one"), failed: false, entry: 2 },
      { role: "tool", call: "b", name: "echo", text: said("0.1", "two"), failed: false, entry: 3 },
    ]);
  });

  it("turns every failure of a call into a result that the model can read", async () => {
    const { run, model } = setUp([
      {
        calls: [
          { id: "a", name: "nothing" },
          { id: "b", name: "echo", args: { say: 1, more: true } },
          { id: "c", name: "echo", malformed: "{not json" },
          { id: "d", name: "echo", args: { say: "throw" } },
          { id: "e", name: "echo", args: { say: "fail" } },
        ],
      },
      { text: "I see." },
    ]);
    expect(await run()).toMatchObject({ state: "done", stats: { toolCalls: 5, failedCalls: 5 } });
    const codes = results(model.requests[1])?.map(
      (message) => readRendered((message as unknown as { text: string }).text) as { code: string; error: string },
    );
    expect(codes?.map(({ code }) => code)).toEqual([
      "unknown_tool",
      "bad_arguments",
      "bad_arguments",
      "tool_crashed",
      "no",
    ]);
    expect(codes?.[0]?.error).toBe("There is no tool 'nothing' here. Use one of: echo.");
    expect(codes?.[1]?.error).toMatch(/say: .*string.*more/s);
  });

  it("requests a closing summary with the same tools, but no calls allowed, at the step limit", async () => {
    const again: ScriptLine = { calls: [{ name: "echo", args: { say: "x" } }] };
    const { run, model } = setUp([again, again, { text: "So far.", calls: [{ name: "echo" }] }], {
      limits: { ...LIMITS, maxSteps: 2 },
    });
    expect(await run()).toMatchObject({
      state: "done",
      reason: "step_limit",
      text: "So far.",
      stats: { modelCalls: 3, toolCalls: 2 },
    });
    expect(model.requests[2]?.toolChoice).toBe("none");
    expect(model.requests[2]?.tools).toEqual(model.requests[0]?.tools);
    expect(model.requests[2]?.messages.slice(0, -1)).toEqual([
      ...model.requests[1]!.messages,
      ...model.requests[2]!.messages.slice(3, 5),
    ]);
  });

  it("runs no call that would write down text shortened in the conversation, and allows one to search for it", async () => {
    const runs: string[] = [];
    const note: Tool<{ body: string }> = {
      name: "note",
      description: "Writes it down.",
      parameters: z.strictObject({ body: z.string() }),
      effect: "keyed",
      run: async ({ body }) => (runs.push(body), succeed({ written: true })),
    };
    const cut = "a,b\n1,2 [shortened: 900 characters]";
    const { run, model } = setUp(
      [
        {
          calls: [
            { name: "note", args: { body: cut } },
            { name: "echo", args: { say: cut } },
          ],
        },
        { text: "I see." },
      ],
      { tools: [echo, note] },
    );
    expect(await run()).toMatchObject({ state: "done", stats: { toolCalls: 2, failedCalls: 1 } });
    expect(runs).toEqual([]);
    expect(results(model.requests[1])).toMatchObject([
      { name: "note", failed: true, text: expect.stringContaining('"code":"shortened_arguments"') },
      { name: "echo", failed: false },
    ]);
  });

  it("refuses the calls of an answer that was cut by its length", async () => {
    const { run, model } = setUp([
      { calls: [{ name: "echo", args: { say: "x" } }], stop: "length" },
      { text: "Again." },
    ]);
    await run();
    expect(results(model.requests[1])).toMatchObject([
      { failed: true, text: expect.stringContaining("cut_by_length") },
    ]);
  });

  it("retries a failure with growing waits, and respects Retry-After", async () => {
    const clock = createTestClock(0);
    const failure = { code: "overloaded", retry: true };
    const { run, model } = setUp(
      [{ failure }, { failure: { ...failure, retryAfterMs: 7_000 } }, { cut: true }, { text: "At last." }],
      { clock },
    );
    expect(await run()).toMatchObject({ state: "done", text: "At last." });
    expect(model.requests).toHaveLength(4);
    expect(clock.now()).toBe(2_500 + 7_000 + 10_000);
  });

  it("pauses after a failure that outlasts the retries, and fails at once after a permanent one", async () => {
    const failure = { code: "overloaded", message: "Busy.", retry: true };
    const busy = setUp([{ failure }, { failure }, { failure }, { failure }, { text: "never" }]);
    expect(await busy.run()).toMatchObject({ state: "paused", failure: { code: "overloaded" } });
    expect(busy.model.requests).toHaveLength(4);
    const denied = setUp([{ failure: { code: "auth", message: "No." } }]);
    expect(await denied.run()).toMatchObject({ state: "failed", failure: { code: "auth", message: "No." } });
  });

  it("pauses for as long as a provider asks, instead of waiting in the loop", async () => {
    const clock = createTestClock(0);
    const failure = { code: "rate_limit", retry: true, retryAfterMs: 600_000 };
    const { run, model } = setUp([{ failure }], { clock });
    expect(await run()).toMatchObject({ state: "paused", failure: { code: "rate_limit" }, delayMs: 600_000 });
    expect(model.requests).toHaveLength(1);
    expect(clock.now()).toBe(0);
  });

  it("ends as stopped if the signal aborts while the model streams", async () => {
    const abort = new AbortController();
    const { run } = setUp([{ text: "I was going to", until: new Promise(() => {}) }], { signal: abort.signal });
    const running = run();
    await Promise.resolve();
    abort.abort();
    expect(await running).toMatchObject({ state: "stopped" });
  });

  it("checks the budget before each model call", async () => {
    const { run, model } = setUp([{ calls: [{ name: "echo", args: { say: "x" } }] }, { text: "never" }], {
      findRefusal: (spent) => (spent.modelCalls > 0 ? { code: "grant_spent", message: "The grant is spent." } : null),
    });
    expect(await run()).toMatchObject({ state: "failed", failure: { code: "grant_spent" }, stats: { modelCalls: 1 } });
    expect(model.requests).toHaveLength(1);
  });

  it("makes every request a prefix of the next", async () => {
    const call: ScriptLine = { calls: [{ name: "echo", args: { say: "x" } }] };
    const { run, model } = setUp([call, call, call, { text: "End." }]);
    await run();
    for (const [index, request] of model.requests.slice(1).entries()) {
      const before = model.requests[index]!;
      expect(request.messages.slice(0, before.messages.length)).toEqual(before.messages);
      expect([request.system, request.tools]).toEqual([before.system, before.tools]);
    }
  });
});
