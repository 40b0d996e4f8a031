// Whole sessions with models whose small window nobody has configured. The server counts as vLLM and llama.cpp do, with a
// tokenizer other than our estimate, and refuses what does not fit.
import { describe, expect, it } from "vitest";
import type { Model } from "../../../core/agent/contract.ts";
import { withLearnedWindow } from "../../../core/models/learned-windows.ts";
import { createOpenAiChatModel } from "../../../core/models/wires/openai-chat.ts";
import { compactionPrompt } from "../../../core/prompts/compaction.ts";
import { type Entry, textOf } from "../../../core/schemas/entry.ts";
import { createTestClock } from "../../support/clock.ts";
import { createWords } from "../../support/session/conversation.ts";
import { type CountingStyle, createCountingServer } from "../../support/wires/counting-server.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";
import type { ScriptedAnswer } from "../../support/wires/wire-script.ts";

const TABLE = Array.from({ length: 2_000 }, (_, i) => `${i},north-${i % 7},${(i * 37) % 1000}.${i % 10}`).join("\n");

/** Reads a file, reads another piece of it, counts in it, then answers, as a model works. */
function work(body: any): ScriptedAnswer {
  const { messages } = body;
  if (messages[0].content === compactionPrompt()) return { text: `Read so far: rows. ${createWords(300, 3)}` };
  const asked = messages.findLastIndex((message: any) => message.role === "user");
  const done = messages.slice(asked).filter((message: any) => message.role === "tool").length;
  const id = `call_${messages.length}_${done}`;
  const call = (name: string, args: object) => ({ calls: [{ id, name, arguments: JSON.stringify(args) }] });
  if (!/table/.test(String(messages[asked].content))) return { text: `Yes. ${createWords(40, messages.length)}` };
  if (done === 0) return call("read_file", { path: "table.csv" });
  if (done === 1) return call("read_file", { path: "table.csv", offset: 900, limit: 300 });
  if (done === 2) return call("terminal", { command: "cut -d, -f2 table.csv | sort | uniq -c; cat table.csv" });
  return { text: `There are 2000 rows. ${createWords(60, messages.length)}` };
}

async function session(
  options: { window: number; style: CountingStyle; known?: boolean; count?(text: string): number },
  answer: (body: any) => ScriptedAnswer = work,
) {
  const server = createCountingServer({ ...options, answer });
  const clock = createTestClock();
  const name = "openai-chat:local-model";
  const facts = options.known ? { facts: { contextWindow: options.window } } : {};
  const base = { apiKey: "none", model: "local-model", name, baseUrl: "http://127.0.0.1:9/v1", clock, ...facts };
  const model: Model = withLearnedWindow(
    createOpenAiChatModel({ ...base, fetch: server.fetch }),
    new Map(),
    options.known,
  );
  const harness = createSessionHarness({ model, settings: { review: { enabled: false } } });
  const life = harness.boot();
  await life.engine.create({ learning: "on", title: "" });
  const say = async (text: string): Promise<string> => {
    expect(await life.engine.post({ text })).toMatchObject({ ok: true });
    await life.settled();
    const { turns } = life.engine.detail()!;
    return turns.at(-1)!.state === "done" ? "done" : textOf(entries().at(-1)!);
  };
  const entries = (): Entry[] => {
    const all: Entry[] = [];
    for (;;) {
      const page = life.engine.entries(all.at(-1)?.n ?? 0);
      if (!page.ok) throw new Error(page.failure.code);
      if (page.value.length === 0) return all;
      all.push(...page.value);
    }
  };
  return { server, life, harness, say, entries };
}

const STYLES: CountingStyle[] = ["vllm-old", "vllm", "vllm-at-least", "vllm-above-window", "vllm-passed", "llamacpp"];
/** These servers report the size of the window, but not the length of the prompt: the answer is halved until it fits. */
const UNCOUNTED: CountingStyle[] = ["vllm-at-least", "vllm-above-window", "vllm-passed"];
/** Every style on the smallest window, where compaction is frequent, and two on the larger ones. */
const CASES = STYLES.map((style) => ({ window: 8_192, style })).concat([
  { window: 16_384, style: "vllm-old" },
  { window: 32_768, style: "vllm-passed" },
]);

describe("a window that nobody configured", () => {
  it.each(CASES)(
    "of $window tokens, counted by $style, answers the first message after at most one refusal",
    async (server) => {
      const { say, server: seen } = await session(server);
      expect(await say("Hi")).toBe("done");
      expect(seen.refused()).toBeLessThanOrEqual(UNCOUNTED.includes(server.style) ? 3 : 1);
      expect(await say("And again")).toBe("done");
      expect(seen.requests.at(-1)!.refused).toBe(false);
    },
  );

  it.each(CASES)(
    "of $window tokens, counted by $style, holds a long conversation with files and tools",
    async (server) => {
      const { life, say, entries, server: seen } = await session(server);
      expect(life.engine.putFile("table.csv", new TextEncoder().encode(TABLE)).ok).toBe(true);
      for (let i = 0; i < 10; i++) {
        expect(await say(i % 3 === 0 ? `Look into the table, part ${i}.` : `Go on: ${createWords(120, i)}`)).toBe(
          "done",
        );
      }
      const all = entries();
      expect(all.filter((entry) => entry.kind === "compaction").length).toBeGreaterThan(
        server.window < 20_000 ? 0 : -1,
      );
      expect(all.filter((entry) => entry.kind === "tool").length).toBeGreaterThanOrEqual(12);
      // The window was learned, so most requests are not refused.
      expect(seen.refused()).toBeLessThanOrEqual(UNCOUNTED.includes(server.style) ? 10 : 6);
    },
    30_000,
  );
});

describe("a window that the operator set, on a server that silently truncates long prompts", () => {
  it("is never sent a request far above its size: the person gets a notice, and the session continues", async () => {
    const window = 8_192;
    const { say, server } = await session({ window, style: "clamps", known: true });
    expect(await say("Hi")).toBe("done");
    expect(await say(createWords(100_000, 1))).toMatch(/was not called.*8192.*new session/);
    expect(await say("Hi again")).toBe("done");
    expect(Math.max(...server.requests.map(({ prompt }) => prompt))).toBeLessThan(2 * window);
  });
});

describe("a conversation that was made shorter", () => {
  /** One long turn with tables of numbers, for a tokenizer that has long tokens for numbers. */
  const manySteps = (steps: number) => {
    let done = 0;
    return (body: any): ScriptedAnswer => {
      if (body.messages[0].content === compactionPrompt()) return { text: `Read so far: rows. ${createWords(300, 3)}` };
      if (done++ >= steps) return { text: "All steps done." };
      const args = JSON.stringify({ command: `seq ${done} ${done + 600}` });
      return { calls: [{ id: `call_${done}`, name: "terminal", arguments: args }] };
    };
  };

  it("is sent with an answer limit that fits, although the estimate of the removed messages was too high", async () => {
    const count = (text: string) => Math.ceil(text.length / 4);
    const { say, server, entries } = await session(
      { window: 16_384, style: "vllm", known: true, count },
      manySteps(40),
    );
    expect(await say("Count on")).toBe("done");
    expect(entries().filter((entry) => entry.kind === "compaction").length).toBeGreaterThan(2);
    expect(server.refused()).toBe(0);
  });
});
