// A provider that is slow, hangs or fails costs little, and never more than its limit.
import { describe, expect, it } from "vitest";
import { ok } from "../../core/errors.ts";
import { PROVIDER_LIMITS, createCircuit, guardProvider } from "../../core/memory/provider-guard.ts";
import { fail } from "../../core/memory/provider-http.ts";
import type { MemoryProvider } from "../../core/memory/provider.ts";
import { createTestClock } from "../support/clock.ts";
import { createEventClock } from "../support/session/event-clock.ts";

const SIGNAL = new AbortController().signal;
const OUT = fail("memory_provider_refused", "out");
const OWN = fail("memory_provider_refused", "wrong request", { isRequestFault: true });

const codeOf = (result: Awaited<ReturnType<MemoryProvider["prefetch"]>>) => (result.ok ? "ok" : result.failure.code);

describe("a guarded provider", () => {
  it("answers as the provider does", async () => {
    const clock = createEventClock();
    const guarded = guardProvider(
      provider(async () => ok(["a"])),
      { clock, circuit: createCircuit(clock) },
    );
    expect(await guarded.prefetch("q", SIGNAL)).toEqual(ok(["a"]));
    expect(await guarded.sync({ user: "u", assistant: "a" }, SIGNAL)).toEqual(ok(null));
  });

  it("aborts a search after 8 seconds", async () => {
    const clock = createEventClock();
    const began = clock.now();
    const signals: AbortSignal[] = [];
    const guarded = guardProvider(
      provider((_query, signal) => (signals.push(signal), new Promise(() => undefined))),
      { clock, circuit: createCircuit(clock) },
    );
    expect(codeOf(await guarded.prefetch("q", SIGNAL))).toBe("memory_provider_timeout");
    expect(clock.now() - began).toBe(8_000);
    expect(signals[0]!.aborted).toBe(true);
  });

  it("skips searches while one hangs, even beyond its limit", async () => {
    const clock = createEventClock();
    const first = Promise.withResolvers<ReturnType<typeof ok<string[]>>>();
    let asked = 0;
    const guarded = guardProvider(
      provider(async () => (asked++ === 0 ? first.promise : ok(["second"]))),
      { clock, circuit: createCircuit(clock) },
    );
    const hanging = guarded.prefetch("q", SIGNAL);
    expect(codeOf(await guarded.prefetch("q", SIGNAL))).toBe("memory_provider_busy");
    expect(codeOf(await hanging)).toBe("memory_provider_timeout");
    expect(codeOf(await guarded.prefetch("q", SIGNAL))).toBe("memory_provider_busy");
    first.resolve(ok([]));
    await new Promise((done) => setImmediate(done));
    expect(await guarded.prefetch("q", SIGNAL)).toEqual(ok(["second"]));
    expect(asked).toBe(2);
  });

  it("turns a throw into a failure without the error's message", async () => {
    const clock = createEventClock();
    const guarded = guardProvider(
      provider(async () => Promise.reject(new Error("key-of-the-test"))),
      { clock, circuit: createCircuit(clock) },
    );
    const result = await guarded.prefetch("q", SIGNAL);
    expect(result).toMatchObject({ failure: { code: "memory_provider_crashed" } });
    expect(JSON.stringify(result)).not.toContain("key-of-the-test");
  });

  it("passes an abort on to the provider", async () => {
    const clock = createEventClock();
    const circuit = createCircuit(clock);
    const caller = new AbortController();
    const guarded = guardProvider(
      provider((_query, signal) => {
        const { promise, resolve } = Promise.withResolvers<typeof OUT>();
        signal.addEventListener("abort", () => resolve(OUT));
        return promise;
      }),
      { clock, circuit },
    );
    const result = guarded.prefetch("q", caller.signal);
    caller.abort();
    expect(await result).toBe(OUT);
  });

  it("fails a tool at once while the circuit is open", async () => {
    const clock = createTestClock();
    const circuit = createCircuit(clock);
    for (let i = 0; i < PROVIDER_LIMITS.failures; i++) circuit.record(OUT);
    const tool = { name: "t", description: "", parameters: {} as never, effect: "read" as const };
    let ran = 0;
    const run = async () => (ran++, { failed: false, parts: [] });
    const guarded = guardProvider(
      { ...provider(async () => OUT), tools: () => [{ ...tool, run }] },
      { clock, circuit },
    );
    const result = await guarded.tools()[0]!.run({}, { op: "o", prepared: {}, signal: SIGNAL });
    expect(result).toMatchObject({ failed: true });
    expect(ran).toBe(0);
  });
});

describe("the circuit breaker", () => {
  it("opens for five minutes after three failures in a row, and after a later failure at once", async () => {
    const clock = createTestClock();
    const asked: number[] = [];
    const guarded = guardProvider(
      provider(async () => (asked.push(clock.now()), OUT)),
      { clock: { ...clock, sleep: () => new Promise(() => undefined) }, circuit: createCircuit(clock) },
    );
    const codes = async (times: number) => {
      const all: string[] = [];
      for (let i = 0; i < times; i++) all.push(codeOf(await guarded.prefetch("q", SIGNAL)));
      return all;
    };
    const refused = "memory_provider_refused";
    const resting = "memory_provider_resting";
    expect(await codes(5)).toEqual([refused, refused, refused, resting, resting]);
    clock.advance(5 * 60_000 - 1);
    expect(await codes(1)).toEqual([resting]);
    clock.advance(1);
    expect(await codes(2)).toEqual([refused, resting]);
    expect(asked).toHaveLength(4);
  });

  it("closes after an answer, and ignores failures caused by the request itself", () => {
    const circuit = createCircuit(createTestClock());
    for (const result of [OUT, OUT, OWN, OWN, OWN, ok(null), OUT, OUT]) circuit.record(result);
    expect(circuit.isOpen()).toBe(false);
    circuit.record(OUT);
    expect(circuit.isOpen()).toBe(true);
  });

  it("is shared by all sessions of an isolate", async () => {
    const clock = createEventClock();
    const circuit = createCircuit(clock);
    const out = guardProvider(
      provider(async () => OUT),
      { clock, circuit },
    );
    for (let i = 0; i < 3; i++) await out.prefetch("q", SIGNAL);
    const other = guardProvider(
      provider(async () => ok(["a"])),
      { clock, circuit },
    );
    expect(codeOf(await other.prefetch("q", SIGNAL))).toBe("memory_provider_resting");
  });
});

function provider(prefetch: MemoryProvider["prefetch"]): MemoryProvider {
  return {
    name: "test",
    prefetch,
    sync: async () => ok(null),
    preCompaction: async () => ok(""),
    onWrite: async () => ok(null),
    eraseProfile: async () => ok({ more: false }),
    tools: () => [],
  };
}
