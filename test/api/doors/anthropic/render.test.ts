// A turn as the events of Anthropic's Messages API, and as one message, read by the official client.
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import type { AgentEvent, TurnStats } from "../../../../core/schemas/entry.ts";
import { readPieces } from "../../../../workers/api/doors/pieces.ts";
import {
  type StreamedEvent,
  collectMessage,
  renderMessageEvents,
} from "../../../../workers/api/doors/anthropic/render.ts";
import { EXCHANGES, STATS, answering, list, play } from "../../../support/doors/exchanges.ts";

const host = {
  frame: { id: "msg_1", model: "talaria" },
  readStats: async ({ stats }: { stats: TurnStats | null }) => stats ?? STATS,
};
const render = (events: AgentEvent[]) => list(renderMessageEvents(readPieces(play(events)), host));
const collect = (events: AgentEvent[]) => collectMessage(readPieces(play(events)), host);

/** Through the client's stream helper, which checks the order. */
async function accumulate(events: StreamedEvent[]) {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  const client = new Anthropic({ apiKey: "k", baseURL: "http://x", fetch: answering(body), maxRetries: 0 });
  return client.messages
    .stream({ model: "talaria", max_tokens: 9, messages: [{ role: "user", content: "hi" }] })
    .finalMessage();
}

const BLOCK = ["content_block_start", "content_block_delta", "content_block_stop"];

describe("a turn as a message", () => {
  it("streams its events in order, and the client builds the message that is also sent whole", async () => {
    const events = await render(EXCHANGES.answer);
    expect(events.map(({ type }) => type)).toEqual([
      ...["message_start", "ping", "content_block_start", "content_block_delta", "content_block_delta"],
      ...["content_block_stop", "message_delta", "message_stop"],
    ]);
    const streamed = await accumulate(events);
    expect(streamed).toMatchObject({
      ...{ id: "msg_1", type: "message", role: "assistant", model: "talaria", stop_reason: "end_turn" },
      content: [{ type: "text", text: "Hello there." }],
      usage: {
        ...{ input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 },
      },
    });
    const whole = { content: [{ type: "text", text: "Hello there." }], stop_reason: "end_turn", usage: streamed.usage };
    expect(await collect(EXCHANGES.answer)).toMatchObject(whole);
  });

  it("has a block for each text, and events of the agent's own tools that the client ignores", async () => {
    const events = await render(EXCHANGES.steps);
    expect(events.flatMap((event) => (event.type === "content_block_start" ? [event.index] : []))).toEqual([0, 1]);
    expect(events.filter(({ type }) => type.startsWith("talaria"))).toMatchObject([
      { type: "talaria_tool_start", name: "terminal" },
      { type: "talaria_tool_end", name: "terminal", failed: false },
    ]);
    expect((await accumulate(events)).content).toMatchObject([{ text: "I look." }, { text: "Done." }]);
  });

  it("ends with the calls of the client's own tools", async () => {
    const events = await render(EXCHANGES.calls);
    expect(events.map(({ type }) => type)).toEqual([
      ...["message_start", "ping", ...BLOCK, ...BLOCK, ...BLOCK, "message_delta", "message_stop"],
    ]);
    const expected = [
      { type: "text", text: "Let me ask." },
      { type: "tool_use", id: "call_1", name: "get_weather", input: { city: "Oslo" } },
      { type: "tool_use", id: "call_2", name: "get_time", input: {} },
    ];
    expect(await accumulate(events)).toMatchObject({ stop_reason: "tool_use", content: expected });
    expect(await collect(EXCHANGES.calls)).toMatchObject({ stop_reason: "tool_use", content: expected });
  });

  it.each([
    ["a question to the person", "question", "May I run rm?"],
    ["what followed the client's results", "afterCalls", "Sunny."],
    ["what came after other sessions worked for it", "children", "All done."],
    ["what a command did", "command", "The conversation is shorter now."],
  ] as const)("has the text of %s", async (_, exchange, text) => {
    const expected = { stop_reason: "end_turn", content: [{ type: "text", text }] };
    expect(await accumulate(await render(EXCHANGES[exchange]))).toMatchObject(expected);
    expect(await collect(EXCHANGES[exchange])).toMatchObject(expected);
  });

  it("says that the answer reached its limit, or was refused", async () => {
    expect(await collect(EXCHANGES.length)).toMatchObject({
      stop_reason: "max_tokens",
      content: [{ text: "Half of" }],
    });
    const refused = await accumulate(await render(EXCHANGES.refusal));
    expect(refused).toMatchObject({ stop_reason: "refusal", stop_details: { type: "refusal" } });
  });

  it("whole leaves out a text that was said again", async () => {
    expect(await collect(EXCHANGES.retracted)).toMatchObject({ content: [{ text: "Hello." }] });
  });

  it("breaks off with the reason when the turn fails", async () => {
    const failed = { how: "failed", code: "overloaded", message: "X has no capacity now." };
    expect((await render(EXCHANGES.failed)).at(-1)).toEqual({ type: "failed", end: failed });
    expect(await collect(EXCHANGES.failed)).toEqual(failed);
    expect(await collect(EXCHANGES.broken)).toMatchObject({ how: "failed", code: "stream_broken" });
  });
});
