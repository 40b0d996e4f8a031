// A turn as the events of OpenAI's Responses API, read by the official client.
import OpenAI from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../../core/schemas/entry.ts";
import { readPieces } from "../../../../workers/api/doors/pieces.ts";
import { isProgress, renderResponse } from "../../../../workers/api/doors/responses/render.ts";
import { EXCHANGES, STATS, answering, list, play } from "../../../support/doors/exchanges.ts";

const ID = "resp_0123456789abcdef0123456789abcdef";
const frame = {
  id: ID,
  createdAtMs: 1_700_000_000_000,
  echo: { v: 1 as const, model: "talaria", isStored: true, metadata: { a: "b" } },
  told: { instructions: "Be short.", tools: [], format: { type: "text" as const } },
};

function renderAll(events: AgentEvent[]) {
  const readStats = async ({ stats }: { stats: typeof STATS | null }) => stats ?? STATS;
  return list(renderResponse(readPieces(play(events)), { frame, nowMs: () => 1_700_000_002_500, readStats }));
}

/** Without what is sent as comments. */
async function render(events: AgentEvent[]): Promise<ResponseStreamEvent[]> {
  return (await renderAll(events)).filter((event): event is ResponseStreamEvent => !isProgress(event));
}

/** Through the client's stream helper, which checks the order and the identities. */
async function accumulate(events: ResponseStreamEvent[]) {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  const client = new OpenAI({ apiKey: "k", baseURL: "http://x/v1", fetch: answering(body), maxRetries: 0 });
  return client.responses.stream({ model: "talaria", input: "hi" }).finalResponse();
}

const typesOf = (events: ResponseStreamEvent[]) => events.map(({ type }) => type.replace("response.", ""));
const TEXT = ["output_item.added", "content_part.added"];
const TEXT_END = ["output_text.done", "content_part.done", "output_item.done"];
const CALL = ["output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done"];

describe("a turn as a response", () => {
  it("streams each event once, in order and numbered, and ends with the whole response", async () => {
    const events = await render(EXCHANGES.answer);
    expect(typesOf(events)).toEqual([
      ...["created", "in_progress", ...TEXT, "output_text.delta", "output_text.delta", ...TEXT_END, "completed"],
    ]);
    expect(events.map(({ sequence_number: n }) => n)).toEqual(events.map((_, n) => n));
    const response = await accumulate(events);
    expect(response).toMatchObject({
      ...{ id: ID, object: "response", status: "completed", created_at: 1_700_000_000, completed_at: 1_700_000_002 },
      ...{ output_text: "Hello there.", instructions: "Be short.", metadata: { a: "b" }, error: null },
      output: [{ type: "message", role: "assistant", status: "completed", content: [{ text: "Hello there." }] }],
      usage: {
        ...{ input_tokens: 130, output_tokens: 5, total_tokens: 135 },
        ...{ input_tokens_details: { cached_tokens: 100 }, output_tokens_details: { reasoning_tokens: 2 } },
      },
    });
  });

  it("has a message for each text, and says apart which tools of its own the agent uses", async () => {
    const all = await renderAll(EXCHANGES.steps);
    expect(all.filter(isProgress)).toEqual([
      { type: "talaria.tool_start", name: "terminal" },
      { type: "talaria.tool_end", name: "terminal", failed: false },
    ]);
    const response = await accumulate(await render(EXCHANGES.steps));
    expect(response.output.map((item) => (item.type === "message" ? item.content[0] : item.type))).toMatchObject([
      { text: "I look." },
      { text: "Done." },
    ]);
  });

  it("takes back a text that is said again: the stream marks it incomplete, the response leaves it out", async () => {
    const events = await render(EXCHANGES.retracted);
    const done = events.flatMap((event) => (event.type === "response.output_item.done" ? [event.item] : []));
    expect(done).toMatchObject([{ status: "incomplete" }, { status: "completed" }]);
    expect((await accumulate(events)).output_text).toBe("Hello.");
  });

  it("ends with the calls of the client's own tools", async () => {
    const events = await render(EXCHANGES.calls);
    expect(typesOf(events)).toEqual([
      ...["created", "in_progress", ...TEXT, "output_text.delta", ...TEXT_END, ...CALL, ...CALL, "completed"],
    ]);
    const { output } = await accumulate(events);
    expect(output).toMatchObject([
      { type: "message" },
      {
        type: "function_call",
        call_id: "call_1",
        name: "get_weather",
        arguments: '{"city":"Oslo"}',
        status: "completed",
      },
      { type: "function_call", call_id: "call_2", name: "get_time", arguments: "{}" },
    ]);
    expect(new Set(output.map(({ id }) => id)).size).toBe(3);
  });

  it.each([
    ["a question to the person", "question", "May I run rm?"],
    ["what followed the client's results", "afterCalls", "Sunny."],
    ["what came after other sessions worked for it", "children", "All done."],
    ["what a command did", "command", "The conversation is shorter now."],
    ["the answer to a command beside a waiting turn", "beside", "Approved."],
  ] as const)("has the text of %s", async (_, exchange, text) => {
    expect(await accumulate(await render(EXCHANGES[exchange]))).toMatchObject({
      status: "completed",
      output_text: text,
    });
  });

  it("is incomplete when the answer reached its limit or was refused", async () => {
    expect((await render(EXCHANGES.length)).at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, output_text: "Half of" },
    });
    expect((await render(EXCHANGES.refusal)).at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "content_filter" } },
    });
  });

  it("is failed with the harness's words when the turn failed, or broke off", async () => {
    const events = await render(EXCHANGES.failed);
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: {
        status: "failed",
        error: { code: "server_error", message: "X has no capacity now." },
        output_text: "So",
      },
    });
    expect((await render(EXCHANGES.budget)).at(-1)).toMatchObject({
      response: { error: { code: "rate_limit_exceeded", message: "The budget is spent." } },
    });
    expect((await render(EXCHANGES.broken)).at(-1)).toMatchObject({ type: "response.failed" });
  });
});
