// Which models the environment selects, and the failure if it selects none.
import { describe, expect, it } from "vitest";
import { MODEL_SLOTS, type Model, type ModelSlot } from "../../core/agent/contract.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { createKeyHealth } from "../../core/models/key-pool.ts";
import type { ModelEnv } from "../../core/models/model-env.ts";
import { NAMED_SERVERS } from "../../core/models/wires/openai-compat.ts";
import { type ModelDeps, createModels, listSlots, readModelName } from "../../core/models/routing.ts";
import { readAll, toRequest } from "../conformance/model.ts";
import { createTestClock } from "../support/clock.ts";

const stand: Model = {
  name: "rehearsal",
  contextWindow: 1_000,
  stream: () => Promise.reject(new Error("not asked")) as never,
};
const A = { ANTHROPIC_API_KEY: "sk-ant-key" };
const O = { OPENAI_API_KEY: "sk-key" };
const LOCAL = { OPENAI_BASE_URL: "http://localhost:11434/v1" };

const toDeps = (change: Partial<ModelDeps> = {}): ModelDeps => ({
  fetch,
  rehearsal: () => stand,
  keys: createKeyHealth(),
  windows: new Map(),
  clock: createTestClock(),
  ...change,
});
const create = (env: ModelEnv, slot: ModelSlot = "turn", deps = toDeps()) =>
  createModels(env, DEFAULTS.models, deps, slot);
const namesOf = (env: ModelEnv, slot?: ModelSlot) => {
  const created = create(env, slot);
  return created.ok ? created.value.map(({ name }) => name) : created.failure.message;
};

/** Answers every call with 401, and records the address, the key and our own headers. */
function createRefusing() {
  const asked: { url: string; headers: Record<string, string> }[] = [];
  return {
    asked,
    fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
      const headers = Object.fromEntries(
        [...new Headers(init?.headers)].filter(([name]) => /^(authorization|cf-|http-ref|x-title)/.test(name)),
      );
      asked.push({ url: String(input), headers });
      return Response.json({}, { status: 401 });
    },
  };
}

describe("the model", () => {
  it.each([
    [{}, "rehearsal"],
    [{ ANTHROPIC_API_KEY: " ", OPENAI_API_KEY: "", TALARIA_MODEL: "" }, "rehearsal"],
    [A, "anthropic:claude-sonnet-5-5"],
    [O, "openai:gpt-6.1-terra"],
    [{ ...A, ...O }, "anthropic:claude-sonnet-5-5"],
    [{ ...O, OPENAI_BASE_URL: "https://api.openai.com/v1" }, "openai:gpt-6.1-terra"],
    [{ ...O, ...LOCAL, OPENAI_MODEL: "llama3.3:70b" }, "openai-chat:llama3.3:70b"],
    [{ ...LOCAL, OPENAI_MODEL: "llama3.3:70b" }, "openai-chat:llama3.3:70b"],
    [{ ...LOCAL, TALARIA_MODEL: "llama3.3:70b" }, "openai-chat:llama3.3:70b"],
    [{ ...LOCAL, TALARIA_MODEL: "openai:qwen3" }, "openai-chat:qwen3"],
    [{ ...LOCAL, TALARIA_MODEL: "openai-responses:qwen3" }, "openai:qwen3"],
    [{ ...O, TALARIA_MODEL: "openai-chat:gpt-6-luna" }, "openai-chat:gpt-6-luna"],
    [{ ...A, ...O, TALARIA_MODEL: " openai:gpt-6-luna " }, "openai:gpt-6-luna"],
    [{ ...A, ...O, TALARIA_MODEL: "anthropic:claude-haiku-5-5" }, "anthropic:claude-haiku-5-5"],
    [{ ...A, TALARIA_MODEL: "rehearsal" }, "rehearsal"],
    [{ OPENROUTER_API_KEY: "k", TALARIA_MODEL: "openrouter:z/glm:free" }, "openrouter:z/glm:free"],
    [{ TALARIA_MODEL: "ollama:qwen3:30b" }, "ollama:qwen3:30b"],
    // A model on the operator's own server may begin with a provider's name, unless that provider's key is set.
    [{ ...LOCAL, TALARIA_MODEL: "mistral:7b" }, "openai-chat:mistral:7b"],
    [{ ...LOCAL, TALARIA_MODEL: "mistral:7b", MISTRAL_API_KEY: "k" }, "mistral:7b"],
  ] as [ModelEnv, string][])("for %o is %s", (env, name) => {
    expect(namesOf(env)).toEqual([name]);
    expect(readModelName(env)).toBe(name);
  });

  it.each([
    [{ TALARIA_MODEL: "anthropic:claude-haiku-5-5" }, /ANTHROPIC_API_KEY/],
    [{ TALARIA_MODEL: "openai:gpt-6-luna", ...A }, /OPENAI_API_KEY/],
    [{ ...O, ...LOCAL }, /OPENAI_MODEL/],
    [{ ...A, TALARIA_MODEL: "claude-haiku-5-5" }, /TALARIA_MODEL names no provider for claude-haiku-5-5/],
    [{ ...A, TALARIA_MODEL: "anthropic:" }, /TALARIA_MODEL names no model/],
    [{ ...A, TALARIA_MODEL: " , " }, /TALARIA_MODEL names no model/],
    [{ TALARIA_MODEL: "rehearsal:fast" }, /TALARIA_MODEL names no model/],
    [{ ...O, OPENAI_BASE_URL: "localhost:11434", OPENAI_MODEL: "x" }, /OPENAI_BASE_URL must be/],
    [{ ...O, OPENAI_BASE_URL: "https://user:secret@host/v1", OPENAI_MODEL: "x" }, /OPENAI_BASE_URL must be/],
    [{ ...A, ANTHROPIC_BASE_URL: "ftp://host" }, /ANTHROPIC_BASE_URL must be/],
    [{ TALARIA_MODEL: "ollama:x", OLLAMA_BASE_URL: "here" }, /OLLAMA_BASE_URL must be/],
    [{ TALARIA_MODEL: "gemini:gemini-4-argon" }, /gemini:gemini-4-argon needs GEMINI_API_KEY/],
    [{ TALARIA_MODEL: "bedrock:x", AWS_BEARER_TOKEN_BEDROCK: "sk-b" }, /bedrock:x needs AWS_REGION/],
    [
      { TALARIA_MODEL: "bedrock:x", AWS_BEARER_TOKEN_BEDROCK: "sk-b", AWS_REGION: "evil.example/" },
      /bedrock:x needs AWS_REGION, in letters, digits and dashes/,
    ],
    [{ ...A, TALARIA_MODEL: "anthropic:a, openai:b" }, /openai:b needs OPENAI_API_KEY/],
  ] as [ModelEnv, RegExp][])("cannot be selected by %o, and the failure names the variable to set", (env, sentence) => {
    const created = create(env);
    expect(created).toEqual({
      ok: false,
      failure: { code: "model_not_configured", message: expect.stringMatching(sentence) },
    });
    expect(JSON.stringify(created)).not.toMatch(/sk-|secret/);
    expect(readModelName(env)).toBe("unconfigured");
  });

  it.each([
    [{ ...A, ANTHROPIC_BASE_URL: "http://host/anthropic/" }, "http://host/anthropic/v1/messages", "sk-ant-key"],
    [A, "https://api.anthropic.com/v1/messages", "sk-ant-key"],
    [O, "https://api.openai.com/v1/responses", "sk-key"],
    [{ ...LOCAL, OPENAI_MODEL: "x" }, "http://localhost:11434/v1/chat/completions", "none"],
  ] as [ModelEnv, string, string][])("with %o is called at its address, with its key", async (env, url, key) => {
    const { asked, fetch } = createRefusing();
    const created = create(env, "turn", toDeps({ fetch }));
    if (!created.ok) throw new Error(created.failure.message);
    expect(await readAll(created.value[0], toRequest())).toMatchObject([{ type: "failed", failure: { code: "auth" } }]);
    expect(asked).toEqual([{ url, headers: { authorization: `Bearer ${key}` } }]);
  });
});

describe("a provider named in TALARIA_MODEL", () => {
  const CLOUDFLARE = { CLOUDFLARE_AI_TOKEN: "key", CLOUDFLARE_ACCOUNT_ID: "acct1", CLOUDFLARE_GATEWAY_ID: "gw-1" };
  const BEARER = { authorization: "Bearer key" };
  const PLACES: Record<string, [ModelEnv, string, Record<string, string>]> = {
    gateway: [
      CLOUDFLARE,
      "https://gateway.ai.cloudflare.com/v1/acct1/gw-1/compat",
      { "cf-aig-authorization": "Bearer key" },
    ],
    cloudflare: [
      CLOUDFLARE,
      "https://api.cloudflare.com/client/v4/accounts/acct1/ai/v1",
      { ...BEARER, "cf-aig-gateway-id": "gw-1" },
    ],
    openrouter: [
      { OPENROUTER_API_KEY: "key", OPENROUTER_REFERER: "https://me.example" },
      "https://openrouter.ai/api/v1",
      { ...BEARER, "http-referer": "https://me.example", "x-title": "Talaria" },
    ],
    gemini: [{ GEMINI_API_KEY: "key" }, "https://generativelanguage.googleapis.com/v1beta/openai", BEARER],
    mistral: [{ MISTRAL_API_KEY: "key" }, "https://api.mistral.ai/v1", BEARER],
    bedrock: [
      { AWS_BEARER_TOKEN_BEDROCK: "key", AWS_REGION: "eu-west-1" },
      "https://bedrock-mantle.eu-west-1.api.aws/openai/v1",
      BEARER,
    ],
    deepseek: [{ DEEPSEEK_API_KEY: "key" }, "https://api.deepseek.com", BEARER],
    moonshot: [{ MOONSHOT_API_KEY: "key" }, "https://api.moonshot.ai/v1", BEARER],
    zai: [{ ZAI_API_KEY: "key" }, "https://api.z.ai/api/coding/paas/v4", BEARER],
    together: [{ TOGETHER_API_KEY: "key" }, "https://api.together.ai/v1", BEARER],
    nvidia: [{ NVIDIA_API_KEY: "key" }, "https://integrate.api.nvidia.com/v1", BEARER],
    xai: [{ XAI_API_KEY: "key" }, "https://api.x.ai/v1", BEARER],
    groq: [{ GROQ_API_KEY: "key" }, "https://api.groq.com/openai/v1", BEARER],
    cerebras: [{ CEREBRAS_API_KEY: "key" }, "https://api.cerebras.ai/v1", BEARER],
    fireworks: [{ FIREWORKS_API_KEY: "key" }, "https://api.fireworks.ai/inference/v1", BEARER],
    huggingface: [{ HF_TOKEN: "key" }, "https://router.huggingface.co/v1", BEARER],
    ollama: [{}, "http://localhost:11434/v1", { authorization: "Bearer none" }],
    llamacpp: [
      { LLAMACPP_BASE_URL: "https://box.example/v1/" },
      "https://box.example/v1",
      { authorization: "Bearer none" },
    ],
    vllm: [{ VLLM_API_KEY: "key" }, "http://127.0.0.1:8000/v1", BEARER],
    lmstudio: [{}, "http://127.0.0.1:1234/v1", { authorization: "Bearer none" }],
  };

  it("exists for each row of the table", () => {
    expect(Object.keys(PLACES).sort()).toEqual(NAMED_SERVERS.map(({ name }) => name).sort());
  });

  it.each(Object.entries(PLACES))(
    "as %s is called at its own address with its own key",
    async (name, [env, url, headers]) => {
      const { asked, fetch } = createRefusing();
      const created = create({ ...A, ...O, ...env, TALARIA_MODEL: `${name}:some-model` }, "turn", toDeps({ fetch }));
      if (!created.ok) throw new Error(created.failure.message);
      await readAll(created.value[0], toRequest());
      expect(asked).toEqual([{ url: `${url}/chat/completions`, headers }]);
    },
  );
});

describe("the models of a slot", () => {
  const env: ModelEnv = {
    ...A,
    ...O,
    GEMINI_API_KEY: "k",
    TALARIA_MODEL:
      "anthropic:claude-sonnet-5-5, openai:gpt-6.1-terra,,anthropic:claude-sonnet-5-5,gemini:gemini-4-argon",
    TALARIA_MODEL_TITLE: "openai:gpt-6-luna, rehearsal",
  };

  it("are the chain of its variable, each once, in order, across providers", () => {
    const main = ["anthropic:claude-sonnet-5-5", "openai:gpt-6.1-terra", "gemini:gemini-4-argon"];
    const chains = MODEL_SLOTS.map((slot) => [slot, namesOf(env, slot)]);
    expect(Object.fromEntries(chains)).toEqual({
      turn: main,
      review: main,
      curation: main,
      compaction: main,
      title: ["openai:gpt-6-luna", "rehearsal"],
      approval: main,
      judge: main,
      goal: main,
      plan: main,
      replay: main,
      vision: main,
    });
  });

  it("may be set if the turn has none", () => {
    expect(namesOf({ ...A, TALARIA_MODEL_REVIEW: "anthropic:claude-haiku-5-5" }, "review")).toEqual([
      "anthropic:claude-haiku-5-5",
    ]);
    expect(namesOf({ ...A, TALARIA_MODEL_REVIEW: "anthropic:claude-haiku-5-5" })).toEqual([
      "anthropic:claude-sonnet-5-5",
    ]);
  });

  it("fail with the name of the wrong variable", () => {
    expect(namesOf({ ...A, TALARIA_MODEL_APPROVAL: "clever" }, "approval")).toMatch(
      /^TALARIA_MODEL_APPROVAL names no provider/,
    );
  });

  it("have the window of the operator, else of the catalog, else the usual one", () => {
    const windows = { "gemini:gemini-4-argon": 500_000 };
    const created = createModels(
      { ...env, TALARIA_MODEL: `${env.TALARIA_MODEL},gemini:gemini-9` },
      { ...DEFAULTS.models, windows },
      toDeps(),
      "turn",
    );
    expect(created.ok && created.value.map(({ contextWindow }) => contextWindow)).toEqual([
      1_000_000, 272_000, 500_000, 200_000,
    ]);
    expect(created.ok && created.value.map(({ isWindowKnown }) => isWindowKnown)).toEqual([false, false, true, false]);
  });
});

describe("the list of slots", () => {
  it("has the models of each kind of work with their window and price, and says which are its own", () => {
    const env = { ...A, TALARIA_MODEL_REVIEW: "anthropic:claude-haiku-5-5, rehearsal" };
    const slots = listSlots(env, DEFAULTS.models);
    expect(slots.map(({ slot }) => slot)).toEqual([...MODEL_SLOTS]);
    const named = slots.map(({ slot, own, models }) => [slot, own, ...models.map(({ name }) => name)]);
    expect(named.slice(0, 3)).toEqual([
      ["turn", false, "anthropic:claude-sonnet-5-5"],
      ["review", true, "anthropic:claude-haiku-5-5", "rehearsal"],
      ["curation", false, "anthropic:claude-sonnet-5-5"],
    ]);
    const [known, stand] = slots[1]!.models;
    expect(known).toMatchObject({ window: 1_000_000, price: { input: 0.1, output: 0.5, source: "catalog" } });
    expect(stand).not.toHaveProperty("price");
    expect(listSlots({ TALARIA_MODEL: "openai:gpt-6.1-sol" }, DEFAULTS.models)[0]).toEqual({
      slot: "turn",
      own: true,
      models: [],
    });
  });
});

describe("several keys in one variable", () => {
  it("are one pool, which all models of the isolate share", async () => {
    const { asked, fetch } = createRefusing();
    const deps = toDeps({ fetch });
    const open = () => {
      const created = create({ OPENAI_API_KEY: "sk-one, sk-two\n sk-one" }, "turn", deps);
      if (!created.ok) throw new Error(created.failure.message);
      return created.value[0];
    };
    const model = open();
    const [event] = await readAll(model, toRequest());
    if (event?.type !== "failed") throw new Error("it did not fail");
    expect(event.failure).toMatchObject({ code: "auth", rotateKey: true });
    expect(model.rotateKey!(event.failure)).toBe(true);
    await readAll(open(), toRequest());
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk-one", "Bearer sk-two"]);
  });

  it("are not a pool if there is only one key", () => {
    const created = create({ OPENAI_API_KEY: "sk-one," });
    expect(created.ok && "rotateKey" in created.value[0]).toBe(false);
  });
});
