// Requests to the Responses API: pure translation, in Node. Streams and the SDK are in openai-responses.workers.test.ts.
import { describe, expect, it } from "vitest";
import type { Message } from "../../../core/agent/contract.ts";
import { toResponsesBody } from "../../../core/models/wires/openai-responses.ts";
import { LOOK_UP, toRequest } from "../../conformance/model.ts";

const user: Message = { role: "user", text: "Hi" };
const result: Message = { role: "tool", call: "a", name: "look_up", text: "{}", failed: false };
const items = [
  { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAAA" },
  {
    id: "fc_1",
    type: "function_call",
    call_id: "a",
    name: "look_up",
    arguments: '{"query": "x"}',
    status: "completed",
  },
];
const asks = (change: object): Message => ({
  role: "assistant",
  text: "I look.",
  calls: [{ id: "a", name: "look_up", args: { query: "x" } }],
  native: { wire: "openai-responses", data: items },
  ...change,
});
const inputOf = (messages: Message[]) => toResponsesBody(toRequest({ messages }), "gpt-6.1-terra").input as unknown[];

describe("a request for Responses", () => {
  it("has native items unchanged", () => {
    expect(inputOf([user, asks({}), result]).slice(2)).toEqual([
      ...items,
      { type: "function_call_output", call_id: "a", output: "{}" },
    ]);
  });

  it.each([
    ["another wire", { native: { wire: "anthropic", data: items } }],
    ["no wire", { native: undefined }],
  ])("is built from text and calls for an answer of %s", (_, change) => {
    expect(inputOf([user, asks(change), result]).slice(2)).toEqual([
      { role: "assistant", content: "I look." },
      { type: "function_call", call_id: "a", name: "look_up", arguments: '{"query":"x"}' },
      { type: "function_call_output", call_id: "a", output: "{}" },
    ]);
  });

  it("is built from text if calls were removed from the answer afterwards", () => {
    expect(inputOf([user, asks({ calls: [] }), user])[2]).toEqual({ role: "assistant", content: "I look." });
  });

  it("never repeats arguments that were not an object", () => {
    const calls = [{ id: "a", name: "look_up", args: {}, malformed: "{broken" }];
    expect(inputOf([user, asks({ calls }), result])[3]).toMatchObject({ call_id: "a", arguments: "{}" });
  });

  it("requests no encrypted reasoning from a model that does not reason", () => {
    expect(toResponsesBody(toRequest(), "gpt-4.1-mini")).not.toHaveProperty("include");
  });

  it("has its prompt as `developer` for model families that know that role, else as instructions", () => {
    const partsOf = (model: string) => {
      const { instructions, input } = toResponsesBody(toRequest({ messages: [user] }), model);
      return [instructions, (input as { role: string }[]).map(({ role }) => role)];
    };
    const developer = [undefined, ["developer", "user"]];
    for (const model of ["gpt-6.1-terra", "gpt-5.3-codex", "codex-mini-latest", "o3"]) {
      expect([model, ...partsOf(model)]).toEqual([model, ...developer]);
    }
    for (const model of ["gpt-4.1-mini", "qwen3"]) {
      expect([model, ...partsOf(model)]).toEqual([model, "You are Talaria.", ["user"]]);
    }
  });

  it("keeps the tools if none may be called", () => {
    const body = toResponsesBody(toRequest({ tools: [LOOK_UP], toolChoice: "none" }), "gpt-6.1-terra");
    expect(body).toMatchObject({ tool_choice: "none", tools: [{ name: "look_up" }] });
  });
});
