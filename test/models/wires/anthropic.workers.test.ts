// Anthropic's SDK inside workerd, against the scripted model server.
import { describe, expect, it } from "vitest";
import { createAnthropicModel } from "../../../core/models/wires/anthropic.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { CALLS, LOOK_UP, TEXT, describeModel, readAll, readAnswer, reply, toRequest } from "../../conformance/model.ts";
import { openOverWire } from "../../support/wires/wire-model.ts";
import type { Reply } from "../../support/wires/wire-script.ts";
import { toAnthropicError } from "../../support/wires/wire-anthropic.ts";

const make = openOverWire((options) =>
  createAnthropicModel({ clock: systemClock, ...options, apiKey: "sk-ant-api03-test-key", model: "claude-sonnet-5-5" }),
);

describeModel("Anthropic", make, { scripted: true });

describe("the Messages wire", () => {
  it("keeps thinking with its signature, and sends it back unchanged", async () => {
    const { model, script } = await make([
      reply({ reasoning: "Look it up.", text: "I look.", calls: CALLS.slice(0, 1) }),
      reply({ text: "42." }),
    ]);
    const user = { role: "user" as const, text: "What is the answer?" };
    const answer = await readAnswer(model, toRequest({ tools: [LOOK_UP] }));
    const blocks = [
      { type: "thinking", thinking: "Look it up.", signature: "sig:11" },
      { type: "text", text: "I look." },
      { type: "tool_use", id: "call_a", name: "look_up", input: { query: "Grüße 🌍" } },
    ];
    expect(answer.native).toEqual({ wire: "anthropic", data: blocks });
    const result = { role: "tool" as const, call: "call_a", name: "look_up", text: '{"found":42}', failed: false };
    const assistant = { role: "assistant" as const, text: answer.text, calls: answer.calls, native: answer.native };
    await readAnswer(model, toRequest({ tools: [LOOK_UP], messages: [user, assistant, result] }));
    const requests = await script!.requests();
    expect(requests[1]!.body.messages[1]).toEqual({ role: "assistant", content: blocks });
  });

  it("reports an error in the middle of a stream with its own code", async () => {
    const afterwards = [{ event: "error", data: toAnthropicError("overloaded_error", "Overloaded") }];
    const { model } = await make([reply({ text: TEXT }, { frames: 6, afterwards })]);
    const events = await readAll(model, toRequest());
    // One delta or three, depending on how the network cuts it.
    expect(events.map((event) => (event.type === "text_delta" ? event.text : "")).join("")).toBe("Schöne Grüße");
    expect(events.at(-1)).toEqual({
      type: "failed",
      failure: {
        code: "overloaded",
        message: "Anthropic has no capacity now; try again later or choose another model (it said: Overloaded).",
        retry: true,
        compact: false,
        rotateKey: false,
        fallBack: true,
        // The usage of message_start. The catalog's prices per token are 2, 10, 0.1 and 2.5 millionths of a dollar.
        spent: {
          model: "anthropic:claude-sonnet-5-5",
          usage: { input: 20, output: 1, cacheRead: 100, cacheWrite: 3 },
          cost: { usdMicros: 68, source: "catalog" },
        },
      },
    });
  });

  it("reports refusals by their meaning, without the key", async () => {
    const refuse = (status: number, type: string, message: string, headers = {}): Reply => ({
      kind: "error",
      status,
      headers,
      body: toAnthropicError(type, message),
    });
    const { model } = await make([
      refuse(429, "rate_limit_error", "This request would exceed your organization's rate limit", {
        "retry-after": "12",
      }),
      refuse(529, "overloaded_error", "Overloaded"),
      refuse(401, "authentication_error", "invalid x-api-key sk-ant-api03-test-key"),
      refuse(400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
      refuse(404, "not_found_error", "model: claude-sonnet-5-5"),
      refuse(500, "api_error", "Internal server error"),
    ]);
    const failures = [];
    for (let n = 0; n < 6; n++) {
      const event = (await readAll(model, toRequest())).at(-1)!;
      failures.push(event.type === "failed" ? event.failure : event);
    }
    expect(failures).toMatchObject([
      { code: "rate_limit", retry: true, retryAfterMs: 12_000 },
      { code: "overloaded", retry: true },
      { code: "auth", retry: false },
      { code: "context_overflow", retry: false },
      { code: "model_missing", retry: false },
      { code: "server_error", retry: true },
    ]);
    expect(JSON.stringify(failures)).not.toContain("test-key");
  });

  it("reports that a server that does not listen could not be reached", async () => {
    const model = createAnthropicModel({
      clock: systemClock,
      apiKey: "sk-ant-api03-test-key",
      model: "claude-sonnet-5-5",
      baseUrl: "http://127.0.0.1:9",
      fetch: (input, init) => fetch(input, init),
    });
    const events = await readAll(model, toRequest());
    expect(events).toMatchObject([{ type: "failed", failure: { code: "network", retry: true } }]);
  });
});
