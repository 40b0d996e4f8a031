// OpenAI's SDK inside workerd on the Responses wire, against the scripted model server.
import { describe, expect, it } from "vitest";
import { createOpenAiResponsesModel } from "../../../core/models/wires/openai-responses.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { CALLS, LOOK_UP, TEXT, describeModel, readAll, readAnswer, reply, toRequest } from "../../conformance/model.ts";
import { openOverWire } from "../../support/wires/wire-model.ts";

const make = openOverWire((options) =>
  createOpenAiResponsesModel({ clock: systemClock, ...options, apiKey: "sk-proj-test-key", model: "gpt-6.1-terra" }),
);

describeModel("Responses", make, { scripted: true });

describe("the Responses wire", () => {
  it("has the server store nothing, and sends encrypted reasoning back unchanged", async () => {
    const { model, script } = await make([
      reply({ reasoning: "Look it up.", text: "I look.", calls: CALLS.slice(0, 1) }),
      reply({ text: "42." }),
    ]);
    const request = toRequest({ tools: [LOOK_UP] });
    const { text, calls, native } = await readAnswer(model, request);
    const result = { role: "tool" as const, call: "call_a", name: "look_up", text: '{"found":42}', failed: false };
    await readAnswer(model, {
      ...request,
      messages: [...request.messages, { role: "assistant", text, calls, native }, result],
    });
    const bodies = (await script!.requests()).map((request) => request.body);
    expect(bodies[0]).toEqual({
      model: "gpt-6.1-terra",
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "session-1",
      max_output_tokens: 1_000,
      tools: [{ type: "function", ...LOOK_UP, strict: false }],
      input: [
        { role: "developer", content: "You are Talaria." },
        { role: "user", content: [{ type: "input_text", text: "What is the answer?" }] },
      ],
    });
    expect(bodies[1].input.slice(2)).toEqual([
      {
        id: "rs_11",
        type: "reasoning",
        summary: [{ type: "summary_text", text: "Look it up." }],
        encrypted_content: "gAAAA11",
      },
      {
        id: "msg_7",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "I look.", annotations: [], logprobs: [] }],
      },
      {
        id: "fc_call_a",
        type: "function_call",
        call_id: "call_a",
        name: "look_up",
        status: "completed",
        arguments: CALLS[0]!.arguments,
      },
      { type: "function_call_output", call_id: "call_a", output: '{"found":42}' },
    ]);
  });

  it("keeps no items of an answer that was cut by its length", async () => {
    const { model } = await make([reply({ reasoning: "Hm.", text: "Half of", stop: "length" })]);
    const answer = await readAnswer(model, toRequest());
    expect(answer).toEqual({
      text: "Half of",
      reasoning: "Hm.",
      calls: [],
      stop: "length",
      usage: { input: 20, output: 7, cacheRead: 100, cacheWrite: 3, reasoning: 2 },
      // 20 at 1, 7 at 5, 100 at 0.05, 3 at 1.25 millionths of a dollar: 63.75
      cost: { usdMicros: 64, source: "catalog" },
      model: "openai:gpt-6.1-terra",
    });
  });

  it.each([
    [
      "error",
      { type: "error", code: "rate_limit_exceeded", message: "Slow down", param: null, sequence_number: 9 },
      "rate_limit",
    ],
    [
      "error",
      { type: "error", error: { type: "server_error", code: "server_is_overloaded", message: "Overloaded" } },
      "overloaded",
    ],
    [
      "response.failed",
      {
        type: "response.failed",
        response: { error: { code: "server_error", message: "The model produced invalid content." } },
      },
      "server_error",
    ],
    [
      "response.failed",
      { type: "response.failed", response: { error: { code: "invalid_prompt", message: "Flagged." } } },
      "content_refused",
    ],
  ])("reports an event %s in the middle of a stream with its own code", async (event, data, code) => {
    const { model } = await make([reply({ text: TEXT }, { frames: 6, afterwards: [{ event, data }] })]);
    const events = await readAll(model, toRequest());
    expect(events.at(-1)).toMatchObject({ type: "failed", failure: { code } });
    expect(events.filter((it) => it.type === "failed")).toHaveLength(1);
  });
});
