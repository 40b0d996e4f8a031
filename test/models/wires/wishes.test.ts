// What a client wishes of a call, on each wire: the fields that carry it, and providers that refuse them by name.
import { describe, expect, it } from "vitest";
import type { Model, ModelRequest } from "../../../core/agent/contract.ts";
import { createAnthropicModel, toAnthropicBody } from "../../../core/models/wires/anthropic.ts";
import { createOpenAiChatModel, toChatBody } from "../../../core/models/wires/openai-chat.ts";
import { toCompat } from "../../../core/models/wires/openai-compat.ts";
import { createOpenAiResponsesModel, toResponsesBody } from "../../../core/models/wires/openai-responses.ts";
import { LOOK_UP, readAll, toRequest } from "../../conformance/model.ts";
import { createTestClock } from "../../support/clock.ts";

const SCHEMA = { type: "object", properties: { n: { type: "integer" } } };
const WISHES: Partial<ModelRequest> = {
  tools: [LOOK_UP],
  format: { type: "json_schema", schema: SCHEMA, strict: true },
  sampling: { temperature: 1.5, topP: 0.5, stop: ["END", " "] },
};
const COMPAT = toCompat({ provider: "Strict" });
const chat = (change: Partial<ModelRequest>) => toChatBody(toRequest(change), "m", COMPAT) as unknown as object;
const responses = (change: Partial<ModelRequest>) => toResponsesBody(toRequest(change), "gpt-6.1-terra");
const anthropic = (change: Partial<ModelRequest>) => toAnthropicBody(toRequest(change), "claude-opus-5");
const named = { name: "look_up" };

describe("the wishes of a client", () => {
  it("are fields of Chat Completions", () => {
    expect(chat(WISHES)).toMatchObject({
      response_format: { type: "json_schema", json_schema: { name: "answer", schema: SCHEMA, strict: true } },
      ...{ temperature: 1.5, top_p: 0.5, stop: ["END", " "] },
    });
    expect(chat({ format: { type: "json_object" } })).toMatchObject({ response_format: { type: "json_object" } });
    expect(chat({ tools: [LOOK_UP], toolChoice: "required" })).toMatchObject({ tool_choice: "required" });
    expect(chat({ tools: [LOOK_UP], toolChoice: named })).toMatchObject({
      tool_choice: { type: "function", function: { name: "look_up" } },
    });
  });

  it("are fields of Responses, which has no stop sequences", () => {
    expect(responses(WISHES)).toMatchObject({
      text: { format: { type: "json_schema", name: "answer", schema: SCHEMA, strict: true } },
      ...{ temperature: 1.5, top_p: 0.5 },
    });
    expect(responses(WISHES)).not.toHaveProperty("stop");
    expect(responses({ tools: [LOOK_UP], toolChoice: named })).toMatchObject({
      tool_choice: { type: "function", name: "look_up" },
    });
  });

  it("are fields of Anthropic's API, as far as it takes them", () => {
    const body = anthropic(WISHES);
    expect(body).toMatchObject({
      output_config: { format: { type: "json_schema", schema: SCHEMA } },
      ...{ temperature: 1, stop_sequences: ["END"] },
    });
    expect(body).not.toHaveProperty("top_p");
    expect(anthropic({ format: { type: "json_object" } })).not.toHaveProperty("output_config");
    expect(anthropic({ tools: [LOOK_UP], toolChoice: named })).toMatchObject({
      tool_choice: { type: "tool", name: "look_up" },
    });
  });

  it("do not meet Anthropic's thinking: sampling gives way to it, and it gives way to a forced call", () => {
    const thinking = anthropic({ ...WISHES, effort: "high" });
    expect(thinking).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "high", format: { type: "json_schema" } },
    });
    expect(thinking).not.toHaveProperty("temperature");
    const forced = anthropic({ tools: [LOOK_UP], toolChoice: "required", effort: "high" });
    expect(forced).toMatchObject({ thinking: { type: "disabled" }, tool_choice: { type: "any" } });
  });

  it("leave every other request as it is", () => {
    for (const make of [chat, responses, anthropic]) {
      const plain = make({ tools: [LOOK_UP] });
      expect(
        Object.keys(plain).filter((key) => /format|temperature|top_p|stop|tool_choice|text|output/.test(key)),
      ).toEqual(make === responses ? ["max_output_tokens"] : []);
    }
  });
});

let servers = 0;

/** Refuses a request while `refusal` gives a message for it, and else answers 500, which ends the test's call. */
function strict(
  create: (options: { baseUrl: string; fetch: typeof fetch }) => Model,
  refusal: (body: any) => string | null,
) {
  const bodies: any[] = [];
  const baseUrl = `http://127.0.0.1:9/wishes/${servers++}/v1`;
  const send = async (_: unknown, init?: RequestInit) => {
    const body = JSON.parse(String(init!.body));
    bodies.push(body);
    const message = refusal(body);
    const error = { message: message ?? "out", type: message ? "invalid_request_error" : "server_error" };
    return new Response(JSON.stringify({ type: "error", error }), { status: message ? 400 : 500 });
  };
  const model = create({ baseUrl, fetch: send as typeof fetch });
  return { bodies, ask: (change: Partial<ModelRequest>) => readAll(model, toRequest(change)) };
}

const base = { apiKey: "none", clock: createTestClock() };

describe("a wish that a provider refuses by name", () => {
  it("is dropped by Chat Completions, and remembered for that value only", async () => {
    const { ask, bodies } = strict(
      (options) => createOpenAiChatModel({ ...base, ...options, model: "m", compat: COMPAT }),
      ({ temperature }) => (temperature === 0.5 ? "Unsupported value: 'temperature' does not support 0.5" : null),
    );
    await ask({ sampling: { temperature: 0.5, topP: 0.5 } });
    await ask({ sampling: { temperature: 0.5 } });
    await ask({ sampling: { temperature: 1 } });
    expect(bodies.map(({ temperature, top_p }) => [temperature, top_p])).toEqual([
      ...[
        [0.5, 0.5],
        [undefined, 0.5],
        [undefined, undefined],
        [1, undefined],
      ],
    ]);
  });

  it("is dropped by Responses", async () => {
    const { ask, bodies } = strict(
      (options) => createOpenAiResponsesModel({ ...base, ...options, model: "gpt-6.1-terra" }),
      ({ text }) => (text ? "Invalid schema for response_format 'answer': 'required' is required" : null),
    );
    await ask(WISHES);
    expect(bodies.map(({ text, temperature }) => [text !== undefined, temperature])).toEqual([
      ...[
        [true, 1.5],
        [false, 1.5],
      ],
    ]);
  });

  it("is dropped by Anthropic's API, whose effort stays", async () => {
    const { ask, bodies } = strict(
      (options) => createAnthropicModel({ ...base, ...options, model: "claude-opus-5" }),
      ({ output_config }) =>
        output_config?.format ? "output_config.format.schema: additionalProperties must be false" : null,
    );
    await ask({ ...WISHES, effort: "high" });
    expect(bodies.map(({ output_config }) => Object.keys(output_config))).toEqual([["effort", "format"], ["effort"]]);
  });

  it("does not hide any other refusal", async () => {
    const { ask, bodies } = strict(
      (options) => createOpenAiChatModel({ ...base, ...options, model: "m", compat: COMPAT }),
      () => "messages: the conversation is not valid",
    );
    expect((await ask(WISHES)).at(-1)).toMatchObject({ type: "failed", failure: { code: "bad_request" } });
    expect(bodies).toHaveLength(1);
  });
});
