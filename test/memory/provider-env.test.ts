// Which variables select a memory provider, and how invalid ones are refused.
import { describe, expect, it } from "vitest";
import { type ProviderEnv, parseProviderEnv } from "../../core/memory/provider-env.ts";
import { createCircuit } from "../../core/memory/provider-guard.ts";
import { type MemoryProvider, freeTools } from "../../core/memory/provider.ts";
import { openProvider } from "../../core/memory/providers/index.ts";
import { createTestClock } from "../support/clock.ts";

const MEM0: ProviderEnv = { TALARIA_MEMORY_PROVIDER: "mem0", MEM0_API_KEY: "m0-secret" };
const HONCHO: ProviderEnv = { TALARIA_MEMORY_PROVIDER: "honcho", HONCHO_API_KEY: "hch-secret" };

describe("parseProviderEnv", () => {
  it("selects no provider unless one is named, even if keys are set", () => {
    expect(parseProviderEnv({ MEM0_API_KEY: "k", HONCHO_API_KEY: "k" })).toEqual({ ok: true, value: null });
    expect(parseProviderEnv({ ...MEM0, TALARIA_MEMORY_PROVIDER: " none " })).toEqual({ ok: true, value: null });
  });

  it.each<[ProviderEnv, object]>([
    [MEM0, { name: "mem0", apiKey: "m0-secret", baseUrl: "https://api.mem0.ai" }],
    [HONCHO, { name: "honcho", apiKey: "hch-secret", baseUrl: "https://api.honcho.dev", workspace: "talaria" }],
    [{ ...HONCHO, HONCHO_WORKSPACE: "team-1" }, { workspace: "team-1" }],
    [{ ...HONCHO, HONCHO_BASE_URL: "http://localhost:8000/" }, { baseUrl: "http://localhost:8000" }],
    [{ ...HONCHO, HONCHO_BASE_URL: "http://[::1]:8000" }, { baseUrl: "http://[::1]:8000" }],
    [{ ...MEM0, MEM0_BASE_URL: "https://proxy.example/mem0/" }, { baseUrl: "https://proxy.example/mem0" }],
    [{ ...MEM0, TALARIA_MEMORY_PROVIDER: "Mem0" }, { name: "mem0" }],
    [
      { TALARIA_MEMORY_PROVIDER: "supermemory", SUPERMEMORY_API_KEY: "sm" },
      { name: "supermemory", apiKey: "sm", baseUrl: "https://api.supermemory.ai" },
    ],
    [
      { TALARIA_MEMORY_PROVIDER: "hindsight", HINDSIGHT_API_KEY: "any", HINDSIGHT_BASE_URL: "http://localhost:8888" },
      { name: "hindsight", apiKey: "any", baseUrl: "http://localhost:8888" },
    ],
    [
      { TALARIA_MEMORY_PROVIDER: "openviking", OPENVIKING_API_KEY: "root" },
      { name: "openviking", apiKey: "root", baseUrl: "http://127.0.0.1:1933", workspace: "talaria" },
    ],
    [
      { TALARIA_MEMORY_PROVIDER: "openviking", OPENVIKING_API_KEY: "root", OPENVIKING_ACCOUNT: "home" },
      { workspace: "home" },
    ],
    // Another provider's workspace is not read.
    [{ ...MEM0, HONCHO_WORKSPACE: "a/b" }, { workspace: "talaria" }],
  ])("reads %j", (env, config) => {
    expect(parseProviderEnv(env)).toMatchObject({ ok: true, value: config });
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
    [
      { TALARIA_MEMORY_PROVIDER: "openviking", OPENVIKING_API_KEY: "secret", OPENVIKING_ACCOUNT: "a/b" },
      "bad_memory_workspace",
    ],
    [{ TALARIA_MEMORY_PROVIDER: "openviking" }, "memory_key_missing"],
    [{ ...MEM0, ...HONCHO, TALARIA_MEMORY_PROVIDER: "mem0,honcho" }, "several_memory_providers"],
    [{ TALARIA_MEMORY_PROVIDER: "mem0, nothing-known" }, "several_memory_providers"],
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
    const listed = names.replace(/, ?/, ", ");
    expect(openProvider({ ...MEM0, ...HONCHO, TALARIA_MEMORY_PROVIDER: names }, tenant, deps)).toEqual({
      ok: false,
      failure: {
        code: "several_memory_providers",
        message: `TALARIA_MEMORY_PROVIDER names 2 external memories (${listed}). Name one: only one can be used.`,
      },
    });
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
  eraseProfile: async () => ({ ok: true, value: { more: false } }),
  tools: () => ["memory", "recall", "recall"].map((name) => ({ ...TOOL, name })),
};
