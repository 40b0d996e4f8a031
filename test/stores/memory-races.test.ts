// Several writers of one memory, over a KV whose reads may go back in time. Writers are killed between calls and retried,
// responses are lost, sweeps and purges run in between. Added and not removed facts live; removed or purged ones stay gone.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KeyValue } from "../../core/ports.ts";
import type { Sha256 } from "../../core/schemas/ids.ts";
import { type MemoryAdd, memoryId } from "../../core/schemas/memory.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { note } from "../conformance/memory-store.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryKv } from "../support/bindings/memory-kv.ts";
import { createMemoryOverlay } from "../support/bindings/memory-overlay.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { runs } from "../support/thorough.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The last text is too long for metadata, so a list must fetch it. */
const TEXTS = ["one", "two", "ü".repeat(1_000)];

/** A requested operation, with everything that a second delivery carries. */
type Order =
  | { kind: "add"; op: string; add: MemoryAdd }
  | { kind: "remove"; op: string; id: Sha256; at: number; adds: string[] }
  | { kind: "purge"; op: string; id: Sha256; at: number };

const command = fc.record({
  kind: fc.constantFrom("add", "add", "add", "remove", "remove", "purge", "sweep", "again", "again"),
  writer: fc.nat(2),
  text: fc.nat(TEXTS.length - 1),
  /** Selects the earlier order that is delivered again. */
  pick: fc.nat(50),
  /** The KV call at which the process dies; 0: never. */
  dieAt: fc.constantFrom(0, 0, 0, 1, 2, 3),
  /** Whether that call was carried out. */
  afterwards: fc.boolean(),
  waitMs: fc.constantFrom(0, 0, 1_000, 30_000, 2 * MINUTE, 11 * MINUTE, 31 * DAY),
});
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

interface Fate {
  /** Ops that may have been written, each with the time from which it must exist. */
  added: Map<string, number>;
  /** Ops that may have been removed, each with the time from which it must be gone. */
  removed: Map<string, number>;
  /** The time from which the text must be gone; `Infinity`: it may or may not be. */
  purged: number | null;
}

function createWorld(staleUpToMs: number, pageSize: number, seed: number) {
  const clock = createTestClock();
  const kv = createMemoryKv({ clock, faults: { staleUpToMs, pageSize, loseAnswerOneIn: 20, seed } });
  const profile = newProfileId();
  // The third writer keeps nothing between two runs.
  const overlays = [createMemoryOverlay(), createMemoryOverlay(), undefined];
  const fates = new Map(TEXTS.map((text) => [memoryId(text), createFate()]));
  let orders: Order[] = [];
  let ops = 0;

  const open = (writer: number, over: KeyValue = kv) =>
    createMemoryStore({ kv: over, profile, clock, overlayMs: 10 * MINUTE, overlay: overlays[writer] });

  async function carryOut(order: Order, store: ReturnType<typeof open>): Promise<void> {
    const fate = fates.get(order.kind === "add" ? memoryId(order.add.text) : order.id)!;
    const { op } = order;
    if (order.kind === "add") {
      noteAttempt(fate.added, op);
      const { purged } = await store.add("memory", op, order.add);
      if (!purged) noteDone(fate.added, op, clock.now());
    } else if (order.kind === "remove") {
      for (const add of order.adds) noteAttempt(fate.removed, add);
      await store.remove("memory", order.id, order);
      for (const add of order.adds) noteDone(fate.removed, add, clock.now());
    } else {
      fate.purged ??= Infinity;
      const deleted = await store.purge("memory", order.id, order);
      if (deleted !== null) fate.purged = Math.min(fate.purged, clock.now());
    }
  }

  async function toOrder({ kind, writer, text }: Command): Promise<Order | null> {
    const [op, at, fact] = [`op ${++ops}`, clock.now(), TEXTS[text]!];
    const id = memoryId(fact);
    if (kind === "add") return { kind, op, add: note(fact, at) };
    if (kind === "purge") return { kind, op, id, at };
    const seen = (await open(writer).list("memory")).find((entry) => entry.id === id);
    return seen ? { kind: "remove", op, id, at, adds: seen.adds } : null;
  }

  async function run(step: Command): Promise<void> {
    const store = open(step.writer, createMortalKv(kv, step));
    try {
      if (step.kind === "sweep") return void (await store.sweep(clock.now() - 30 * DAY));
      const order = step.kind === "again" ? orders[step.pick % (orders.length || 1)] : await toOrder(step);
      if (!order) return;
      if (step.kind !== "again") orders.push(order);
      await carryOut(order, store);
    } catch (error) {
      if (!/killed|connection lost/.test(String(error))) throw error;
    } finally {
      clock.advance(step.waitMs);
      // No queue keeps a message that long.
      if (step.waitMs >= 30 * DAY) orders = [];
    }
  }

  /** Checks everything that KV must show by now, despite its stale reads. */
  async function check(lagMs: number): Promise<void> {
    const listed = new Map((await open(2).list("memory")).map(({ id, adds }) => [id, adds]));
    const since = clock.now() - lagMs;
    for (const [id, { added, removed, purged }] of fates) {
      const adds = listed.get(id) ?? [];
      const lives = [...added].filter(([op, at]) => at <= since && !removed.has(op)).map(([op]) => op);
      if (purged === null) expect(adds).toEqual(expect.arrayContaining(lives));
      for (const op of adds) {
        expect(added.has(op)).toBe(true);
        expect((removed.get(op) ?? Infinity) > since).toBe(true);
      }
      if (purged !== null && purged <= since) expect(adds).toEqual([]);
    }
  }

  return { clock, kv, fates, open, run, check };
}

function createFate(): Fate {
  return { added: new Map(), removed: new Map(), purged: null };
}

function noteAttempt(when: Map<string, number>, op: string): void {
  if (!when.has(op)) when.set(op, Infinity);
}

function noteDone(when: Map<string, number>, op: string, at: number): void {
  when.set(op, Math.min(when.get(op)!, at));
}

/** The KV of a process that dies before or after a given call. */
function createMortalKv(kv: KeyValue, { dieAt, afterwards }: Command): KeyValue {
  let calls = 0;
  const guard = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (dieAt === 0 || calls < dieAt) return call();
    if (calls === dieAt && afterwards) await call();
    throw new Error("The process was killed.");
  };
  return {
    get: (key) => guard(() => kv.get(key)),
    getMany: (keys) => guard(() => kv.getMany(keys)),
    put: (key, value, options) => guard(() => kv.put(key, value, options)),
    delete: (key) => guard(() => kv.delete(key)),
    list: (options) => guard(() => kv.list(options)),
  };
}

describe("memory with several writers", () => {
  it("matches the operations that survived, at every moment and once KV has settled, without purged texts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(command, { minLength: 5, maxLength: 40 }),
        fc.constantFrom(0, MINUTE, 60 * MINUTE),
        fc.constantFrom(1, 3, 1_000),
        fc.nat(),
        async (commands, staleUpToMs, pageSize, seed) => {
          const world = createWorld(staleUpToMs, pageSize, seed);
          for (const step of commands) {
            await world.run(step);
            await world.check(staleUpToMs);
          }
          world.clock.advance(DAY);
          Object.assign(world.kv.faults, { staleUpToMs: 0, loseAnswerOneIn: undefined });
          await world.check(0);
          const purged = [...world.fates].filter(([, fate]) => fate.purged !== null && fate.purged < Infinity);
          await world.open(2).sweep(0);
          const { keys } = await world.kv.list({ prefix: "" });
          const left = keys.filter(({ name }) => purged.some(([id]) => name.includes(`${id}/+`)));
          expect(left).toEqual([]);
          const { purged: marks } = await world.open(2).survey("memory");
          expect(marks.map(({ id }) => id)).toEqual(expect.arrayContaining(purged.map(([id]) => id)));
        },
      ),
      { numRuns: runs(150), seed: 7 },
    );
  }, 60_000);
});

describe("concurrent adds and removes", () => {
  const id = memoryId("one");
  const settle = async (script: (world: ReturnType<typeof createPair>) => Promise<unknown>, staleMs: number) => {
    const world = createPair(staleMs);
    await script(world);
    world.clock.advance(DAY);
    world.kv.faults.staleMs = 0;
    return (await world.theirs.list("memory")).map(({ adds }) => adds);
  };

  function createPair(staleMs: number) {
    const clock = createTestClock();
    const kv = createMemoryKv({ clock, faults: { staleMs } });
    const overlay = createMemoryOverlay();
    const options = { kv, profile: newProfileId(), clock, overlayMs: 10 * MINUTE };
    return { clock, kv, mine: createMemoryStore({ ...options, overlay }), theirs: createMemoryStore(options) };
  }
  type Pair = ReturnType<typeof createPair>;
  const add = (store: Pair["mine"], op: string) => store.add("memory", op, note("one", op.charCodeAt(0)));
  const remove = (store: Pair["mine"], adds?: string[]) =>
    store.remove("memory", id, { op: "r", at: 9, ...(adds && { adds }) });

  it.each<[string, number, (pair: Pair) => Promise<unknown>, string[][]]>([
    ["one fact under two ops", MINUTE, (p) => Promise.all([add(p.mine, "a"), add(p.theirs, "b")]), [["a", "b"]]],
    ["a remove that sees one of two adds", MINUTE, seeOne, [["b"]]],
    ["a remove that sees both", 0, seeBoth, []],
    ["an add by a writer that does not see the remove", MINUTE, addUnseen, [["b"]]],
    ["the same add delivered again after the remove", MINUTE, addAgain, []],
    ["the same remove delivered again after a new add", 0, removeAgain, [["b"]]],
    ["a remove after the overlay has expired while KV is still stale", 60 * MINUTE, removeLate, [["a"]]],
    ["a purge that does not see one add", MINUTE, purgeOne, []],
    ["an add by a writer that does not see the purge", MINUTE, addUnseenPurge, []],
  ])("have one outcome, however stale KV is: %s", async (_name, staleMs, script, expected) => {
    expect(await settle(script, staleMs)).toEqual(expected);
  });

  async function seeOne({ mine, theirs }: Pair) {
    await add(mine, "a");
    await add(theirs, "b");
    expect(await remove(mine)).toBe(1);
  }

  async function seeBoth({ mine, theirs }: Pair) {
    await Promise.all([add(mine, "a"), add(theirs, "b")]);
    expect(await remove(mine)).toBe(2);
  }

  async function addUnseen({ mine, theirs, clock }: Pair) {
    await add(mine, "a");
    clock.advance(2 * MINUTE);
    expect(await remove(mine)).toBe(1);
    expect(await add(theirs, "b")).toEqual({ id, existed: true });
  }

  async function addAgain({ mine, theirs }: Pair) {
    await add(theirs, "a");
    await remove(mine, ["a"]);
    await add(theirs, "a");
  }

  async function removeAgain({ mine, theirs }: Pair) {
    await add(mine, "a");
    await remove(mine, ["a"]);
    await add(theirs, "b");
    await remove(mine, ["a"]);
  }

  async function removeLate({ mine, clock }: Pair) {
    await add(mine, "a");
    clock.advance(11 * MINUTE);
    // Neither the overlay nor KV shows the add, so nothing is removed and the count is 0.
    expect(await remove(mine)).toBe(0);
  }

  async function purgeOne({ mine, theirs }: Pair) {
    await add(mine, "a");
    await add(theirs, "b");
    expect(await mine.purge("memory", id, { op: "p", at: 9 })).toBe(1);
  }

  async function addUnseenPurge({ mine, theirs, clock }: Pair) {
    await add(mine, "a");
    clock.advance(2 * MINUTE);
    await mine.purge("memory", id, { op: "p", at: 9 });
    expect(await add(theirs, "b")).toEqual({ id, existed: true });
  }
});
