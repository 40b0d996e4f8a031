// Why a turn ended: in its event, its log and its listing. A turn without any text is never done. Answers come over each wire
// as providers send them.
import { describe, expect, it } from "vitest";
import { createAnthropicModel } from "../../../core/models/wires/anthropic.ts";
import { createOpenAiChatModel } from "../../../core/models/wires/openai-chat.ts";
import { createOpenAiResponsesModel } from "../../../core/models/wires/openai-responses.ts";
import type { Model } from "../../../core/agent/contract.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import { createTestClock } from "../../support/clock.ts";
import { collect } from "../../support/session/collect-events.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";

type Event = { type?: string; [field: string]: unknown };

const sse = (events: Event[]) =>
  events.map((data) => `${data.type ? `event: ${data.type}\n` : ""}data: ${JSON.stringify(data)}\n\n`).join("");
const given = (events: Event[]) => ({
  apiKey: "sk-key",
  model: "some-model",
  clock: createTestClock(),
  fetch: async () => new Response(sse(events), { headers: { "content-type": "text/event-stream" } }),
});

/** An answer over Anthropic's wire: blocks of thinking or text, and the stop reason. */
function anthropic(stop_reason: string | null, blocks: { thinking?: string; text?: string }[]): Model {
  const usage = { input_tokens: 5, output_tokens: 3 };
  return createAnthropicModel(
    given([
      { type: "message_start", message: { id: "m", role: "assistant", content: [], usage } },
      ...blocks.flatMap((block, index): Event[] => {
        const [kind, said] = Object.entries(block)[0]!;
        return [
          { type: "content_block_start", index, content_block: { type: kind, [kind]: "", signature: "" } },
          { type: "content_block_delta", index, delta: { type: `${kind}_delta`, [kind]: said } },
          { type: "content_block_stop", index },
        ];
      }),
      { type: "message_delta", delta: { stop_reason }, usage },
      { type: "message_stop" },
    ]),
  );
}

function chat(finish_reason: string, delta: Event): Model {
  const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
  return createOpenAiChatModel({
    ...given([
      { choices: [{ index: 0, delta, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason }], usage },
    ]),
    baseUrl: "https://llm.example/v1",
  });
}

function responses(status: string, output: Event[], reason?: string): Model {
  const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8 };
  const response = { status, output, usage, ...(reason && { incomplete_details: { reason } }) };
  return createOpenAiResponsesModel(
    given([
      ...output.map((item, output_index) => ({ type: "response.output_item.done", output_index, item })),
      { type: `response.${status}`, response },
    ]),
  );
}

const words = (text: string, type = "output_text") => ({
  type: "message",
  content: [{ type, [type === "refusal" ? "refusal" : "text"]: text }],
});
const thoughts = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] };

/** What comes over the wire, how the turn ends, why, and its text. */
const WIRES: [string, () => Model, "done" | "failed", string, string][] = [
  ["Anthropic: end_turn", () => anthropic("end_turn", [{ text: "Yes." }]), "done", "answer", "Yes."],
  ["Anthropic: stop_sequence", () => anthropic("stop_sequence", [{ text: "Yes." }]), "done", "answer", "Yes."],
  ["Anthropic: no reason", () => anthropic(null, [{ text: "Yes." }]), "done", "answer", "Yes."],
  ["Anthropic: max_tokens", () => anthropic("max_tokens", [{ text: "Half of" }]), "done", "length", "Half of"],
  ["Anthropic: thinking, max_tokens", () => anthropic("max_tokens", [{ thinking: "Hm." }]), "failed", "length", ""],
  [
    "Anthropic: a full window",
    () => anthropic("model_context_window_exceeded", [{ text: "Ha" }]),
    "done",
    "length",
    "Ha",
  ],
  ["Anthropic: pause_turn", () => anthropic("pause_turn", [{ text: "Wait" }]), "done", "length", "Wait"],
  ["Anthropic: refusal", () => anthropic("refusal", []), "failed", "refusal", ""],
  ["Anthropic: refusal after text", () => anthropic("refusal", [{ text: "One" }]), "done", "refusal", "One"],
  ["Anthropic: an empty answer", () => anthropic("end_turn", []), "failed", "empty_answer", ""],
  ["Anthropic: white space", () => anthropic("max_tokens", [{ text: " \n" }]), "failed", "length", " \n"],
  ["Chat: stop", () => chat("stop", { content: "Yes." }), "done", "answer", "Yes."],
  ["Chat: length", () => chat("length", { content: "Half of" }), "done", "length", "Half of"],
  ["Chat: reasoning, length", () => chat("length", { reasoning_content: "Hm." }), "failed", "length", ""],
  ["Chat: content_filter", () => chat("content_filter", { content: "" }), "failed", "refusal", ""],
  ["Chat: content_filter after text", () => chat("content_filter", { content: "One" }), "done", "refusal", "One"],
  ["Chat: a refusal as text", () => chat("stop", { refusal: "I will not." }), "done", "refusal", "I will not."],
  ["Chat: SAFETY", () => chat("SAFETY", {}), "failed", "refusal", ""],
  ["Chat: model_length", () => chat("model_length", { content: "Ha" }), "done", "length", "Ha"],
  ["Chat: an empty answer", () => chat("stop", { content: "" }), "failed", "empty_answer", ""],
  ["Responses: completed", () => responses("completed", [words("Yes.")]), "done", "answer", "Yes."],
  [
    "Responses: max_output_tokens",
    () => responses("incomplete", [words("Half of")], "max_output_tokens"),
    "done",
    "length",
    "Half of",
  ],
  ["Responses: only reasoning", () => responses("incomplete", [thoughts], "max_output_tokens"), "failed", "length", ""],
  ["Responses: content_filter", () => responses("incomplete", [], "content_filter"), "failed", "refusal", ""],
  [
    "Responses: a refusal as text",
    () => responses("completed", [words("I will not.", "refusal")]),
    "done",
    "refusal",
    "I will not.",
  ],
  ["Responses: an empty answer", () => responses("completed", [thoughts]), "failed", "empty_answer", ""],
];

async function say(model: Model, text = "Well?", options: { turn?: { maxSteps?: number } } = {}) {
  const harness = createSessionHarness({ model, ...(options.turn && { settings: { turn: options.turn } }) });
  const life = harness.boot();
  await life.engine.create({ learning: "off", title: "" });
  const posted = await life.engine.postAndRead({ text });
  if (!posted.ok) throw new Error(posted.failure.code);
  const events = await collect(posted.value.events);
  await life.settled();
  const log = life.engine.entries(0);
  if (!log.ok) throw new Error(log.failure.code);
  const later = life.engine.events({ turn: 1 });
  return { harness, life, events, log: log.value, later: later.ok ? await collect(later.value) : [] };
}

describe("the end of a turn", () => {
  it.each(WIRES)("%s", async (_, open, state, reason, text) => {
    const { events, later, log, life } = await say(open());
    const end = { type: "turn_end", state, reason };
    expect(events.at(-1)?.event).toMatchObject(end);
    expect(later.at(-1)).toEqual(events.at(-1));
    expect(life.engine.detail()?.turns[0]).toMatchObject({ state, reason, final: log.at(-1)!.n });
    const said = log.findLast((entry) => entry.kind === "assistant");
    expect(said ? textOf(said) : "").toBe(text);
    const notices = log.filter((entry) => entry.kind === "notice").map(({ code }) => code);
    expect(notices.at(-1)).toBe(reason === "answer" ? undefined : reason);
    // Live and in a replay, a reader gets the same reason.
    const endNotices = (list: typeof events) =>
      list.flatMap(({ event }) => (event.type === "notice_add" && event.code === reason ? [event.text] : []));
    expect(endNotices(events)).toEqual(endNotices(later));
    expect(endNotices(events)).toHaveLength(reason === "answer" ? 0 : 1);
    // A turn never ends with neither a text nor a notice.
    expect(state === "done" && text.trim() === "" && notices.length === 0).toBe(false);
  });

  it("by the step limit, a command, a person or a failure has its reason", async () => {
    const look: ScriptLine = { calls: [{ name: "todo", args: {} }] };
    const closed = await say(createScriptedModel([look, { text: "So far." }]), "Well?", { turn: { maxSteps: 1 } });
    expect(closed.events.at(-1)?.event).toMatchObject({ state: "done", reason: "step_limit" });
    expect(textOf(closed.log.at(-1)!)).toContain("turn.maxSteps");
    const command = await say(createScriptedModel([]), "/refresh");
    expect(command.events.at(-1)?.event).toMatchObject({ state: "done", reason: "refreshed" });
    const failure = { code: "auth", message: "The key is wrong." };
    const failed = await say(createScriptedModel([{ failure }]));
    expect(failed.events.at(-1)?.event).toMatchObject({ state: "failed", reason: "auth" });
  });

  it.each([
    ["a full window", () => anthropic("model_context_window_exceeded", [{ text: "Ha" }]), "/compress"],
    ["a pause", () => anthropic("pause_turn", [{ text: "Wait" }]), '"go on"'],
  ])("by %s is reported with what helps, which is not a longer answer", async (_, open, advice) => {
    const { log } = await say(open());
    expect(textOf(log.at(-1)!)).toContain(advice);
    expect(textOf(log.at(-1)!)).not.toContain("maxOutputTokens");
  });

  it("is reported to the model of the next turn, after the partial answer", async () => {
    const model = createScriptedModel([{ text: "Half of", stop: "length" }, { text: "the rest." }]);
    const { life } = await say(model);
    await life.engine.post({ text: "Go on" });
    await life.settled();
    const texts = model.requests[1]!.messages.map(({ role, text }) => `${role}: ${text}`);
    expect(texts).toEqual([
      "user: Well?",
      "assistant: Half of",
      expect.stringMatching(/^assistant: \[The answer was cut off/),
      "user: Go on",
    ]);
    expect(life.engine.detail()!.turns[1]).toMatchObject({ state: "done", reason: "answer" });
  });

  it("of an earlier version has no reason in the listing; its event takes it from the log", async () => {
    const { harness, life } = await say(createScriptedModel([{ text: "Yes." }]));
    life.kill();
    harness.sql.run("UPDATE turn SET more = NULL");
    const { engine } = harness.boot();
    expect(engine.detail()!.turns[0]).not.toHaveProperty("reason");
    const events = engine.events({ turn: 1 });
    expect(events.ok && (await collect(events.value)).at(-1)?.event).toMatchObject({ reason: "answer" });
  });

  it("gives a session its title even if its first answer was cut off", async () => {
    const model = createScriptedModel([{ text: "Half of", stop: "length" }, { text: "A title" }]);
    const harness = createSessionHarness({ model, settings: { turn: { titles: true } } });
    const life = harness.boot();
    await life.engine.create({ learning: "off", title: "" });
    await life.engine.post({ text: "Tell me all" });
    await life.settled();
    expect(life.engine.detail()!.title).toBe("A title");
    expect(model.requests[1]!.messages[0]!.text).toContain("Half of");
  });
});
