import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Effect, Tool, ToolResult } from "../../core/agent/contract.ts";
import { createResultBudget } from "../../core/agent/result-budget.ts";
import { type StepCallsOptions, createStepCalls } from "../../core/agent/step-calls.ts";
import { readRendered, succeed } from "../../core/agent/tool-result.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { NO_STATS } from "../../core/schemas/entry.ts";
import { createTestClock } from "../support/clock.ts";
import { type JournalOptions, createMemoryJournal } from "../support/session/memory-journal.ts";

const LIMITS = { ...DEFAULTS.turn };

/** Tools whose calls end on command, and report when they begin. */
function createDesk() {
  const began: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<ToolResult>>();
  const signals = new Map<string, AbortSignal>();
  const gate = (key: string) => {
    if (!gates.has(key)) gates.set(key, Promise.withResolvers<ToolResult>());
    return gates.get(key)!;
  };
  const tool = (name: string, effect: Effect, more: Partial<Tool<{ key: string }>> = {}): Tool<{ key: string }> => ({
    name,
    description: name,
    parameters: z.strictObject({ key: z.string() }),
    effect,
    run({ key }, { signal }) {
      began.push(key);
      signals.set(key, signal);
      return gate(key).promise;
    },
    ...more,
  });
  const tools = [
    tool("look", "read"),
    tool("put", "keyed", { paths: ({ key }) => ({ reads: [], writes: [key.slice(0, 1)] }) }),
    tool("shell", "unkeyed"),
    tool("found", "read", { prepare: async () => ({}) }),
    tool("lost", "read", {
      paths() {
        throw new Error("no such path");
      },
    }),
  ];
  return {
    tools,
    began,
    signals,
    end: (key: string, said = key) => gate(key).resolve(succeed({ key }, { content: { said } })),
    break: (key: string) => gate(key).reject(new Error(`${key} broke`)),
  };
}

async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

function setUp(words: string, options: Partial<StepCallsOptions> = {}, journalOptions: JournalOptions = {}) {
  const desk = createDesk();
  const journal = options.journal ?? createMemoryJournal(journalOptions);
  const clock = createTestClock();
  const steps = createStepCalls({
    journal,
    tools: desk.tools,
    limits: LIMITS,
    clock,
    signal: new AbortController().signal,
    budget: createResultBudget({ limits: LIMITS, contextWindow: () => 200_000 }),
    isInterrupted: () => false,
    ...options,
  });
  const calls = words.split(" ").map((word, i) => {
    const [name, key] = word.split(":");
    return { id: `c${i}`, name: name!, args: key ? { key } : {} };
  });
  const messages: Parameters<typeof steps.run>[0]["messages"] = [];
  const stats = { ...NO_STATS };
  const running = steps.run({ step: 0, calls, cutAfter: null, messages, stats });
  running.catch(() => undefined);
  return {
    ...desk,
    journal: journal as ReturnType<typeof createMemoryJournal>,
    clock,
    steps,
    calls,
    messages,
    stats,
    running,
  };
}

const shown = (messages: { role: string }[]) =>
  messages.map((message) => readRendered((message as unknown as { text: string }).text));

describe("the calls of an answer", () => {
  it("run in parallel if they only read, and return in the order of the calls", async () => {
    const { began, end, running, messages, journal } = setUp("look:a look:b look:c");
    await settle();
    expect(began).toEqual(["a", "b", "c"]);
    expect(journal.written).toEqual(["intent 0.0", "intent 0.1", "intent 0.2"]);
    for (const key of ["c", "a", "b"]) {
      end(key);
      await settle();
    }
    await running;
    expect(journal.written.slice(3)).toEqual(["result 0.2", "result 0.0", "result 0.1"]);
    expect(messages.map((message) => message.role === "tool" && message.call)).toEqual(["c0", "c1", "c2"]);
  });

  it("run in parallel if they write different paths, and one after the other if they write the same", async () => {
    const { began, end, running } = setUp("put:a1 put:b1 put:a2");
    await settle();
    expect(began).toEqual(["a1", "b1"]);
    end("a1");
    await settle();
    expect(began).toEqual(["a1", "b1"]);
    end("b1");
    await settle();
    expect(began).toEqual(["a1", "b1", "a2"]);
    end("a2");
    await running;
  });

  it.each([
    ["changes paths that are unknown", "look:a shell:b look:c"],
    ["prepares facts before its intent", "look:a found:b look:c"],
    ["cannot tell its paths", "look:a lost:b look:c"],
  ])("do not run in parallel with one that %s", async (_title, words) => {
    const { began, end, running } = setUp(words);
    await settle();
    expect(began).toEqual(["a"]);
    end("a");
    await settle();
    expect(began).toEqual(["a", "b"]);
    end("b");
    await settle();
    expect(began).toEqual(["a", "b", "c"]);
    end("c");
    await running;
  });

  it("do not run in parallel with one that is not a valid call", async () => {
    const { began, end, running, messages } = setUp("look:a nothing:b look look:c");
    await settle();
    expect(began).toEqual(["a"]);
    end("a");
    await settle();
    expect(began).toEqual(["a", "c"]);
    end("c");
    await running;
    expect(shown(messages).map((result) => result?.code ?? result?.key)).toEqual([
      "a",
      "unknown_tool",
      "bad_arguments",
      "c",
    ]);
  });

  it("run in parallel up to the limit, started in order", async () => {
    const { began, end, running } = setUp("look:a look:b look:c look:d", {
      limits: { toolTimeoutMs: 60_000, maxParallelCalls: 2 },
    });
    await settle();
    expect(began).toEqual(["a", "b"]);
    end("b");
    await settle();
    expect(began).toEqual(["a", "b", "c"]);
    for (const key of ["a", "c", "d"]) end(key);
    await running;
    expect(began).toEqual(["a", "b", "c", "d"]);
  });

  it("run one after another if the journal asks for it", async () => {
    const { began, end, running } = setUp("look:a look:b", {}, { parallel: false });
    await settle();
    expect(began).toEqual(["a"]);
    end("a");
    end("b");
    await running;
    expect(began).toEqual(["a", "b"]);
  });

  it("are all waited for if the journal throws, and no more are started", async () => {
    const { began, end, running, journal } = setUp(
      "look:a look:b look:c look:d",
      { limits: { ...LIMITS, maxParallelCalls: 3 } },
      {
        crashAt: "result 0.1",
      },
    );
    let over = false;
    running.catch(() => (over = true));
    await settle();
    end("b");
    await settle();
    expect(over).toBe(false);
    end("a");
    end("c");
    await expect(running).rejects.toThrow("result 0.1");
    expect(began).toEqual(["a", "b", "c"]);
    expect(journal.written).toEqual(["intent 0.0", "intent 0.1", "intent 0.2", "result 0.0", "result 0.2"]);
  });

  it("do not affect each other: one that throws has a failed result", async () => {
    const desk = setUp("look:a look:b");
    desk.break("a");
    desk.end("b");
    await desk.running;
    expect(shown(desk.messages)).toEqual([
      { error: "The tool failed: a broke. Try another way.", code: "tool_crashed" },
      { key: "b", said: "b" },
    ]);
    expect(desk.stats).toMatchObject({ toolCalls: 2, failedCalls: 1 });
  });

  it("turn a result that is not JSON into a failure that the model can read", async () => {
    const { tools } = createDesk();
    tools[0] = { ...tools[0]!, run: async () => ({ failed: false, parts: [{ source: "content", text: "plain" }] }) };
    const { running, messages } = setUp("look:a", { tools });
    await running;
    expect(shown(messages)[0]?.code).toBe("bad_tool_result");
  });

  it.each([undefined, null, "text", { failed: false }, { failed: "no", parts: [] }, { failed: false, parts: [null] }])(
    "turn %j, which is no result at all, into a failure that the model can read",
    async (result) => {
      const { tools } = createDesk();
      tools[0] = { ...tools[0]!, run: async () => result as never };
      const { running, messages } = setUp("look:a", { tools });
      await running;
      expect(shown(messages)[0]?.code).toBe("bad_tool_result");
    },
  );
});

describe("a call that takes too long", () => {
  it.each([
    ["look", "look did not end within 180 seconds and was abandoned. Ask for less, or try another way."],
    [
      "shell",
      "shell did not end within 180 seconds and was abandoned. It may still have taken effect: look before you do it again.",
    ],
  ])("is abandoned, and its signal aborted: %s", async (tool, error) => {
    const { running, clock, messages, signals } = setUp(`${tool}:a`);
    await settle();
    expect(signals.get("a")?.aborted).toBe(false);
    clock.advance(LIMITS.toolTimeoutMs);
    await running;
    expect(signals.get("a")?.aborted).toBe(true);
    expect(shown(messages)).toEqual([{ error, code: "timed_out" }]);
  });

  it("does not delay the calls that run in parallel with it", async () => {
    const { running, clock, messages, end } = setUp("look:a look:b");
    await settle();
    end("b");
    await settle();
    clock.advance(LIMITS.toolTimeoutMs);
    await running;
    expect(shown(messages).map((result) => result?.code ?? result?.key)).toEqual(["timed_out", "b"]);
  });

  it("may fail late without harm", async () => {
    const desk = setUp("look:a");
    await settle();
    desk.clock.advance(LIMITS.toolTimeoutMs);
    await desk.running;
    desk.break("a");
    await settle();
    expect(desk.journal.written).toEqual(["intent 0.0", "result 0.0"]);
  });

  it("has no result if the turn is stopped, even if its tool ignores the signal", async () => {
    const abort = new AbortController();
    const { running, journal, signals } = setUp("shell:a look:b", { signal: abort.signal });
    await settle();
    abort.abort();
    await expect(running).rejects.toThrow(expect.objectContaining({ name: "TurnStopped" }));
    expect(signals.get("a")?.aborted).toBe(true);
    expect(journal.written).toEqual(["intent 0.0"]);
  });
});

describe("an interrupting message", () => {
  it("leaves the remaining calls not run, each with a result", async () => {
    let interrupted = false;
    const desk = setUp("shell:a look:b put:c1 nothing:d", { isInterrupted: () => interrupted });
    await settle();
    interrupted = true;
    desk.end("a");
    await desk.running;
    expect(desk.began).toEqual(["a"]);
    expect(shown(desk.messages).map((result) => result?.code ?? result?.key)).toEqual([
      "a",
      "redirected",
      "redirected",
      "redirected",
    ]);
    expect(desk.stats).toMatchObject({ toolCalls: 4, failedCalls: 3 });
  });

  it.each([
    ["look", "redirected"],
    ["put", "outcome_unknown"],
    ["shell", "outcome_unknown"],
  ])("is not reported as 'was not run' for a call that may have run before a crash: %s", async (tool, code) => {
    const before = setUp(`${tool}:a`, {}, { crashAt: "result 0.0" });
    before.end("a");
    await expect(before.running).rejects.toThrow("result 0.0");
    const { running, messages } = setUp(`${tool}:a`, { journal: before.journal.reopen(), isInterrupted: () => true });
    await running;
    expect(shown(messages)[0]?.code).toBe(code);
  });
});

describe("guardrails over the calls of an answer", () => {
  const guardrails = { settings: { ...DEFAULTS.guardrails, caps: { look: 2 } }, attended: () => false };

  it("apply a limit within one batch", async () => {
    const desk = setUp("look:a look:b look:c", { guardrails });
    for (const key of ["a", "b", "c"]) desk.end(key);
    await desk.running;
    expect(desk.began).toEqual(["a", "b"]);
    expect(shown(desk.messages)[2]).toMatchObject({ code: "call_limit" });
  });

  it("add their warning to the result, and record it", async () => {
    const desk = setUp("shell:a shell:a shell:a", { guardrails });
    desk.end("a");
    await desk.running;
    expect(shown(desk.messages).map((result) => result?.warning)).toEqual([
      undefined,
      undefined,
      "shell was called 3 times in a row with the same arguments and the same result. Do something else, or answer.",
    ]);
    const again = setUp("shell:a shell:a shell:a", { guardrails, journal: desk.journal.reopen() });
    await again.running;
    expect(again.messages).toEqual(desk.messages);
  });

  it("halt the turn with a reason", async () => {
    const desk = setUp(Array(5).fill("shell:a").join(" "), { guardrails });
    desk.end("a");
    expect(await desk.running).toEqual({
      halt: {
        code: "identical_calls",
        message: "shell was called 5 times in a row with the same arguments and the same result.",
      },
      ran: true,
    });
  });
});

describe("a result that is already in the conversation", () => {
  const long = "x".repeat(600);

  it("is replaced by a line the second time", async () => {
    const desk = setUp("shell:a shell:a shell:a");
    desk.end("a", long);
    await desk.running;
    expect(shown(desk.messages).map((result) => result?.said ?? result?.repeated)).toEqual([
      long,
      'shell {"key":"a"} gave this result before: read it above.',
      'shell {"key":"a"} gave this result before: read it above.',
    ]);
  });

  it("is shown whole again once the earlier one has left the conversation", async () => {
    const { steps, calls, running, end, stats } = setUp("shell:a");
    end("a", long);
    await running;
    const messages: Parameters<typeof steps.run>[0]["messages"] = [
      { role: "user", text: "What was before, in short." },
    ];
    await steps.run({ step: 1, calls, cutAfter: null, messages, stats });
    expect(readRendered((messages[1] as unknown as { text: string }).text)).toMatchObject({ said: long });
  });
});
