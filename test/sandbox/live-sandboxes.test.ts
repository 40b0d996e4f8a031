// Which sandboxes may be live at once in an isolate, and how the others wait.
import { beforeEach, expect, test } from "vitest";
import { MAX_RUN_MS } from "../../core/sandbox/code-sandbox.ts";
import { MAX_MEMORY_BYTES } from "../../core/sandbox/engine.ts";
import { MAX_WAIT_MS, heldBySandboxes, takePlace } from "../../core/sandbox/live-sandboxes.ts";

/** A clock whose sleepers a test wakes by hand. */
function createStepClock() {
  let now = 0;
  let sleepers: (() => void)[] = [];
  return {
    now: () => now,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        sleepers.push(resolve);
        signal?.addEventListener("abort", () => resolve());
      }),
    /** Everyone who waits looks again. */
    async step(ms: number) {
      now += ms;
      const woken = sleepers;
      sleepers = [];
      for (const wake of woken) wake();
      for (let tick = 0; tick < 10; tick++) await Promise.resolve();
    },
  };
}

let clock = createStepClock();
const signal = new AbortController().signal;
const take = (more = {}) => takePlace({ clock, signal, ...more });
const leaves: (() => void)[] = [];

async function takeNow(): Promise<() => void> {
  const leave = await take();
  if (typeof leave === "string") throw new Error(leave);
  leaves.push(leave);
  return leave;
}

beforeEach(() => {
  for (const leave of leaves.splice(0)) leave();
  clock = createStepClock();
});

/** Notes who got a place, in order. */
function watch(order: string[], name: string, place: ReturnType<typeof take>) {
  void place.then((leave) => {
    order.push(typeof leave === "string" ? `${name}: ${leave}` : name);
    if (typeof leave !== "string") leaves.push(leave);
  });
}

test("two are live, and the memory that they may use is counted", async () => {
  expect(heldBySandboxes(clock.now())).toBe(0);
  await takeNow();
  await takeNow();
  expect(heldBySandboxes(clock.now())).toBe(2 * MAX_MEMORY_BYTES);
  expect(2 * MAX_MEMORY_BYTES).toBeLessThanOrEqual(48 << 20);
});

test("the others wait in the order in which they came", async () => {
  const [first, second] = [await takeNow(), await takeNow()];
  const order: string[] = [];
  for (const name of ["a", "b", "c"]) watch(order, name, take());
  await clock.step(10);
  expect(order).toEqual([]);
  first();
  await clock.step(10);
  expect(order).toEqual(["a"]);
  second();
  leaves.at(-1)!();
  await clock.step(10);
  await clock.step(10);
  expect(order).toEqual(["a", "b", "c"]);
});

test("one that is called off leaves the queue", async () => {
  const first = await takeNow();
  await takeNow();
  const order: string[] = [];
  const controller = new AbortController();
  watch(order, "a", take({ signal: controller.signal }));
  watch(order, "b", take());
  controller.abort();
  await clock.step(10);
  first();
  await clock.step(10);
  expect(order).toEqual(["a: signal", "b"]);
});

test("nobody waits longer than the limit", async () => {
  await takeNow();
  await takeNow();
  const order: string[] = [];
  watch(order, "a", take({ maxWaitMs: 1_000 }));
  await clock.step(999);
  expect(order).toEqual([]);
  await clock.step(1);
  expect(order).toEqual(["a: busy"]);
  expect(MAX_WAIT_MS + MAX_RUN_MS).toBeLessThan(180_000);
});

test("the place of an evicted object is free after the longest run, and its place in the queue sooner", async () => {
  await takeNow();
  await takeNow();
  const order: string[] = [];
  const dead = { now: clock.now, sleep: () => new Promise<void>(() => {}) };
  watch(order, "dead", take({ clock: dead }));
  watch(order, "a", take());
  for (let s = 0; s < 8; s++) await clock.step(10_000);
  expect(order).toEqual(["a"]);
});

test("none begins while something else needs the memory", async () => {
  let isBlocked = true;
  const order: string[] = [];
  watch(order, "a", take({ isBlocked: () => isBlocked }));
  await clock.step(10);
  expect(order).toEqual([]);
  isBlocked = false;
  await clock.step(10);
  expect(order).toEqual(["a"]);
});
