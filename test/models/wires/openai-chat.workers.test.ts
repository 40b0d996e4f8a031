// OpenAI's SDK inside workerd on the Chat Completions wire, against the scripted model server.
import { describe, expect, it } from "vitest";
import { createOpenAiChatModel } from "../../../core/models/wires/openai-chat.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { LOOK_UP, TEXT, describeModel, readAll, readAnswer, reply, toRequest } from "../../conformance/model.ts";
import { openOverWire } from "../../support/wires/wire-model.ts";
import type { Frame, Reply } from "../../support/wires/wire-script.ts";

const make = openOverWire((options) =>
  createOpenAiChatModel({ clock: systemClock, ...options, apiKey: "sk-proj-test-key", model: "some-model" }),
);

describeModel("Chat Completions", make, { scripted: true });

/** A stream as another vendor's server sends it. */
function stream(deltas: object[], finish: object = { finish_reason: "tool_calls" }, usage?: object): Reply {
  const chunk = (choice: object): Frame => ({ data: { id: "1", object: "chat.completion.chunk", choices: [choice] } });
  const frames = deltas.map((delta) => chunk({ index: 0, delta, finish_reason: null }));
  const last = { data: { ...(chunk({ index: 0, delta: {}, ...finish }).data as object), ...(usage ? { usage } : {}) } };
  return { kind: "frames", stream: [...frames, last, { data: "[DONE]" }] };
}

const call = (fields: object, fn: object) => ({ tool_calls: [{ ...fields, type: "function", function: fn }] });
const whole = (query: string) => ({ name: "look_up", arguments: JSON.stringify({ query }) });
const one = { args: { query: "one" }, name: "look_up" };
const two = { args: { query: "two" }, name: "look_up" };

describe("servers that imitate Chat Completions", () => {
  it.each([
    ["leave out the index", [call({ id: "a" }, whole("one")), call({ id: "b" }, whole("two"))], ["a", "b"]],
    [
      "give every call the index 0",
      [call({ index: 0, id: "a" }, whole("one")), call({ index: 0, id: "b" }, whole("two"))],
      ["a", "b"],
    ],
    ["leave out index and id", [call({}, whole("one")), call({}, whole("two"))], ["call_1_0", "call_1_1"]],
    [
      "send an empty id",
      [call({ index: 0, id: "" }, whole("one")), call({ index: 1, id: "" }, whole("two"))],
      ["call_1_0", "call_1_1"],
    ],
    [
      "send every call whole, with the index 0 and an empty id",
      [call({ index: 0, id: "" }, whole("one")), call({ index: 0, id: "" }, whole("two"))],
      ["call_1_0", "call_1_1"],
    ],
    [
      "send every call whole, with the index 0 and no id, arguments as objects",
      [
        call({ index: 0 }, { name: "look_up", arguments: { query: "one" } }),
        call({ index: 0 }, { name: "look_up", arguments: { query: "two" } }),
      ],
      ["call_1_0", "call_1_1"],
    ],
    [
      "send the whole call again at its end",
      [
        call({ index: 0, id: "a" }, whole("one")),
        call({ index: 0, id: "a" }, whole("one")),
        call({ index: 1, id: "b" }, whole("two")),
      ],
      ["a", "b"],
    ],
    [
      "give several calls one id",
      [call({ index: 0, id: "a" }, whole("one")), call({ index: 1, id: "a" }, whole("two"))],
      ["a", "a_2"],
    ],
    [
      "repeat the name with every piece, with the index 0 and an empty id",
      [
        call({ index: 0, id: "" }, { name: "look_up", arguments: '{"query"' }),
        call({ index: 0, id: "" }, { name: "look_up", arguments: ':"one"}' }),
        call({ index: 0, id: "" }, { name: "look_up", arguments: '{"query":"two"}' }),
      ],
      ["call_1_0", "call_1_1"],
    ],
    [
      "repeat id and name with every piece",
      [
        call({ index: 0, id: "a" }, { name: "look_up", arguments: '{"query"' }),
        call({ index: 1, id: "b" }, { name: "look_up", arguments: '{"query":' }),
        call({ index: 0, id: "a" }, { name: "look_up", arguments: ':"one"}' }),
        call({ index: 1, id: "b" }, { name: "look_up", arguments: '"two"}' }),
      ],
      ["a", "b"],
    ],
    [
      "cut a call without index into pieces",
      [
        call({ id: "a" }, { name: "look_up", arguments: "" }),
        call({}, { arguments: '{"query":"o' }),
        call({}, { arguments: 'ne"}' }),
        call({ id: "b" }, whole("two")),
      ],
      ["a", "b"],
    ],
    [
      "send arguments as an object",
      [
        call({ index: 0, id: "a" }, { name: "look_up", arguments: { query: "one" } }),
        call({ index: 1, id: "b" }, whole("two")),
      ],
      ["a", "b"],
    ],
  ])("are understood if they %s", async (_, deltas, ids) => {
    const { model } = await make([stream(deltas)]);
    const answer = await readAnswer(model, toRequest({ tools: [LOOK_UP] }));
    expect(answer.calls).toEqual([
      { id: ids[0], ...one },
      { id: ids[1], ...two },
    ]);
  });

  it("may finish with the reason `stop` although they call tools", async () => {
    const { model } = await make([stream([call({ index: 0, id: "a" }, whole("one"))], { finish_reason: "stop" })]);
    expect(await readAnswer(model, toRequest({ tools: [LOOK_UP] }))).toMatchObject({ stop: "tools" });
  });

  it("get a call's signature back with the call", async () => {
    const extra_content = { google: { thought_signature: "c2lnbmVk" } };
    const { model, script } = await make([
      stream([call({ index: 0, id: "a", extra_content }, whole("one")), call({ index: 1, id: "b" }, whole("two"))]),
      reply({ text: "42." }),
    ]);
    const request = toRequest({ tools: [LOOK_UP] });
    const { text, calls, native } = await readAnswer(model, request);
    const results = calls.map(({ id, name }) => ({ role: "tool" as const, call: id, name, text: "{}", failed: false }));
    await readAnswer(model, {
      ...request,
      messages: [...request.messages, { role: "assistant", text, calls, native }, ...results],
    });
    const sent = (await script!.requests())[1]!.body.messages[2].tool_calls;
    expect(sent).toEqual([
      { id: "a", type: "function", function: whole("one"), extra_content },
      { id: "b", type: "function", function: whole("two") },
    ]);
  });

  it.each([
    ["reasoning_content", [{ reasoning_content: "Hm" }, { reasoning_content: "." }, { content: "42" }]],
    ["reasoning", [{ reasoning: "Hm" }, { reasoning: "." }, { content: "42" }]],
    [
      "content parts of type thinking",
      [
        { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] }] },
        { content: [{ type: "text", text: "42" }] },
      ],
    ],
  ])("may send their reasoning as %s", async (_, deltas) => {
    const { model } = await make([stream(deltas, { finish_reason: "stop" })]);
    expect(await readAnswer(model, toRequest())).toMatchObject({ text: "42", reasoning: "Hm.", stop: "end" });
  });

  it.each([
    [
      "OpenAI",
      { prompt_tokens: 100, completion_tokens: 9, total_tokens: 109, prompt_tokens_details: { cached_tokens: 60 } },
      9,
    ],
    ["DeepSeek", { prompt_tokens: 100, completion_tokens: 9, total_tokens: 109, prompt_cache_hit_tokens: 60 }, 9],
    ["Moonshot", { prompt_tokens: 100, completion_tokens: 9, total_tokens: 109, cached_tokens: 60 }, 9],
    [
      "xAI",
      { prompt_tokens: 100, completion_tokens: 9, total_tokens: 209, prompt_tokens_details: { cached_tokens: 60 } },
      109,
    ],
  ])("have usage read as %s reports it", async (_, usage, output) => {
    const { model } = await make([stream([{ content: "42" }], { finish_reason: "stop" }, usage)]);
    const answer = await readAnswer(model, toRequest());
    expect(answer.usage).toEqual({ input: 40, cacheRead: 60, cacheWrite: 0, output });
  });

  it("have the cost they report, if they report one", async () => {
    const usage = {
      ...{ prompt_tokens: 194, completion_tokens: 9, total_tokens: 203, cost: 0.0021507 },
      completion_tokens_details: { reasoning_tokens: 4 },
      cost_details: { upstream_inference_cost: null },
    };
    const { model } = await make([stream([{ content: "42" }], { finish_reason: "stop" }, usage)]);
    expect(await readAnswer(model, toRequest())).toMatchObject({
      usage: { input: 194, cacheRead: 0, cacheWrite: 0, output: 9, reasoning: 4 },
      cost: { usdMicros: 2_151, source: "provider" },
    });
  });

  it("report the usage of a call that returned no answer", async () => {
    const usage = { prompt_tokens: 194, completion_tokens: 9, total_tokens: 203 };
    const { model } = await make([stream([{ content: "4" }], { finish_reason: "error" }, usage)]);
    expect((await readAll(model, toRequest())).at(-1)).toMatchObject({
      type: "failed",
      failure: {
        code: "server_error",
        spent: {
          model: "openai-chat:some-model",
          usage: { input: 194, cacheRead: 0, cacheWrite: 0, output: 9 },
          cost: { usdMicros: 0, source: "none" },
        },
      },
    });
  });

  it("have their usage estimated if they report none", async () => {
    const { model } = await make([stream([{ content: "x".repeat(400) }], { finish_reason: "stop" })]);
    const { usage } = await readAnswer(model, toRequest({ system: "s".repeat(4_000) }));
    expect(usage).toMatchObject({ cacheRead: 0, cacheWrite: 0, output: 101 });
    expect(usage.input).toBeGreaterThan(1_000);
  });

  it.each([
    ["error", "server_error"],
    ["network_error", "server_error"],
    ["insufficient_system_resource", "overloaded"],
  ])("fail if they finish with %s", async (finish_reason, code) => {
    const { model } = await make([stream([{ content: "4" }], { finish_reason })]);
    expect((await readAll(model, toRequest())).at(-1)).toMatchObject({
      type: "failed",
      failure: { code, retry: true },
    });
  });

  it("may fail in the middle of a stream, with the status of the upstream provider", async () => {
    const error = { code: 429, message: "Provider returned error", metadata: { provider_name: "Some" } };
    const { model } = await make([
      reply({ text: TEXT }, { frames: 4, afterwards: [{ data: { id: "1", choices: [], error } }] }),
    ]);
    expect((await readAll(model, toRequest())).at(-1)).toMatchObject({
      type: "failed",
      failure: { code: "rate_limit", retry: true },
    });
  });

  it.each([
    [
      "Mistral",
      400,
      {
        object: "error",
        message:
          "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        type: "invalid_request_error",
      },
      "context_overflow",
    ],
    ["Ollama", 404, { error: 'model "x" not found, try pulling it first' }, "model_missing"],
    [
      "Google",
      429,
      [
        {
          error: {
            code: 429,
            message: "You exceeded your current quota, please check your plan and billing details.",
            status: "RESOURCE_EXHAUSTED",
          },
        },
      ],
      "rate_limit",
    ],
    [
      "OpenAI",
      429,
      {
        error: {
          message: "You exceeded your current quota, please check your plan and billing details.",
          type: "insufficient_quota",
          param: null,
          code: "insufficient_quota",
        },
      },
      "billing",
    ],
    ["FastAPI", 422, { detail: "messages: field required" }, "bad_request"],
    [
      "Workers AI",
      429,
      {
        success: false,
        errors: [{ code: 3040, message: "AiError: Capacity temporarily exceeded, please try again." }],
      },
      "overloaded",
    ],
  ])("may refuse in the form of %s", async (_, status, body, code) => {
    const { model } = await make([{ kind: "error", status, body }]);
    expect(await readAll(model, toRequest())).toMatchObject([{ type: "failed", failure: { code } }]);
  });
});
