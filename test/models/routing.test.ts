// Which model the environment chooses, and what is said of an environment that chooses none.
import { describe, expect, it } from "vitest";
import type { Model } from "../../core/agent/contract.ts";
import { type ModelEnv, createModel, modelNameOf } from "../../core/models/routing.ts";
import { readAll, toRequest } from "../conformance/model.ts";

const stand: Model = { name: "rehearsal", stream: () => Promise.reject(new Error("not asked")) as never };
const deps = { fetch, rehearsal: () => stand };
const A = { ANTHROPIC_API_KEY: "sk-ant-key" };
const O = { OPENAI_API_KEY: "sk-key" };
const LOCAL = { OPENAI_BASE_URL: "http://localhost:11434/v1" };

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
  ] as [ModelEnv, string][])("that %o chooses is %s", (env, name) => {
    const created = createModel(env, deps);
    expect(created.ok && created.value.name).toBe(name);
    expect(modelNameOf(env)).toBe(name);
  });

  it.each([
    [{ TALARIA_MODEL: "anthropic:claude-haiku-5-5" }, /ANTHROPIC_API_KEY/],
    [{ TALARIA_MODEL: "openai:gpt-6-luna", ...A }, /OPENAI_API_KEY/],
    [{ ...O, ...LOCAL }, /OPENAI_MODEL/],
    [{ ...A, TALARIA_MODEL: "claude-haiku-5-5" }, /TALARIA_MODEL names no provider/],
    [{ ...A, TALARIA_MODEL: "anthropic:" }, /TALARIA_MODEL names no model/],
    [{ TALARIA_MODEL: "rehearsal:fast" }, /TALARIA_MODEL names no model/],
    [{ ...O, OPENAI_BASE_URL: "localhost:11434", OPENAI_MODEL: "x" }, /OPENAI_BASE_URL must be/],
    [{ ...O, OPENAI_BASE_URL: "https://user:secret@host/v1", OPENAI_MODEL: "x" }, /OPENAI_BASE_URL must be/],
    [{ ...A, ANTHROPIC_BASE_URL: "ftp://host" }, /ANTHROPIC_BASE_URL must be/],
  ] as [ModelEnv, RegExp][])("cannot be chosen by %o, and the variable to set is named", (env, sentence) => {
    const created = createModel(env, deps);
    expect(created).toEqual({
      ok: false,
      failure: { code: "model_not_configured", message: expect.stringMatching(sentence) },
    });
    expect(JSON.stringify(created)).not.toMatch(/sk-|secret/);
    expect(modelNameOf(env)).toBe("unconfigured");
  });

  it.each([
    [{ ...A, ANTHROPIC_BASE_URL: "http://host/anthropic/" }, "http://host/anthropic/v1/messages", "Bearer sk-ant-key"],
    [A, "https://api.anthropic.com/v1/messages", "Bearer sk-ant-key"],
    [O, "https://api.openai.com/v1/responses", "Bearer sk-key"],
    [{ ...LOCAL, OPENAI_MODEL: "x" }, "http://localhost:11434/v1/chat/completions", "Bearer none"],
  ] as [ModelEnv, string, string][])("asks where %o says, with its key", async (env, url, authorization) => {
    const asked: unknown[] = [];
    const created = createModel(env, {
      ...deps,
      fetch: async (input, init) => {
        asked.push([String(input), new Headers(init?.headers).get("authorization")]);
        return Response.json({}, { status: 401 });
      },
    });
    if (!created.ok) throw new Error(created.failure.message);
    expect(await readAll(created.value, toRequest())).toMatchObject([{ type: "failed", failure: { code: "auth" } }]);
    expect(asked).toEqual([[url, authorization]]);
  });
});
