// Requests to Chat Completions servers: pure translation, in Node. Streams and the SDK are in openai-chat.workers.test.ts.
import { describe, expect, it } from "vitest";
import type { Message } from "../../../core/agent/contract.ts";
import { toChatBody } from "../../../core/models/wires/openai-chat.ts";
import { findCompat } from "../../../core/models/wires/openai-compat.ts";
import { LOOK_UP, toRequest } from "../../conformance/model.ts";

const OPENAI = "https://api.openai.com/v1";
const toBody = (baseUrl: string, change = {}) => toChatBody(toRequest(change), "some-model", findCompat(baseUrl));

const conversation: Message[] = [
  { role: "user", text: "Hi" },
  {
    role: "assistant",
    text: "",
    calls: [{ id: "toolu_01A", name: "look_up", args: {}, malformed: "{" }],
    native: { wire: "openai-chat", data: { reasoning: { reasoning_content: "Hm." } } },
  },
  { role: "tool", call: "toolu_01A", name: "look_up", text: '{"error":"no"}', failed: true },
];

describe("a request for Chat Completions", () => {
  it("has all its fields", () => {
    expect(toBody(OPENAI, { messages: conversation, tools: [LOOK_UP] })).toEqual({
      model: "some-model",
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 1_000,
      prompt_cache_key: "session-1",
      tools: [{ type: "function", function: LOOK_UP }],
      messages: [
        { role: "system", content: "You are Talaria." },
        { role: "user", content: "Hi" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "toolu_01A", type: "function", function: { name: "look_up", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "toolu_01A", content: '{"error":"no"}' },
      ],
    });
  });

  it.each([
    [OPENAI, "OpenAI", "max_completion_tokens"],
    ["https://my.openai.azure.com/openai/v1", "Azure OpenAI", "max_completion_tokens"],
    ["https://gateway.ai.cloudflare.com/v1/acct/gw/openai", "OpenAI", "max_completion_tokens"],
    ["https://gateway.ai.cloudflare.com/v1/acct/gw/compat", "AI Gateway", "max_tokens"],
    ["https://openrouter.ai/api/v1", "OpenRouter", "max_tokens"],
    ["https://generativelanguage.googleapis.com/v1beta/openai/", "Google", "max_tokens"],
    ["https://api.mistral.ai/v1", "Mistral", "max_tokens"],
    ["https://api.deepseek.com", "DeepSeek", "max_tokens"],
    ["https://api.moonshot.ai/v1", "Moonshot", "max_tokens"],
    ["https://api.together.ai/v1", "Together", "max_tokens"],
    ["https://integrate.api.nvidia.com/v1", "NVIDIA", "max_tokens"],
    ["https://api.z.ai/api/coding/paas/v4", "Z.ai", "max_tokens"],
    ["http://localhost:11434/v1", "Ollama", "max_tokens"],
    ["http://127.0.0.1:8080/v1", "llama.cpp", "max_tokens"],
    ["https://llm.example:9000/v1", "llm.example:9000", "max_tokens"],
    ["https://api.openai.com.example.org/v1", "api.openai.com.example.org", "max_tokens"],
  ])("limits the answer at %s (%s) with %s", (baseUrl, provider, field) => {
    expect(findCompat(baseUrl)).toMatchObject({ provider, maxTokensField: field });
    expect(Object.entries(toBody(baseUrl)).filter(([, value]) => value === 1_000)).toEqual([[field, 1_000]]);
  });

  it("has fields that strict servers refuse only for servers that accept them", () => {
    expect(Object.keys(toBody("https://generativelanguage.googleapis.com/v1beta/openai/")).sort()).toEqual([
      "max_tokens",
      "messages",
      "model",
      "stream",
      "stream_options",
    ]);
    expect(Object.keys(toBody("https://api.mistral.ai/v1")).sort()).toEqual([
      "max_tokens",
      "messages",
      "model",
      "prompt_cache_key",
      "stream",
    ]);
  });

  it("sends reasoning back only to servers that need it", () => {
    const assistantAt = (baseUrl: string) => toBody(baseUrl, { messages: conversation }).messages[2];
    expect(assistantAt("https://api.deepseek.com")).toHaveProperty("reasoning_content", "Hm.");
    expect(assistantAt(OPENAI)).not.toHaveProperty("reasoning_content");
  });

  it("sends native parts back only to the server that sent them", () => {
    const extra = { google: { thought_signature: "sig" } };
    const from = (server?: string): Message[] => [
      { role: "user", text: "Hi" },
      {
        role: "assistant",
        text: "",
        calls: [{ id: "a", name: "look_up", args: {} }],
        native: { wire: "openai-chat", data: { server, reasoning: { reasoning_content: "Hm." }, extras: [extra] } },
      },
    ];
    const sent = (baseUrl: string, server?: string) =>
      JSON.stringify(toBody(baseUrl, { messages: from(server) }).messages.at(-1));
    const google = "https://generativelanguage.googleapis.com/v1beta/openai/";
    expect(sent(google, "Google")).toContain('"thought_signature":"sig"');
    // Stored before the server was recorded.
    expect(sent(google)).toContain('"thought_signature":"sig"');
    expect(sent("https://api.deepseek.com", "Google")).not.toMatch(/sig|Hm/);
    expect(sent("https://api.deepseek.com", "DeepSeek")).toContain("Hm.");
  });

  it("has ids as Mistral requires: nine letters or digits", () => {
    const [, , asks, result] = toBody("https://api.mistral.ai/v1", { messages: conversation }).messages;
    expect(asks).toMatchObject({ tool_calls: [{ id: "toolu01A".padStart(9, "0") }] });
    expect(result).toMatchObject({ tool_call_id: "0toolu01A" });
  });

  it("keeps the tools if none may be called, and leaves out an answer without content", () => {
    const messages: Message[] = [
      { role: "user", text: "Hi" },
      { role: "assistant", text: "", calls: [] },
      { role: "user", text: "?" },
    ];
    const body = toBody(OPENAI, { messages, tools: [LOOK_UP], toolChoice: "none", system: "" });
    expect(body).toMatchObject({ tool_choice: "none", tools: [{ type: "function" }] });
    expect(body.messages).toEqual([
      { role: "user", content: "Hi" },
      { role: "user", content: "?" },
    ]);
  });
});
