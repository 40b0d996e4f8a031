// Several keys for one model: which is used, how long a refused one is suspended, and the message when all are.
import { describe, expect, it } from "vitest";
import type { Model, ModelFailure } from "../../core/agent/contract.ts";
import { type KeyHealth, createKeyHealth, createKeyPool } from "../../core/models/key-pool.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { readAll, toRequest } from "../conformance/model.ts";
import { type TestClock, createTestClock } from "../support/clock.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const limited = (retryAfterMs?: number): ModelFailure => ({
  ...{ code: "rate_limit", message: "Slow down.", retry: true, compact: false, rotateKey: true, fallBack: true },
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
const refused = (code: "auth" | "billing"): ModelFailure => ({ ...limited(), code, message: `${code}!`, retry: false });

interface World {
  clock: TestClock;
  health: KeyHealth;
  /** The keys of the calls so far, in order. */
  used: string[];
  open(order?: Settings["models"]["keyOrder"], keys?: string[]): Model;
}

function createWorld(): World {
  const clock = createTestClock();
  const health = createKeyHealth();
  const used: string[] = [];
  const withKey = (key: string): Model => {
    const model = createScriptedModel([]);
    return {
      ...model,
      stream(request, signal) {
        used.push(key);
        return model.stream(request, signal);
      },
    };
  };
  return {
    clock,
    health,
    used,
    open: (order = "fill_first", keys = ["a", "b", "c"]) =>
      createKeyPool({ keyed: keys.map((key) => ({ key, model: withKey(key) })), health, order, clock }),
  };
}

const ask = async (model: Model) => (await readAll(model, toRequest())).at(-1)!;
const failureOf = async (model: Model) => {
  const event = await ask(model);
  return event.type === "failed" ? event.failure : event.type;
};

describe("a pool of keys", () => {
  it("has the name and window of its model", () => {
    expect(createWorld().open()).toMatchObject({ name: "scripted:test", contextWindow: 200_000 });
  });

  it.each([
    ["fill_first", ["a", "a", "a", "a"]],
    ["round_robin", ["a", "b", "c", "a"]],
    ["least_used", ["a", "b", "c", "a"]],
  ] as const)("opened for several turns in order %s uses the keys %j", async (order, keys) => {
    const world = createWorld();
    for (let turn = 0; turn < 4; turn++) await ask(world.open(order));
    expect(world.used).toEqual(keys);
  });

  it("has the cache of its first key, but only in the order in which every process starts with that key", () => {
    const keyed = ["a", "b"].map((key) => ({ key, model: { ...createScriptedModel([]), cache: `of ${key}` } }));
    const cacheOf = (order: Settings["models"]["keyOrder"]) =>
      createKeyPool({ keyed, health: createKeyHealth(), order, clock: createTestClock() }).cache;
    expect([cacheOf("fill_first"), cacheOf("round_robin"), cacheOf("least_used")]).toEqual([
      "of a",
      undefined,
      undefined,
    ]);
  });

  it("keeps its key from call to call until that is suspended", async () => {
    const world = createWorld();
    const model = world.open("round_robin");
    for (let call = 0; call < 3; call++) await ask(model);
    expect(model.rotateKey!(limited())).toBe(true);
    await ask(model);
    await ask(model);
    expect(world.used).toEqual(["a", "a", "a", "b", "b"]);
  });

  it("in order least_used evens out what another order has used", async () => {
    const world = createWorld();
    const busy = world.open("fill_first");
    for (let call = 0; call < 3; call++) await ask(busy);
    for (let turn = 0; turn < 4; turn++) await ask(world.open("least_used"));
    expect(world.used).toEqual(["a", "a", "a", "b", "c", "b", "c"]);
  });

  it.each([
    ["a limit, for an hour", limited(), HOUR],
    ["a limit, for as long as the provider says", limited(10 * MINUTE), 10 * MINUTE],
    ["a limit, for a minute at least", limited(0), MINUTE],
    ["missing credit, for a day", refused("billing"), 24 * HOUR],
    ["a wrong key, for a day", refused("auth"), 24 * HOUR],
  ])("suspends a key after %s", async (_, failure, restMs) => {
    const world = createWorld();
    const first = world.open();
    await ask(first);
    first.rotateKey!(failure);
    world.clock.advance(restMs - 1);
    await ask(world.open());
    world.clock.advance(1);
    await ask(world.open());
    expect(world.used).toEqual(["a", "b", "a"]);
  });

  it("skips a suspended key in every order", async () => {
    for (const order of ["fill_first", "round_robin", "least_used"] as const) {
      const world = createWorld();
      const model = world.open(order);
      await ask(model);
      model.rotateKey!(limited());
      for (let turn = 0; turn < 4; turn++) await ask(world.open(order));
      expect([order, world.used.slice(1).includes("a")]).toEqual([order, false]);
    }
  });

  it("rotates to no key if all are suspended, and reports when the first is available again", async () => {
    const world = createWorld();
    const model = world.open("fill_first", ["a", "b"]);
    await ask(model);
    expect(model.rotateKey!(limited(30 * MINUTE))).toBe(true);
    world.clock.advance(10 * MINUTE);
    await ask(model);
    expect(model.rotateKey!(limited())).toBe(false);
    world.clock.advance(MINUTE);
    expect(await failureOf(world.open("fill_first", ["a", "b"]))).toEqual({
      code: "rate_limit",
      message: "All 2 keys of scripted:test are suspended; the first is available in 1140 seconds. Slow down.",
      retry: true,
      compact: false,
      rotateKey: false,
      fallBack: true,
      retryAfterMs: 19 * MINUTE,
    });
    world.clock.advance(19 * MINUTE);
    expect((await ask(model)).type).toBe("done");
    expect(world.used).toEqual(["a", "b", "a"]);
  });

  it("waits for the key that is suspended briefly, not for one that is refused permanently", async () => {
    const world = createWorld();
    const model = world.open("fill_first", ["a", "b"]);
    await ask(model);
    model.rotateKey!(limited());
    await ask(model);
    model.rotateKey!(refused("auth"));
    expect(await failureOf(model)).toMatchObject({ code: "rate_limit", retry: true, retryAfterMs: HOUR });
  });

  it("reports the last refusal if no key is worth waiting for", async () => {
    const world = createWorld();
    const model = world.open("fill_first", ["a", "b"]);
    for (const code of ["auth", "billing"] as const) {
      await ask(model);
      model.rotateKey!(refused(code));
    }
    const failure = await failureOf(model);
    expect(failure).toEqual({
      ...refused("billing"),
      message: "All 2 keys of scripted:test were refused. billing!",
      rotateKey: false,
    });
  });

  it("suspends no key that was never used", () => {
    expect(createWorld().open().rotateKey!(limited())).toBe(false);
  });

  it("stores no key in the record of key health", async () => {
    const world = createWorld();
    const model = world.open("round_robin", ["sk-very-secret-1", "sk-very-secret-2"]);
    await ask(model);
    model.rotateKey!(limited());
    expect(JSON.stringify([...world.health])).not.toContain("secret");
  });
});
