// Which level of effort a model gets, and how it is sent on each wire.
import { describe, expect, it } from "vitest";
import { toAnthropicBody } from "../../core/models/wires/anthropic.ts";
import { lookUpFacts } from "../../core/models/catalog.ts";
import { chooseEffort } from "../../core/models/effort.ts";
import { toChatBody } from "../../core/models/wires/openai-chat.ts";
import { findCompat } from "../../core/models/wires/openai-compat.ts";
import { toResponsesBody } from "../../core/models/wires/openai-responses.ts";
import { EFFORTS, type Effort } from "../../core/schemas/settings.ts";
import { toRequest } from "../conformance/model.ts";

describe("the effort", () => {
  it.each([
    [
      ["none", "low", "medium", "high", "xhigh", "max"],
      ["none", "none", "low", "medium", "high", "xhigh", "max"],
    ],
    [
      ["low", "medium", "high"],
      ["low", "low", "low", "medium", "high", "high", "high"],
    ],
    [
      ["minimal", "low", "medium", "high"],
      ["minimal", "minimal", "low", "medium", "high", "high", "high"],
    ],
    [
      ["none", "high"],
      ["none", "none", "none", "none", "high", "high", "high"],
    ],
    [
      ["low", "high", "max"],
      ["low", "low", "low", "low", "high", "max", "max"],
    ],
    [["high"], ["high", "high", "high", "high", "high", "high", "high"]],
    // In any order.
    [
      ["max", "none", "low"],
      ["none", "none", "low", "low", "low", "max", "max"],
    ],
    [[], [undefined, undefined, undefined, undefined, undefined, undefined, undefined]],
  ] as [Effort[], (Effort | undefined)[]][])(
    "for a model that takes %j is the strongest one up to the requested level",
    (has, gets) => {
      expect(EFFORTS.map((effort) => chooseEffort(effort, has))).toEqual(gets);
    },
  );

  it("never falls when a higher level is requested", () => {
    const ranks = EFFORTS.map((effort) => EFFORTS.indexOf(chooseEffort(effort, ["minimal", "medium", "max"])!));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  });

  it("is not sent if it was not requested", () => {
    expect(chooseEffort(undefined, EFFORTS)).toBeUndefined();
  });
});

const CHAT = {
  openai: "https://api.openai.com/v1",
  openrouter: "https://openrouter.ai/api/v1",
  gemini: "https://generativelanguage.googleapis.com/v1beta/openai",
  zai: "https://api.z.ai/api/coding/paas/v4",
  together: "https://api.together.ai/v1",
  deepseek: "https://api.deepseek.com",
  xai: "https://api.x.ai/v1",
  groq: "https://api.groq.com/openai/v1",
  moonshot: "https://api.moonshot.ai/v1",
  mistral: "https://api.mistral.ai/v1",
  elsewhere: "https://llm.example/v1",
};

/** The fields that were added for an effort. */
function effortFields(wire: string, id: string, effort: Effort): unknown {
  const chat = CHAT[wire as keyof typeof CHAT];
  const compat = chat && findCompat(chat);
  const { efforts } = lookUpFacts({ provider: compat ? compat.catalog : wire, id, name: `${wire}:${id}` });
  const toBody = (change: object): object => {
    const request = toRequest(change);
    if (compat) return toChatBody(request, id, compat, { efforts });
    return wire === "anthropic" ? toAnthropicBody(request, id, efforts) : toResponsesBody(request, id, efforts);
  };
  const plain = Object.entries(toBody({})).map(([name, value]) => [name, JSON.stringify(value)]);
  const known = Object.fromEntries(plain);
  return Object.fromEntries(
    Object.entries(toBody({ effort })).filter(([name, value]) => known[name] !== JSON.stringify(value)),
  );
}

describe("an effort on the wire", () => {
  const adaptive = { type: "adaptive", display: "summarized" };
  it.each([
    ["anthropic", "claude-opus-5", "max", { thinking: adaptive, output_config: { effort: "max" } }],
    ["anthropic", "claude-opus-5", "none", { thinking: { type: "disabled" } }],
    ["anthropic", "claude-opus-5", "minimal", { thinking: { type: "disabled" } }],
    // The model cannot turn thinking off, so it gets its weakest level.
    ["anthropic", "claude-sonnet-5-5", "none", { thinking: adaptive, output_config: { effort: "low" } }],
    ["anthropic", "claude-opus-4-6", "xhigh", { thinking: adaptive, output_config: { effort: "max" } }],
    ["anthropic", "claude-unheard-of-9", "xhigh", { thinking: adaptive, output_config: { effort: "xhigh" } }],
    // The effort is a token budget of at least 1,024. The request allows only 1,000, so none is sent.
    ["anthropic", "claude-haiku-4-5", "high", {}],
    ["openai", "gpt-4.1-mini", "high", {}],
    ["openai-responses", "gpt-6.1-terra", "minimal", { reasoning: { effort: "none" } }],
    ["openai-responses", "gpt-6.1-sol", "none", { reasoning: { effort: "low" } }],
    ["openai-responses", "gpt-5", "max", { reasoning: { effort: "high" } }],
    ["openai-responses", "gpt-9", "max", { reasoning: { effort: "max" } }],
    ["openai-responses", "gpt-4.1-mini", "high", {}],
    ["openai", "gpt-5", "none", { reasoning_effort: "minimal" }],
    ["openrouter", "anthropic/claude-opus-5", "high", { reasoning: { effort: "high" } }],
    ["openrouter", "some/model", "max", { reasoning: { effort: "max" } }],
    ["openrouter", "deepseek/deepseek-v4-pro", "xhigh", { reasoning: { effort: "max" } }],
    ["mistral", "mistral-medium-latest", "high", { reasoning_effort: "high" }],
    ["mistral", "mistral-medium-latest", "max", { reasoning_effort: "high" }],
    ["mistral", "mistral-medium-latest", "medium", { reasoning_effort: "none" }],
    ["mistral", "mistral-large-4", "xhigh", { reasoning_effort: "high" }],
    ["mistral", "mistral-large-latest", "high", {}],
    ["openrouter", "some/model", "none", { reasoning: { effort: "none" } }],
    ["gemini", "gemini-4-argon", "max", { reasoning_effort: "high" }],
    ["gemini", "gemini-4-argon", "none", { reasoning_effort: "low" }],
    ["gemini", "gemini-2.5-flash", "none", { reasoning_effort: "none" }],
    ["zai", "glm-5.3", "none", { thinking: { type: "enabled" } }],
    ["zai", "glm-5.2", "none", { thinking: { type: "disabled" } }],
    ["together", "some/model", "low", { reasoning: { enabled: true } }],
    ["together", "some/model", "none", { reasoning: { enabled: false } }],
    ["deepseek", "deepseek-v4-pro", "xhigh", { thinking: { type: "enabled" }, reasoning_effort: "max" }],
    ["deepseek", "deepseek-v4-pro", "none", { thinking: { type: "disabled" } }],
    ["xai", "grok-4.7", "max", { reasoning_effort: "high" }],
    ["groq", "llama-3.3-70b-versatile", "high", {}],
    ["groq", "openai/gpt-oss-120b", "none", { reasoning_effort: "low" }],
    ["moonshot", "kimi-k2.6", "high", {}],
    ["elsewhere", "some-model", "high", {}],
  ] as [string, string, Effort, object][])("over %s to %s: %s is sent as %j", (wire, id, effort, fields) => {
    expect(effortFields(wire, id, effort)).toEqual(fields);
  });

  it("is a share of the answer's tokens for Anthropic's models that take a token budget", () => {
    const budget = (effort: Effort) =>
      toAnthropicBody(toRequest({ effort, maxOutputTokens: 16_000 }), "claude-haiku-4-5-20251001", [
        "none",
        "low",
        "high",
      ]).thinking;
    expect([budget("high"), budget("low"), budget("none")]).toEqual([
      { type: "enabled", budget_tokens: 8_000 },
      { type: "enabled", budget_tokens: 1_600 },
      { type: "disabled" },
    ]);
  });
});
