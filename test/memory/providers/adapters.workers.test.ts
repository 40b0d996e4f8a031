// The adapters inside workerd, over its own fetch: signals, redirects and bodies work there.
import { describe, expect, inject, it } from "vitest";
import { createCircuit } from "../../../core/memory/provider-guard.ts";
import { openProvider } from "../../../core/memory/providers/index.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";

const TENANT = { profile: "0123456789abcdefghjkmnpqrs", session: "01J00000000000000000000000" };
const SIGNAL = new AbortController().signal;

function open(name: "mem0" | "honcho", baseUrl: string) {
  const deps = {
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    clock: systemClock,
    circuit: createCircuit(systemClock),
  };
  const env = { TALARIA_MEMORY_PROVIDER: name, MEM0_API_KEY: "k", HONCHO_API_KEY: "k" };
  const opened = openProvider({ ...env, MEM0_BASE_URL: baseUrl, HONCHO_BASE_URL: baseUrl }, TENANT, deps);
  if (!opened.ok || !opened.value) throw new Error("no provider");
  return opened.value;
}

describe("a provider in workerd", () => {
  it("reads the refusal of a local server", async () => {
    const url = inject("modelServer");
    expect(await open("mem0", url).prefetch("q", SIGNAL)).toMatchObject({
      ok: false,
      failure: { code: "memory_provider_refused", isRequestFault: true, facts: { status: 404 } },
    });
    expect(await open("honcho", url).prefetch("q", SIGNAL)).toEqual({ ok: true, value: [] });
  });
});
