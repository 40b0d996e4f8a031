// What is known about models, and what a call to one costs.
import { describe, expect, it } from "vitest";
import { MODELS } from "../../core/models/catalog-models.ts";
import { DEFAULT_MODELS, lookUpFacts } from "../../core/models/catalog.ts";
import { SERVERS } from "../../core/models/wires/openai-compat.ts";
import { type PriceList, computeCost, toReportedCost } from "../../core/models/prices.ts";
import { NO_USAGE, type Usage } from "../../core/schemas/entry.ts";
import { EFFORTS } from "../../core/schemas/settings.ts";

const facts = (provider: string | null, id: string, operator?: Parameters<typeof lookUpFacts>[1]) =>
  lookUpFacts({ provider, id, name: `${provider}:${id}` }, operator);
const usage = (change: Partial<Usage>): Usage => ({ ...NO_USAGE, ...change });

describe("the catalog", () => {
  it("holds only plausible windows, prices and efforts", () => {
    const rows = Object.entries(MODELS).flatMap(([provider, models]) =>
      Object.entries(models).map(([id, row]) => ({ name: `${provider}:${id}`, row })),
    );
    const odd = rows.filter(({ row: [window, efforts, prices, long] }) => {
      const levels = efforts.split(" ").filter(Boolean);
      const ordered = EFFORTS.filter((effort) => levels.includes(effort)).join(" ") === efforts;
      const isDearer = (long ?? []).slice(1).every((price, n) => price >= prices[n]!);
      return window < 16_000 || !ordered || prices[0] > prices[1] || prices[2] > prices[0] || !isDearer;
    });
    expect(odd.map(({ name }) => name)).toEqual([]);
  });

  it("has an entry for each default model, and for each provider that a server refers to", () => {
    expect(Object.entries(DEFAULT_MODELS).map(([provider, id]) => facts(provider, id).prices?.source)).toEqual([
      "catalog",
      "catalog",
    ]);
    const providers = SERVERS.flatMap((server) => ("catalog" in server ? [server.catalog] : []));
    expect(providers.filter((provider) => !(provider in MODELS))).toEqual([]);
  });

  it("finds a model by every spelling of its name", () => {
    const known = facts("anthropic", "claude-sonnet-5-5");
    expect(known).toEqual({
      contextWindow: 1_000_000,
      sees: true,
      efforts: ["low", "medium", "high", "xhigh", "max"],
      prices: { source: "catalog", input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
    });
    expect(facts("anthropic", "claude-sonnet-5-5-20260901")).toEqual(known);
    const { prices: _, ...elsewhere } = known;
    for (const id of ["anthropic/claude-sonnet-5.5:free", "eu.anthropic.claude-sonnet-5-5-v1:0", "Claude-Sonnet-5-5"]) {
      expect([id, facts(null, id)]).toEqual([id, elsewhere]);
    }
  });

  it("gives an unknown model the usual window and nothing else", () => {
    expect(facts("mistral", "zephyr-7")).toEqual({ contextWindow: 200_000 });
    expect(facts(null, "constructor")).toEqual({ contextWindow: 200_000 });
    expect(facts("openai", "__proto__")).toEqual({ contextWindow: 200_000 });
  });

  it("knows which models read images, and does not guess for one that nobody knows", () => {
    const seeing = ["claude-haiku-5-5", "openai/gpt-6.1-terra", "gemini-4-argon", "qwen2.5-vl:7b", "llama3.2-vision"];
    const blind = [
      "o3-mini",
      "openai/gpt-oss-120b",
      "@cf/zai-org/glm-5.3",
      "llama-3.3-70b-versatile",
      "devstral-latest",
    ];
    expect(seeing.map((id) => [id, facts(null, id).sees])).toEqual(seeing.map((id) => [id, true]));
    expect(blind.map((id) => [id, facts(null, id).sees])).toEqual(blind.map((id) => [id, false]));
    expect(facts(null, "zephyr-7").sees).toBeUndefined();
    const operator = { prices: {}, windows: {}, vision: { "null:zephyr-7": true, "openai:gpt-6-luna": false } };
    expect([facts(null, "zephyr-7", operator).sees, facts("openai", "gpt-6-luna", operator).sees]).toEqual([
      true,
      false,
    ]);
  });

  it("is overridden by the operator's settings, for any model", () => {
    const operator = {
      prices: { "openai:gpt-6-luna": { input: 7, output: 8 }, "null:own": { input: 0, output: 0 } },
      windows: { "null:own": 32_000 },
    };
    expect(facts("openai", "gpt-6-luna", operator)).toMatchObject({
      contextWindow: 272_000,
      prices: { source: "operator", input: 7, output: 8 },
    });
    expect(facts(null, "own", operator)).toEqual({
      contextWindow: 32_000,
      prices: { source: "operator", input: 0, output: 0 },
    });
  });
});

describe("the cost of a call", () => {
  const list: PriceList = { source: "catalog", input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 };
  const long = { aboveTokens: 1_000, input: 4, output: 15, cacheRead: 0.2, cacheWrite: 5 };

  it.each([
    [
      "each kind of token has its price",
      { input: 1_000, output: 100, cacheRead: 10_000, cacheWrite: 400 },
      list,
      5_000,
    ],
    ["a fraction of a millionth is rounded up", { input: 0, cacheRead: 1 }, list, 1],
    ["a rounding error of binary numbers adds nothing", { cacheRead: 30 }, list, 3],
    ["reasoning is a part of the output", { output: 10, reasoning: 8 }, list, 100],
    [
      "cache tokens without a price cost as much as input",
      { cacheRead: 10, cacheWrite: 10 },
      { source: "catalog", input: 2, output: 3 },
      40,
    ],
    ["a cache may cost nothing", { cacheRead: 10 }, { source: "catalog", input: 2, output: 3, cacheRead: 0 }, 0],
    ["a prompt at the limit is not long", { input: 200, cacheRead: 700, cacheWrite: 100 }, { ...list, long }, 720],
    ["all of a long prompt costs the long price", { input: 201, output: 10, cacheRead: 800 }, { ...list, long }, 1_114],
  ] as [string, Partial<Usage>, PriceList, number][])("%s", (_, tokens, prices, usdMicros) => {
    expect(computeCost(usage(tokens), prices)).toEqual({ usdMicros, source: "catalog" });
  });

  it("is zero, with the source none, if no price is known", () => {
    expect(computeCost(usage({ input: 1_000 }), undefined)).toEqual({ usdMicros: 0, source: "none" });
  });

  it("is the provider's reported cost if that is a plausible price", () => {
    expect(toReportedCost(0.0000012)).toEqual({ usdMicros: 2, source: "provider" });
    expect(toReportedCost(0)).toEqual({ usdMicros: 0, source: "provider" });
    for (const odd of [undefined, null, -1, NaN, Infinity, 1e300]) expect(toReportedCost(odd)).toBeUndefined();
  });
});
