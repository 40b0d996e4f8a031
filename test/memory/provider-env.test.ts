// Which variables select a memory provider, and how invalid ones are refused.
import { describe, expect, it } from "vitest";
import { type ProviderEnv, parseProviderEnv } from "../../core/memory/provider-env.ts";
import { createCircuit } from "../../core/memory/provider-guard.ts";
import { type MemoryProvider, createProviderSlot, freeTools } from "../../core/memory/provider.ts";
import { openProvider } from "../../core/memory/providers/index.ts";
import { createTestClock } from "../support/clock.ts";

const MEM0: ProviderEnv = { TALARIA_MEMORY_PROVIDER: "mem0", MEM0_API_KEY: "m0-secret" };
const HONCHO: ProviderEnv = { TALARIA_MEMORY_PROVIDER: "honcho", HONCHO_API_KEY: "hch-secret" };

describe("parseProviderEnv", () => {
  it("selects no provider unless one is named, even if keys are set", () => {
    expect(parseProviderEnv({ MEM0_API_KEY: "k", HONCHO_API_KEY: "k" })).toEqual({ ok: true, value: [] });
    expect(parseProviderEnv({ ...MEM0, TALARIA_MEMORY_PROVIDER: " none " })).toEqual({ ok: true, value: [] });
  });

  it.each<[ProviderEnv, object]>([
    [MEM0, { name: "mem0", apiKey: "m0-secret", baseUrl: "https://api.mem0.ai" }],
    [HONCHO, { name: "honcho", apiKey: "hch-secret", baseUrl: "https://api.honcho.dev", workspace: "talaria" }],
    [{ ...HONCHO, HONCHO_WORKSPACE: "team-1" }, { workspace: "team-1" }],
    [{ ...HONCHO, HONCHO_BASE_URL: "http://localhost:8000/" }, { baseUrl: "http://localhost:8000" }],
    [{ ...HONCHO, HONCHO_BASE_URL: "http://[::1]:8000" }, { baseUrl: "http://[::1]:8000" }],
    [{ ...MEM0, MEM0_BASE_URL: "https://proxy.example/mem0/" }, { baseUrl: "https://proxy.example/mem0" }],
    [{ ...MEM0, TALARIA_MEMORY_PROVIDER: "Mem0" }, { name: "mem0" }],
  ])("reads %j", (env, config) => {
    expect(parseProviderEnv(env)).toMatchObject({ ok: true, value: [config] });
  });

  it.each<[ProviderEnv, string]>([
    [{ TALARIA_MEMORY_PROVIDER: "zep" }, "unknown_memory_provider"],
    [{ TALARIA_MEMORY_PROVIDER: "toString" }, "unknown_memory_provider"],
    [{ TALARIA_MEMORY_PROVIDER: "mem0" }, "memory_key_missing"],
    [{ ...MEM0, MEM0_API_KEY: "  " }, "memory_key_missing"],
    [{ ...MEM0, MEM0_API_KEY: "m0-secret\nx: y" }, "memory_key_missing"],
    [{ ...MEM0, MEM0_BASE_URL: "http://mem0.example" }, "bad_memory_url"],
    [{ ...MEM0, MEM0_BASE_URL: "http://127.0.0.1.example" }, "bad_memory_url"],
    [{ ...MEM0, MEM0_BASE_URL: "https://user:pass@mem0.example" }, "bad_memory_url"],
    [{ ...MEM0, MEM0_BASE_URL: "https://mem0.example?a=b" }, "bad_memory_url"],
    [{ ...MEM0, MEM0_BASE_URL: "mem0.example" }, "bad_memory_url"],
    [{ ...HONCHO, HONCHO_WORKSPACE: "a/b" }, "bad_memory_workspace"],
  ])("refuses %j without revealing a key", (env, code) => {
    const parsed = parseProviderEnv(env);
    expect(parsed).toMatchObject({ ok: false, failure: { code } });
    expect(JSON.stringify(parsed)).not.toContain("secret");
  });
});

describe("the single external memory provider", () => {
  const deps = {
    fetch: async () => new Response(),
    clock: createTestClock(),
    circuit: createCircuit(createTestClock()),
  };
  const tenant = { profile: "p", session: "s" };

  it("is the one that is named", () => {
    expect(openProvider({}, tenant, deps)).toEqual({ ok: true, value: null });
    expect(openProvider(MEM0, tenant, deps)).toMatchObject({ ok: true, value: { name: "mem0" } });
    expect(openProvider(HONCHO, tenant, deps)).toMatchObject({ ok: true, value: { name: "honcho" } });
  });

  it.each(["mem0,honcho", "honcho, mem0", "mem0,mem0"])("cannot be a second one: %s", (names) => {
    const [first, second] = names.split(",").map((name) => name.trim());
    expect(openProvider({ ...MEM0, ...HONCHO, TALARIA_MEMORY_PROVIDER: names }, tenant, deps)).toEqual({
      ok: false,
      failure: {
        code: "memory_provider_taken",
        message: `'${first}' is already the external memory provider, so '${second}' cannot be one too. Name one.`,
      },
    });
  });

  it("is the first one registered", () => {
    const slot = createProviderSlot();
    expect(slot.register(PROVIDER)).toEqual({ ok: true, value: PROVIDER });
    expect(slot.register({ ...PROVIDER, name: "late" })).toMatchObject({ failure: { code: "memory_provider_taken" } });
    expect(slot.register(PROVIDER)).toMatchObject({ failure: { code: "memory_provider_taken" } });
    expect(slot.current()).toBe(PROVIDER);
  });
});

describe("a provider's tools", () => {
  it("take no name of a core tool or of each other", () => {
    const { tools, refused } = freeTools(PROVIDER, ["memory", "terminal"]);
    expect(tools.map(({ name }) => name)).toEqual(["recall"]);
    expect(refused).toEqual(["memory", "recall"]);
  });
});

const TOOL = { description: "", parameters: {} as never, effect: "read" as const, run: async () => Promise.reject() };
const PROVIDER: MemoryProvider = {
  name: "first",
  prefetch: async () => ({ ok: true, value: [] }),
  sync: async () => ({ ok: true, value: null }),
  preCompaction: async () => ({ ok: true, value: "" }),
  onWrite: async () => ({ ok: true, value: null }),
  tools: () => ["memory", "recall", "recall"].map((name) => ({ ...TOOL, name })),
};
