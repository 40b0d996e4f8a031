// Models and memory providers in workerd, with the global fetch: an address that the operator's variables do not name, as one that a
// profile would set, is refused before anything leaves.
import { expect, inject, it } from "vitest";
import { askModel } from "../../core/agent/model-turn.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { createCircuit } from "../../core/memory/provider-guard.ts";
import { openProvider } from "../../core/memory/providers/index.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { openModels } from "../../wiring/models.ts";
import { openOutbound } from "../../wiring/outbound.ts";
import { toRequest } from "../conformance/model.ts";
import { toTimeLimits } from "../support/session/time-limits.ts";

const server = inject("modelServer");
const signal = new AbortController().signal;

async function askAt(baseUrl: string, operator: { OPENAI_BASE_URL?: string }) {
  const outbound = openOutbound(operator, DEFAULTS);
  const models = openModels({ OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: "some" }, DEFAULTS, "turn", outbound);
  if (!models.ok) throw new Error(models.failure.message);
  const { result } = await askModel({
    models: models.value,
    at: 0,
    request: toRequest(),
    limits: { modelRetries: 0, inlineWaitMs: 0, noProgressMs: 60_000, ...toTimeLimits(60_000) },
    clock: systemClock,
    random: () => 0,
    signal,
    sink: { text() {}, reasoning() {}, restart() {} },
  });
  return result.ok ? "answered" : result.failure.code;
}

it.each([
  server,
  "http://127.0.0.1:9/v1",
  "http://10.0.0.1/v1",
  "http://169.254.169.254/v1",
  "http://metadata.google.internal/v1",
])("a model at %s is refused with url_refused", async (baseUrl) => {
  expect(await askAt(baseUrl, {})).toBe("url_refused");
  expect(await askAt(baseUrl, { OPENAI_BASE_URL: "http://127.0.0.1:10/v1" })).toBe("url_refused");
});

it("the same model is asked once the operator's variables name its origin", async () => {
  expect(await askAt(`${server}/nothing-here`, { OPENAI_BASE_URL: server })).not.toBe("url_refused");
});

it("a memory provider at an address that the operator did not configure is refused", async () => {
  const env = { TALARIA_MEMORY_PROVIDER: "mem0", MEM0_API_KEY: "key", MEM0_BASE_URL: server };
  const tenant = { profile: "p_1", session: "s_1" };
  const search = (operator: object) => {
    const { fetch } = openOutbound(operator, DEFAULTS);
    const opened = openProvider(env, tenant, { fetch, clock: systemClock, circuit: createCircuit(systemClock) });
    if (!opened.ok) throw new Error(opened.failure.message);
    return opened.value!.prefetch("anything", signal);
  };
  expect(await search({})).toMatchObject({ ok: false, failure: { code: "memory_provider_refused_url" } });
  const reached = await search(env);
  expect(reached.ok ? "ok" : reached.failure.code).not.toBe("memory_provider_refused_url");
});
