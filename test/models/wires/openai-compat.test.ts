// The request that each server of the table gets, for one conversation that shows every difference.
import { describe, expect, it } from "vitest";
import type { Message } from "../../../core/agent/contract.ts";
import { toChatBody } from "../../../core/models/wires/openai-chat.ts";
import { NAMED_SERVERS, SERVERS, findCompat, toCompat } from "../../../core/models/wires/openai-compat.ts";
import { LOOK_UP, toRequest } from "../../conformance/model.ts";

const LONG_ID = `toolu_${"x".repeat(50)}`;
const toConversation = (server: string): Message[] => [
  { role: "user", text: "Hi" },
  { role: "user", text: "A note." },
  {
    role: "assistant",
    text: "I look.",
    calls: [{ id: LONG_ID, name: "look_up", args: {} }],
    native: { wire: "openai-chat", data: { server, reasoning: { reasoning_content: "Hm." } } },
  },
  { role: "tool", call: LONG_ID, name: "look_up", text: "{}", failed: false },
  { role: "user", text: "Stop that." },
];

const PLAIN_FIELDS = ["model", "stream", "stream_options", "max_tokens", "tools"];
const AS_IT_IS = ["user", "user", "assistant", "tool", "user"];
const JOINED = ["user", "assistant", "tool", "assistant", "user"];

/** Fields of a request with effort `high`, roles, the fields of the assistant's message, and the characters of the call's id. */
const shape = (fields: string[], roles: string[], assistant: string[] = [], idChars = 40) => ({
  fields: fields.toSorted(),
  roles,
  assistant,
  idChars,
});
const withFields = (...more: string[]) => [...PLAIN_FIELDS, ...more];
const completion = (...more: string[]) =>
  withFields(...more).map((field) => (field === "max_tokens" ? "max_completion_tokens" : field));

const SHAPES: Record<string, ReturnType<typeof shape>> = {
  "api.openai.com gpt-5": shape(completion("prompt_cache_key", "reasoning_effort"), ["developer", ...AS_IT_IS]),
  "api.openai.com gpt-4.1": shape(completion("prompt_cache_key"), ["system", ...AS_IT_IS]),
  "x.openai.azure.com deployment": shape(completion("reasoning_effort"), ["system", ...AS_IT_IS]),
  "gateway.ai.cloudflare.com/v1/a/g/openai gpt-5": shape(completion("reasoning_effort"), ["developer", ...AS_IT_IS]),
  "gateway some-model": shape(withFields(), ["system", ...JOINED]),
  "cloudflare @cf/zai-org/glm-5.3": shape(withFields("reasoning_effort"), ["system", ...JOINED]),
  "openrouter anthropic/claude-opus-5": shape(
    withFields("reasoning"),
    ["developer", ...AS_IT_IS],
    ["reasoning_content"],
  ),
  "openrouter qwen/qwen3": shape(withFields("reasoning"), ["system", ...JOINED], ["reasoning_content"]),
  "gemini gemini-4-argon": shape(withFields("reasoning_effort"), ["system", ...AS_IT_IS]),
  "mistral mistral-large-4": shape(
    [...withFields("prompt_cache_key", "reasoning_effort").filter((field) => field !== "stream_options")],
    ["system", ...JOINED],
    [],
    9,
  ),
  "bedrock openai.gpt-oss-120b": shape(completion("reasoning_effort"), ["system", ...JOINED], [], 56),
  "deepseek deepseek-flash": shape(
    withFields("thinking", "reasoning_effort"),
    ["system", ...AS_IT_IS],
    ["reasoning_content"],
  ),
  "moonshot kimi-k2.6": shape(withFields(), ["system", ...JOINED], ["reasoning_content"]),
  "zai glm-5.3": shape(withFields("thinking"), ["system", ...JOINED], ["reasoning_content"]),
  "together some/model": shape(withFields("reasoning"), ["system", ...JOINED]),
  "nvidia some/model": shape(withFields(), ["system", ...JOINED]),
  "xai grok-4.7": shape(completion("reasoning_effort"), ["system", ...AS_IT_IS]),
  "groq openai/gpt-oss-120b": shape(completion("reasoning_effort"), ["system", ...JOINED]),
  "cerebras gpt-oss-120b": shape(completion("reasoning_effort"), ["system", ...JOINED]),
  "fireworks some/model": shape(withFields("reasoning_effort"), ["system", ...JOINED]),
  "huggingface some/model": shape(withFields(), ["system", ...JOINED]),
  "ollama qwen3": shape(withFields("reasoning_effort"), ["system", ...JOINED]),
  "llamacpp any": shape(withFields(), ["system", ...JOINED]),
  "vllm any": shape(withFields(), ["system", ...JOINED]),
  "lmstudio any": shape(withFields(), ["system", ...JOINED]),
  "llm.example any": shape(withFields(), ["system", ...JOINED]),
};

function bodyOf(place: string, model: string) {
  const named = NAMED_SERVERS.find(({ name }) => name === place);
  const compat = named ? toCompat(named) : findCompat(`https://${place}`);
  const request = toRequest({ messages: toConversation(compat.provider), tools: [LOOK_UP], effort: "high" });
  return toChatBody(request, model, compat, { efforts: model === "gpt-4.1" ? [] : undefined });
}

describe("the table of servers", () => {
  it.each(Object.entries(SHAPES))("gives %s a request that it accepts", (server, expected) => {
    const [place, model] = server.split(" ") as [string, string];
    const { messages, ...rest } = bodyOf(place, model);
    const assistant = messages.find((message) => message.role === "assistant")!;
    const result = messages.find((message) => message.role === "tool")!;
    const id = assistant.tool_calls![0]!.id;
    expect(result.tool_call_id).toBe(id);
    const { role: _, content: __, tool_calls: ___, ...more } = assistant;
    expect({
      fields: Object.keys(rest).sort(),
      roles: messages.map(({ role }) => role),
      assistant: Object.keys(more),
      idChars: id.length,
    }).toEqual(expected);
  });

  it("has an expected request for every row", () => {
    const shown = new Set(Object.keys(SHAPES).map((server) => server.split(" ")[0]));
    const rows = SERVERS.map((row) => ("name" in row ? row.name : row.at.source));
    const unnamed = rows.filter((row) => row.includes("\\"));
    expect(unnamed).toHaveLength(3);
    expect(rows.filter((row) => !row.includes("\\") && !shown.has(row))).toEqual([]);
  });

  it("finds a server by its own address", () => {
    for (const server of NAMED_SERVERS) {
      const baseUrl = server.baseUrl.replace(/\{\w+\}/g, "eu-1");
      expect([server.name, findCompat(baseUrl).provider]).toEqual([server.name, server.provider]);
    }
  });

  it("has messages joined that a chat template would refuse, and a model's answer added where one is required", () => {
    expect(bodyOf("llamacpp", "any").messages[1]).toEqual({ role: "user", content: "Hi\n\nA note." });
    expect(bodyOf("mistral", "mistral-large-4").messages.slice(-2)).toEqual([
      { role: "assistant", content: "I have read the results." },
      { role: "user", content: "Stop that." },
    ]);
  });
});
