// Which cache a model's requests share: one for each key and address, and none where no cache is known.
import { expect, it } from "vitest";
import { createAnthropicModel } from "../../../core/models/wires/anthropic.ts";
import { createOpenAiChatModel } from "../../../core/models/wires/openai-chat.ts";
import { createOpenAiResponsesModel } from "../../../core/models/wires/openai-responses.ts";
import { createTestClock } from "../../support/clock.ts";

const given = { fetch, clock: createTestClock() };
const anthropic = (apiKey: string, baseUrl?: string) =>
  createAnthropicModel({ ...given, apiKey, model: "claude-sonnet-5-5", ...(baseUrl && { baseUrl }) }).cache;

it("models of one key at one address share a cache, and others do not", () => {
  const caches = [anthropic("a"), anthropic("b"), anthropic("a", "https://proxy.example")];
  expect(new Set(caches).size).toBe(3);
  expect(anthropic("a")).toBe(caches[0]);
  expect(createOpenAiResponsesModel({ ...given, apiKey: "a", model: "gpt-6.1-terra" }).cache).toMatch(/^[0-9a-f]{16}$/);
});

it("the cache's fingerprint does not reveal the key", () => {
  expect(anthropic("sk-secret")).not.toContain("secret");
});

it("a Chat Completions server has a cache only if it is known to have one", () => {
  const chat = (baseUrl: string, model: string) =>
    createOpenAiChatModel({ ...given, apiKey: "a", baseUrl, model }).cache !== undefined;
  expect([
    chat("https://api.openai.com/v1", "gpt-6.1-terra"),
    chat("https://openrouter.ai/api/v1", "anthropic/claude-sonnet-5.5"),
    chat("https://llm.example/v1", "some-model"),
  ]).toEqual([true, true, false]);
});
