// What providers cache: each request begins with the one before, byte for byte, on every wire. Where a wire needs breakpoints,
// they are at the ends of this call and of the one before.
import { describe, expect, it } from "vitest";
import type { Message, ModelRequest } from "../../../core/agent/contract.ts";
import { toAnthropicBody } from "../../../core/models/wires/anthropic.ts";
import { toChatBody } from "../../../core/models/wires/openai-chat.ts";
import { NAMED_SERVERS, findCompat, toCompat } from "../../../core/models/wires/openai-compat.ts";
import { toResponsesBody } from "../../../core/models/wires/openai-responses.ts";
import { LOOK_UP, toRequest } from "../../conformance/model.ts";

const NATIVE: Record<string, (id: string) => unknown> = {
  anthropic: (id) => [
    { type: "thinking", thinking: `about ${id}`, signature: `sig-${id}` },
    { type: "text", text: "I look." },
    { type: "tool_use", id, name: "look_up", input: { query: id } },
  ],
  "openai-responses": (id) => [
    { id: `rs_${id}`, type: "reasoning", summary: [], encrypted_content: `gAAAA${id}` },
    { id: `fc_${id}`, type: "function_call", call_id: id, name: "look_up", arguments: `{"query": "${id}"}` },
  ],
  "openai-chat": (id) => ({ reasoning: { reasoning_content: `about ${id}` }, extras: [{ google: { signature: id } }] }),
};

const user = (text: string): Message => ({ role: "user", text });
const asks = (ids: string[], wire?: string): Message => ({
  role: "assistant",
  text: "I look.",
  calls: ids.map((id) => ({ id, name: "look_up", args: { query: id } })),
  ...(wire ? { native: { wire, data: NATIVE[wire]!(ids[0]!) } } : {}),
});
const result = (id: string, failed = false): Message => ({
  role: "tool",
  call: id,
  name: "look_up",
  text: `{"of":"${id}"}`,
  failed,
});

/** Six calls: native parts of this wire and of another, parallel calls, one id twice, and messages in between. */
function toSteps(wire: string): Message[][] {
  const steps: Message[][] = [
    [user("Hi"), user("A note.")],
    [asks(["call_a"], wire), result("call_a")],
    [asks(["call_b", "call_c", "call_d"]), result("call_b"), result("call_c", true), result("call_d")],
    [asks(["call_e"], wire), result("call_e"), user("Rather the other."), user("And quickly.")],
    [asks(["call_a"], wire === "anthropic" ? "openai-chat" : "anthropic"), result("call_a")],
    [{ role: "assistant", text: "Done.", calls: [] }, user("Thanks. And now?")],
  ];
  return steps.map((_, n) => steps.slice(0, n + 1).flat());
}

const CHAT = ["https://api.openai.com/v1", "https://llm.example/v1"].map((url) => [url, findCompat(url)] as const);
const NAMED = NAMED_SERVERS.map((server) => [server.name, toCompat(server)] as const);
const MARKED = [
  ["anthropic", "anthropic", (request: ModelRequest) => toAnthropicBody(request, "claude-sonnet-5-5")],
  [
    "openrouter anthropic",
    "openai-chat",
    (request: ModelRequest) =>
      toChatBody(request, "anthropic/claude-sonnet-5.5", findCompat("https://openrouter.ai/api/v1")),
  ],
] as [string, string, (request: ModelRequest) => object][];
const WIRES = [
  ...MARKED,
  ["openai responses", "openai-responses", (request) => toResponsesBody(request, "gpt-6.1-terra")],
  ["openai responses, an older family", "openai-responses", (request) => toResponsesBody(request, "gpt-4.1")],
  ...[...CHAT, ...NAMED].map(([name, compat]) => [
    name,
    "openai-chat",
    (request: ModelRequest) => toChatBody(request, "some-model", compat),
  ]),
] as [string, string, (request: ModelRequest) => object][];

const MARK = ',"cache_control":{"type":"ephemeral"}';
const TOOLS = [{ ...LOOK_UP, name: "first" }, LOOK_UP];

function bodiesOf(wire: string, toBody: (request: ModelRequest) => object): Record<string, unknown>[] {
  const bodies = toSteps(wire).map((messages) => toBody(toRequest({ messages, tools: TOOLS, effort: "high" })));
  return bodies as Record<string, unknown>[];
}

/** The conversation as sent over the wire, without its closing bracket. */
function conversationOf({ messages, input }: Record<string, unknown>): string {
  return JSON.stringify(messages ?? input).slice(0, -1);
}

describe("a request", () => {
  it.each(WIRES)("to %s begins with the one before, byte for byte", (_, wire, toBody) => {
    const bodies = bodiesOf(wire, toBody);
    const sent = bodies.map((body) => conversationOf(body).replaceAll(MARK, ""));
    for (const [n, text] of sent.slice(1).entries()) {
      expect(text.slice(0, sent[n]!.length)).toBe(sent[n]);
      expect(text.length).toBeGreaterThan(sent[n]!.length);
    }
    // After another model's calls, Anthropic accepts no thinking. It is not part of the cached prefix.
    const open = wire === "anthropic" ? { thinking: null, output_config: null } : {};
    const frozen = bodies.map((body) => JSON.stringify({ ...open, ...body, messages: null, input: null, ...open }));
    expect(new Set(frozen).size).toBe(1);
  });

  it.each(MARKED)(
    "to %s has four breakpoints: tools, prompt, the ends of this call and of the one before",
    (_, wire, toBody) => {
      const bodies = bodiesOf(wire, toBody);
      const prompts = bodies.map((body) => JSON.stringify(body.tools) + JSON.stringify(body.system ?? ""));
      const ends: string[] = [];
      for (const [n, body] of bodies.entries()) {
        const whole = JSON.stringify(body);
        expect(whole.split(MARK).length - 1).toBe(n === 0 ? 3 : 4);
        const marks = [...conversationOf(body).matchAll(new RegExp(MARK.replace(/[{}]/g, "\\$&"), "g"))];
        const before = marks.map(({ index }) => conversationOf(body).slice(0, index).replaceAll(MARK, ""));
        if (n > 0) expect(before.at(-2)).toBe(ends[n - 1]);
        ends.push(before.at(-1)!);
        // Only brackets follow the newest breakpoint.
        expect(conversationOf(body).slice(marks.at(-1)!.index + MARK.length)).toMatch(/^[\]}]*$/);
      }
      expect(new Set(prompts).size).toBe(1);
      expect(prompts[0]).toContain(MARK);
    },
  );

  it("to OpenAI is routed by its cache key", () => {
    const request = toRequest({ cacheKey: "session-7" });
    const chat = toChatBody(request, "gpt-6.1-terra", findCompat("https://api.openai.com/v1"));
    expect([chat.prompt_cache_key, toResponsesBody(request, "gpt-6.1-terra").prompt_cache_key]).toEqual([
      "session-7",
      "session-7",
    ]);
  });
});
