// Compaction through a whole session: by command, after a provider's refusal, and while the turn is stopped.
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../core/agent/contract.ts";
import { compactionPrompt } from "../../../core/prompts/compaction.ts";
import { NO_USAGE, textOf } from "../../../core/schemas/entry.ts";
import { createWords } from "../../support/session/conversation.ts";
import { type ScriptLine, type ScriptedAnswer, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";

const isSummary = (request: ModelRequest) => request.system === compactionPrompt();

/** Answers each message with a page of words, and a request for a summary with `summary`. */
async function session(summary: ScriptedAnswer, refuse: (request: ModelRequest) => boolean = () => false) {
  const line: ScriptLine = (request) => {
    if (isSummary(request)) return summary;
    if (refuse(request)) return { failure: { code: "context_overflow", message: "prompt is too long", compact: true } };
    return { text: createWords(1_600, request.messages.length) };
  };
  const model = createScriptedModel(Array.from({ length: 60 }, () => line));
  const harness = createSessionHarness({ model, settings: { review: { enabled: false } } });
  const life = harness.boot();
  await life.engine.create({ learning: "off", title: "" });
  const say = async (text: string) => {
    expect(await life.engine.post({ text })).toMatchObject({ ok: true });
    await life.settled();
  };
  const entries = () => {
    const all = life.engine.entries(0);
    if (!all.ok) throw new Error(all.failure.code);
    return all.value;
  };
  return { harness, life, model, say, entries, state: () => life.engine.detail()!.turns.at(-1)!.state };
}

describe("/compress in a session", () => {
  it("ends the turn with a report of what it did, makes only the model call for the summary, and books it", async () => {
    const { harness, life, model, say, entries, state } = await session({
      text: "All was said.",
      usage: { input: 70, output: 7 },
    });
    for (let i = 0; i < 6; i++) await say(createWords(1_600, 50 + i));
    const before = model.requests.length;
    await say("/compress the words");
    expect(model.requests.slice(before).map(isSummary)).toEqual([true]);
    expect(model.requests.at(-1)!.messages[0]!.text).toContain("<focus>\nthe words\n</focus>");
    const [compaction, notice] = entries().slice(-2);
    expect(compaction).toMatchObject({ kind: "compaction", method: "model", focus: "the words" });
    expect(notice).toMatchObject({ kind: "notice", code: "compressed" });
    expect(textOf(notice!)).toMatch(/^The conversation was made shorter: from about \d+ to \d+ tokens\.$/);
    expect(state()).toBe("done");
    await life.wake();
    expect(harness.booked.at(-1)!.lines).toMatchObject([
      { kind: "compaction", calls: 1, usage: { ...NO_USAGE, input: 70, output: 7 } },
    ]);

    await say("Go on.");
    const { messages } = model.requests.at(-1)!;
    expect(messages.map((message) => message.role)).toEqual([
      // The command and its answer are for the person, not for the model.
      ...["user", "assistant", "user", "user", "assistant", "user", "assistant", "user"],
    ]);
    expect(messages[3]!.text).toContain("\nAll was said.\n</earlier_conversation>");
  });

  it("is refused in a conversation of too few messages", async () => {
    const { model, say, entries, state } = await session({ text: "" });
    await say("/compress");
    expect(entries().at(-1)).toMatchObject({ kind: "notice", code: "too_short" });
    expect([state(), model.requests.length]).toEqual(["failed", 0]);
  });
});

describe("/compress that saves nothing", () => {
  it("reports that once, and the turn is done", async () => {
    const { say, entries, state } = await session({ text: createWords(1_600, 9).repeat(40) });
    for (let i = 0; i < 6; i++) await say(createWords(1_600, 50 + i));
    const before = entries().length;
    await say("/compress");
    const notices = entries()
      .slice(before)
      .filter((entry) => entry.kind === "notice");
    expect(notices).toHaveLength(1);
    expect(textOf(notices[0]!)).toMatch(/\.$/);
    expect(state()).toBe("done");
  });
});

describe("a provider that refuses a conversation as too long", () => {
  it("gets a shorter one, and the person gets an answer", async () => {
    const refuse = (request: ModelRequest) => JSON.stringify(request.messages).length > 20_000;
    const { model, say, entries, state } = await session({ text: "All was said." }, refuse);
    for (let i = 0; i < 8; i++) await say(createWords(1_600, 50 + i));
    expect(state()).toBe("done");
    const made = entries().filter((entry) => entry.kind === "compaction");
    expect(made.length).toBeGreaterThan(0);
    const last = model.requests.at(-1)!;
    expect([isSummary(last), refuse(last), last.messages.at(-1)!.text]).toEqual([false, false, createWords(1_600, 57)]);
  });

  it("and refuses the shorter one too: the turn ends with the provider's message", async () => {
    const refuse = (request: ModelRequest) => request.messages.length > 1;
    const { model, say, entries, state } = await session({ text: "All was said." }, refuse);
    await say("One.");
    await say("Two.");
    expect(state()).toBe("failed");
    expect(entries().at(-1)).toMatchObject({ kind: "notice", code: "context_overflow" });
    expect(model.requests.length).toBeLessThan(6);
  });
});

it("a turn that is stopped while its summary is written keeps its conversation unchanged", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { life, say, entries, state } = await session({ text: "Too late.", until: promise });
  for (let i = 0; i < 4; i++) await say(createWords(1_600, 50 + i));
  const before = entries();
  await life.engine.post({ text: "/compress" });
  await Promise.resolve();
  await life.engine.stop();
  resolve();
  await life.settled();
  expect(state()).toBe("stopped");
  expect(entries().slice(before.length)).toMatchObject([{ kind: "user" }, { kind: "notice", code: "stopped" }]);
});
