// The loop within a turn: steering, interruption, a conversation that is too long, guardrails, files for long results, and a
// run that continues after a crash.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ContextKeeper, Message, Tool } from "../../core/agent/contract.ts";
import { type LoopOptions, runLoop } from "../../core/agent/loop.ts";
import { fail, readRendered, succeed } from "../../core/agent/tool-result.ts";
import { err, ok } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { createTestClock } from "../support/clock.ts";
import { Crash, createMemoryJournal } from "../support/session/memory-journal.ts";
import { type ScriptLine, createScriptedModel } from "../support/wires/scripted-model.ts";

const Args = z.strictObject({ say: z.string().optional() });

function createTools() {
  const runs: string[] = [];
  const tool = (name: string, more: Partial<Tool<z.infer<typeof Args>>>): Tool<z.infer<typeof Args>> => ({
    name,
    description: name,
    parameters: Args,
    effect: "read",
    async run({ say = "" }, { op }) {
      runs.push(`${name} ${op}`);
      if (say === "fail") return fail("no", "It cannot be said.");
      return succeed({ said: say.length }, { content: { echo: say } });
    },
    ...more,
  });
  const tools = [tool("look", {}), tool("put", { effect: "keyed" }), tool("shell", { effect: "unkeyed" })];
  return { tools, runs };
}

/** Answers by the length of the conversation, so that a repeated step gets the same answer. */
function byStep(script: ScriptLine[]): ScriptLine[] {
  const line: ScriptLine = (request) => {
    const next = script[request.messages.filter((message) => message.role === "assistant").length]!;
    return typeof next === "function" ? next(request) : next;
  };
  return Array<ScriptLine>(script.length * 2).fill(line);
}

function setUp(script: ScriptLine[], options: Partial<LoopOptions> = {}) {
  const model = createScriptedModel(script);
  const { tools, runs } = createTools();
  const run = (more: Partial<LoopOptions> = {}) =>
    runLoop({
      models: [model],
      tools,
      journal: createMemoryJournal(),
      system: "system",
      history: [{ role: "user", text: "hello" }],
      limits: { ...DEFAULTS.turn, maxSteps: 20 },
      cacheKey: "key",
      clock: createTestClock(),
      random: () => 0.5,
      signal: new AbortController().signal,
      ...options,
      ...more,
    });
  return { model, run, runs };
}

const calls = (...words: string[]): ScriptLine => ({
  calls: words.map((word, i) => {
    const [name, say] = word.split(":");
    return { id: `${word}-${i}`, name: name!, args: say ? { say } : {} };
  }),
});
const textsOf = (messages: Message[]) => messages.map((message) => message.text);

describe("a message to a running turn", () => {
  it("is read before the next model call, and again by a resumed run", async () => {
    const added: Record<number, Message[]> = { 1: [{ role: "user", text: "[steer x]\nFaster.", entry: 9 }] };
    const additions = (step: number) => added[step] ?? [];
    const { model, run } = setUp([calls("look:a"), calls("look:b"), { text: "Done." }]);
    const journal = createMemoryJournal({ additions, crashAt: "intent 1.0" });
    await expect(run({ journal })).rejects.toThrow(Crash);
    expect(textsOf(model.requests[1]!.messages).at(-1)).toBe("[steer x]\nFaster.");
    await run({ journal: journal.reopen({ additions }) });
    expect(model.requests[2]!.messages.slice(0, 4)).toEqual(model.requests[1]!.messages);
    expect(model.requests).toHaveLength(3);
  });

  it("ends the turn at the next tool boundary if it interrupts, and no further model call is made", async () => {
    let interrupted = false;
    const { model, run, runs } = setUp([
      () => {
        interrupted = true;
        return { calls: [{ name: "look" }, { name: "shell" }] };
      },
      { text: "never" },
    ]);
    const journal = createMemoryJournal();
    const isInterrupted = () => interrupted;
    expect(await run({ journal, isInterrupted })).toMatchObject({ state: "interrupted", stats: { toolCalls: 2 } });
    expect(runs).toEqual([]);
    expect(model.requests).toHaveLength(1);
    expect(journal.written).toEqual(["answer 0", "intent 0.0", "result 0.0", "intent 0.1", "result 0.1"]);
  });

  it("lets a complete answer end the turn", async () => {
    const { run } = setUp([{ text: "Here it is." }]);
    expect(await run({ isInterrupted: () => true })).toMatchObject({ state: "done", text: "Here it is." });
  });

  it("ends a resumed turn only after everything recorded", async () => {
    const script = [calls("look:a"), calls("look:b"), { text: "never" }];
    const { run, runs } = setUp(script);
    const journal = createMemoryJournal({ crashAt: "result 1.0" });
    await expect(run({ journal })).rejects.toThrow(Crash);
    expect(await run({ journal: journal.reopen(), isInterrupted: () => true })).toMatchObject({
      state: "interrupted",
      stats: { modelCalls: 2, toolCalls: 2 },
    });
    expect(runs).toEqual(["look 0.0", "look 1.0"]);
  });

  it("ends a resumed turn whose calls have all ended before the next model call", async () => {
    const { run, model } = setUp([calls("look:a"), { text: "never" }]);
    const journal = createMemoryJournal({ crashAt: "answer 1" });
    await expect(run({ journal })).rejects.toThrow(Crash);
    expect(await run({ journal: journal.reopen(), isInterrupted: () => true })).toMatchObject({ state: "interrupted" });
    expect(model.requests).toHaveLength(2);
  });
});

describe("a conversation that does not fit", () => {
  const overflow = { failure: { code: "context_overflow", compact: true } };

  function createKeeper(reply: ContextKeeper["fit"]) {
    const asked: { step: number; overflow: boolean; usage: number | null; contextWindow: number }[] = [];
    const context: ContextKeeper = {
      async fit(request) {
        const { step, usage, contextWindow } = request;
        asked.push({ step, overflow: request.overflow, usage: usage?.input ?? null, contextWindow });
        return reply(request);
      },
    };
    return { context, asked };
  }
  const short: Message[] = [{ role: "user", text: "in short" }];

  it("is measured before each model call, with the usage of the last one", async () => {
    const { context, asked } = createKeeper(async ({ messages }) => ok({ messages }));
    const { run } = setUp([calls("look:a"), { text: "Done." }]);
    await run({ context });
    expect(asked).toEqual([
      { step: 0, overflow: false, usage: null, contextWindow: 200_000 },
      { step: 1, overflow: false, usage: 10, contextWindow: 200_000 },
    ]);
  });

  it("continues shortened, with the prompt of a new epoch", async () => {
    const { context } = createKeeper(async ({ messages, step }) =>
      step === 1 ? ok({ messages: short, system: "new system" }) : ok({ messages }),
    );
    const { run, model } = setUp([calls("look:a"), calls("look:b"), { text: "Done." }]);
    await run({ context });
    expect(model.requests.map(({ system }) => system)).toEqual(["system", "new system", "new system"]);
    expect(model.requests[1]!.messages).toEqual(short);
    expect(textsOf(model.requests[2]!.messages).slice(0, 1)).toEqual(["in short"]);
    expect(model.requests[2]!.messages).toHaveLength(3);
  });

  it("is shortened and sent again if the provider refuses it, at most three times", async () => {
    const { context, asked } = createKeeper(async () => ok({ messages: short }));
    const { run, model } = setUp([overflow, { text: "Better." }]);
    expect(await run({ context })).toMatchObject({ state: "done", text: "Better." });
    expect(asked.map((request) => request.overflow)).toEqual([false, true]);
    expect(model.requests[1]!.messages).toEqual(short);

    const hopeless = setUp([overflow, overflow, overflow, overflow, { text: "never" }]);
    expect(await hopeless.run({ context })).toMatchObject({ state: "failed", failure: { code: "context_overflow" } });
    expect(hopeless.model.requests).toHaveLength(4);
  });

  it("ends the turn with the provider's refusal if it cannot be shortened", async () => {
    const { context } = createKeeper(async () => err("compaction_failed", "It could not be made shorter."));
    for (const more of [{}, { context }]) {
      const { run, model } = setUp([overflow, { text: "never" }]);
      expect(await run(more)).toMatchObject({ state: "failed", failure: { code: "context_overflow" } });
      expect(model.requests).toHaveLength(1);
    }
  });

  it("is sent unchanged if it could not be shortened in advance", async () => {
    const { context } = createKeeper(async () => err("compaction_failed", "It could not be made shorter."));
    const { run } = setUp([{ text: "It fits after all." }]);
    expect(await run({ context })).toMatchObject({ state: "done", text: "It fits after all." });
  });
});

describe("a turn that loops", () => {
  const circle = Array<ScriptLine>(8).fill(calls("put:x"));
  const guardrails = (attended: boolean) => ({ settings: DEFAULTS.guardrails, attended: () => attended });

  it("gets one closing answer without tools if nobody is watching", async () => {
    const { run, model } = setUp([...circle.slice(0, 5), { text: "I was stuck.", calls: [{ name: "put" }] }]);
    expect(await run({ guardrails: guardrails(false) })).toMatchObject({
      state: "done",
      reason: "identical_calls",
      text: "I was stuck.",
      stats: { modelCalls: 6, toolCalls: 5 },
    });
    expect(model.requests[5]?.toolChoice).toBe("none");
    expect(model.requests[5]?.messages.at(-1)?.text).toMatch(/^put was called 5 times in a row .* Do not call tools\./);
  });

  it("is warned and continues while a person is watching", async () => {
    const { run, model } = setUp([...circle, { text: "At last." }]);
    expect(await run({ guardrails: guardrails(true) })).toMatchObject({ state: "done", reason: "answer" });
    const warned = model.requests[8]!.messages.filter((message) => message.role === "tool").map(
      (message) => readRendered(message.text)?.warning !== undefined,
    );
    expect(warned).toEqual([false, false, true, true, true, true, true, true]);
  });

  it("mentions cut closing words only if there were some", async () => {
    const end = async (text: string) => {
      const { run } = setUp([...circle.slice(0, 5), { text, reasoning: "Hm.", stop: "length" }]);
      const ended = await run({ guardrails: guardrails(false) });
      return ended.state === "done" ? ended.why : null;
    };
    expect(await end("I was")).toMatch(/5 times in a row.* Its closing words were cut off\.$/);
    const silent = await end("");
    expect(silent).toContain("5 times in a row");
    expect(silent).not.toContain("closing words");
  });

  it("is judged the same by a resumed run", async () => {
    for (const crashAt of ["result 2.0", "answer 4", "result 4.0", "answer 5"]) {
      const { run } = setUp(byStep([...circle.slice(0, 5), { text: "I was stuck." }]));
      const journal = createMemoryJournal({ crashAt });
      await expect(run({ journal, guardrails: guardrails(false) })).rejects.toThrow(Crash);
      const end = await run({ journal: journal.reopen(), guardrails: guardrails(false) });
      expect(end).toMatchObject({ state: "done", stats: { toolCalls: 5 } });
      expect(journal.written.filter((line) => line.startsWith("result"))).toHaveLength(5);
    }
  });

  it("keeps the calls beyond a limit that were made while a person watched, if it resumes without one", async () => {
    const { run } = setUp(byStep([...circle.slice(0, 7), { text: "I was stuck." }]));
    const journal = createMemoryJournal({ crashAt: "result 6.0" });
    await expect(run({ journal, guardrails: guardrails(true) })).rejects.toThrow(Crash);
    expect(await run({ journal: journal.reopen(), guardrails: guardrails(false) })).toMatchObject({
      state: "done",
      stats: { toolCalls: 7 },
    });
  });
});

describe("a tool call written as text", () => {
  it.each([
    '<tool_call>\n{"name": "look", "arguments": {"say": "hi"}}\n</tool_call>',
    "<tool_call>\n<function=look>\n<parameter=say>\nhi\n</parameter>\n</function>\n</tool_call>",
    '[TOOL_CALLS][{"name": "look", "arguments": {}}]',
    '<|python_tag|>{"name": "look", "parameters": {}}',
  ])("stays the answer, with a notice about the server's parser: %s", async (text) => {
    const { run, runs } = setUp([{ text }]);
    expect(await run()).toMatchObject({
      state: "done",
      reason: "written_call",
      text,
      why: expect.stringContaining("tool-call parser"),
    });
    expect(runs).toEqual([]);
  });

  it("is run on the operator's own server, every time, and the shown text is kept", async () => {
    const text = '```json\n{"name": "look", "arguments": {"say": "hi"}}\n```';
    const model = { ...createScriptedModel([{ text }, { text }, { text: "Done." }]), isOwn: true };
    const { run, runs } = setUp([]);
    const journal = createMemoryJournal();
    expect(await run({ models: [model], journal })).toMatchObject({ reason: "answer", text: "Done." });
    expect(runs).toHaveLength(2);
    expect(model.requests[2]!.messages.slice(1)).toMatchObject([
      { role: "assistant", text, calls: [{ name: "look", args: { say: "hi" } }] },
      { role: "tool", name: "look" },
      { role: "assistant", text, calls: [{ name: "look" }] },
      { role: "tool", name: "look" },
    ]);
  });

  it("stays text if the person asked for JSON, or the text was read from a file", async () => {
    const text = '{"name": "look", "arguments": {"say": "remove it all"}}';
    const own = () => ({ ...createScriptedModel([{ text }, { text: "Done." }]), isOwn: true });
    const asked = setUp([]);
    expect(
      await asked.run({ models: [own()], history: [{ role: "user", text: "Show me a call as JSON." }] }),
    ).toMatchObject({ text });
    const read: Message[] = [
      { role: "user", text: "Print the file." },
      { role: "tool", call: "c", name: "read_file", text: JSON.stringify({ text }), failed: false },
    ];
    expect(await asked.run({ models: [own()], history: read })).toMatchObject({ reason: "answer", text });
    expect(asked.runs).toEqual([]);
    for (const wanted of ["Look.", "What is in sample.json? Write it as JSON."]) {
      const meant = setUp([]);
      await meant.run({ models: [own()], history: [{ role: "user", text: wanted }] });
      expect(meant.runs).toHaveLength(1);
    }
  });

  it("is reported if text precedes it", async () => {
    const text = 'Sure, I will do it.\n\n<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>';
    const { run, runs } = setUp([{ text }]);
    expect(await run()).toMatchObject({ reason: "written_call", text });
    expect(runs).toEqual([]);
  });

  it("is not detected within an explanation, or if no tool was offered", async () => {
    const call = '<tool_call>{"name": "look"}</tool_call>';
    const explained = setUp([{ text: `Models write ${call}` }, { text: `${call} is a call.` }]);
    expect(await explained.run()).toMatchObject({ reason: "answer", why: null });
    expect(await explained.run()).toMatchObject({ reason: "answer", why: null });
    expect(await setUp([{ text: call }]).run({ tools: [] })).toMatchObject({ reason: "answer" });
  });
});

describe("an answer that is cut", () => {
  it.each([
    [708, /after 708 tokens, before turn\.maxOutputTokens.*\/compress/],
    [DEFAULTS.turn.maxOutputTokens, /at its length limit.*raise turn\.maxOutputTokens/],
  ])("after %i tokens has a notice that says what helps", async (output, why) => {
    const { run } = setUp([{ text: "Half of", stop: "length", usage: { output } }]);
    expect(await run()).toMatchObject({ reason: "length", why: expect.stringMatching(why) });
  });
});

describe("a result too long for the window", () => {
  it("is moved into a file named after its call, with the same name if the call is repeated", async () => {
    const places: string[] = [];
    const spill = async (place: string) => {
      places.push(place);
      return ok(`results/${place}`);
    };
    const { run, model } = setUp([calls(`look:${"y".repeat(150_000)}`), { text: "Long." }]);
    const journal = createMemoryJournal({ crashAt: "result 0.0" });
    await expect(run({ journal, spill })).rejects.toThrow(Crash);
    await run({ journal: journal.reopen(), spill });
    expect(places).toEqual(["2-look", "2-look"]);
    const shown = readRendered(model.requests.at(-1)!.messages.at(-1)!.text);
    expect(shown).toMatchObject({ said: 150_000, moved: expect.stringContaining("results/2-look") });
  });

  it("counts results recorded before a crash towards the turn's budget", async () => {
    const big = `look:${"y".repeat(90_000)}`;
    const places: string[] = [];
    const spill = async (place: string) => {
      places.push(place);
      return ok(place);
    };
    const script = [calls(big), calls(`${big}z`), calls("look:b", `${big}x`), { text: "Done." }];
    const whole = setUp(script);
    await whole.run({ spill });
    const { run } = setUp(byStep(script));
    const journal = createMemoryJournal({ crashAt: "answer 2" });
    await expect(run({ journal, spill })).rejects.toThrow(Crash);
    await run({ journal: journal.reopen(), spill });
    expect(places).toEqual(["7-look", "7-look"]);
  });
});

describe("a native part that a provider refused", () => {
  it("is left out of every further request of the turn", async () => {
    const { model, run } = setUp([
      { failure: { code: "native_refused", dropNative: true } },
      calls("look:a"),
      { text: "Done." },
    ]);
    const native = { wire: "other", data: ["signed"] };
    const history: Message[] = [
      { role: "user", text: "hello" },
      { role: "assistant", text: "Hi.", calls: [], native },
      { role: "user", text: "look" },
    ];
    expect(await run({ history })).toMatchObject({ state: "done", text: "Done." });
    expect(model.requests.map(({ messages }) => JSON.stringify(messages).includes("signed"))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("a chain of models", () => {
  it("continues with the model that gave the turn's last answer", async () => {
    const failing = createScriptedModel([{ failure: { code: "auth", fallBack: true } }, { text: "never" }]);
    const second = { ...createScriptedModel([calls("look:a"), { text: "Done." }]), name: "scripted:second" };
    const named = { ...second, stream: renamed(second) };
    const { run } = setUp([]);
    const journal = createMemoryJournal({ crashAt: "answer 1" });
    const models = [failing, named] as const;
    await expect(run({ models, journal })).rejects.toThrow(Crash);
    await run({ models, journal: journal.reopen() });
    expect(failing.requests).toHaveLength(1);
    expect(second.requests).toHaveLength(3);
  });

  function renamed(model: ReturnType<typeof createScriptedModel>): typeof model.stream {
    return async function* (request, signal) {
      for await (const event of model.stream(request, signal)) {
        yield event.type === "done" ? { ...event, answer: { ...event.answer, model: "scripted:second" } } : event;
      }
    };
  }
});

describe("a turn that crashes at any of its writes", () => {
  const script = [
    calls("look:a", "look:b", "put:c"),
    calls("put:d", "look:fail", "look:e"),
    calls("look:a", "look:b"),
    { text: "Done." },
  ];
  async function runWhole() {
    const { model, run } = setUp(script);
    const journal = createMemoryJournal();
    const end = await run({ journal });
    return { end, written: journal.written, last: model.requests.at(-1)!.messages };
  }

  it("ends as without the crash, with every call made once", async () => {
    const whole = await runWhole();
    expect(whole.written).toHaveLength(20);
    for (const crashAt of whole.written) {
      const journal = createMemoryJournal({ crashAt });
      const { model, run, runs } = setUp(byStep(script));
      await expect(run({ journal })).rejects.toThrow(Crash);
      const end = await run({ journal: journal.reopen() });
      expect(end).toMatchObject({
        state: "done",
        text: "Done.",
        stats: { modelCalls: 4, toolCalls: 8, failedCalls: 1 },
      });
      expect(withoutEntries(model.requests.at(-1)!.messages)).toEqual(withoutEntries(whole.last));
      expect(journal.written.toSorted()).toEqual(whole.written.toSorted());
      expect(new Set(runs).size).toBe(8);
    }
  });

  /** A crash may change the order in which results are written, but not the order in which they are read. */
  const withoutEntries = (messages: Message[]) => messages.map((message) => ({ ...message, entry: 0 }));
});
