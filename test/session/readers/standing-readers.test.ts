// Readers on WebSockets and of single turns, over a real log. Whenever a reader joins, leaves, comes back or its object is
// evicted, it receives the log, in order, each event once.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AgentEvent, type Entry, NO_STATS } from "../../../core/schemas/entry.ts";
import {
  type PlacedEvent,
  placeTool,
  placeTurnEnd,
  placeTurnStart,
  replay,
} from "../../../core/session/readers/events.ts";
import { MAX_STANDING, createHub } from "../../../core/session/readers/hub.ts";
import { CLOSE_CODES, type ReaderState, type StandingReader } from "../../../core/session/readers/standing-reader.ts";
import type { TurnRow } from "../../../core/session/log-turns.ts";
import { createLog } from "../../../core/session/log.ts";
import { createReaders } from "../../../core/session/readers/readers.ts";
import { createTables } from "../../../core/session/schema.ts";
import { createTestClock } from "../../support/clock.ts";
import { collect } from "../../support/session/collect-events.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { runs } from "../../support/thorough.ts";

const MINUTE = 60_000;

interface Message {
  id: string;
  event: AgentEvent;
}

/** A connection: the messages sent over it, and the state it keeps while the object sleeps. */
function connection() {
  const messages: Message[] = [];
  const state: { closed: number | null; broken: boolean; kept: ReaderState | null } = {
    closed: null,
    broken: false,
    kept: null,
  };
  const reader: StandingReader = {
    send(text) {
      if (state.broken) throw new Error("gone");
      messages.push(JSON.parse(text) as Message);
    },
    close: (code) => void (state.closed = code),
    keep: (kept) => void (state.kept = structuredClone(kept)),
  };
  return { reader, messages, state };
}

type Connection = ReturnType<typeof connection>;

/** A session whose turns the test writes. `wake` is an eviction: only the log and the connections remain. */
function createWorld() {
  const clock = createTestClock();
  const sql = createNodeSql();
  createTables(sql);
  const log = createLog(sql);
  const live: { text: { entry: number; turn: number; text: string } | null } = { text: null };
  let hub = createHub(clock);
  let readers = createReaders({ log, hub, live: () => live.text });
  const parts = (text: string) => [{ source: "own" as const, text }];
  const row = (n: number, state: TurnRow["state"], more: TurnRow["more"] = {}): TurnRow => ({
    ...{ n, state, waiting: null, input: null, final: null, attempts: 1, stats: NO_STATS, startedAt: 0, endedAt: null },
    more,
  });
  return {
    clock,
    log,
    live,
    hub: () => hub,
    readers: () => readers,
    row,
    wake(connections: Connection[] = []) {
      hub = createHub(clock);
      readers = createReaders({ log, hub, live: () => live.text });
      readers.rejoin(connections.map(({ reader, state }) => ({ reader, kept: state.kept! })));
    },
    watch(after?: string): Connection {
      const made = connection();
      const watching = readers.watch(after, () => made.reader);
      if (!watching.ok) throw new Error(watching.failure.code);
      return made;
    },
    begin(n: number): void {
      const input = log.nextEntry();
      log.put({ v: 1, n: input, turn: n, at: 0, kind: "user", parts: parts("Go") });
      const turn = { ...row(n, "running"), input };
      log.putTurn(turn);
      hub.emit(placeTurnStart(turn));
    },
    callTool(turn: number): number {
      const n = log.nextEntry();
      const call = { id: `c${n}`, name: "look", args: {} };
      const base = { v: 1 as const, n, turn, at: 0, parts: [], call, step: 0, failed: false, prepared: {} };
      const entry: Entry & { kind: "tool" } = { ...base, kind: "tool", state: "open" };
      log.put(entry);
      hub.emit(placeTool(entry)[0]!);
      return n;
    },
    endTool(n: number): void {
      const entry = log.entry(n) as Entry & { kind: "tool" };
      const done = { ...entry, state: "done" as const, parts: parts('{"seen":1}') };
      log.put(done);
      hub.emit(placeTool(done)[1]!);
    },
    stream(turn: number, text: string): void {
      const entry = live.text?.entry ?? log.nextEntry();
      if (!live.text) hub.emit({ at: { entry, offset: 0 }, event: { type: "entry_start", turn, entry } });
      const offset = live.text?.text.length ?? 0;
      live.text = { entry, turn, text: (live.text?.text ?? "") + text };
      const at = { entry, offset: live.text.text.length };
      hub.emit({ at, event: { type: "text_delta", entry, offset, text } });
    },
    /**
     * The answer is lost with the object. A notice takes its entry number, and readers that saw part of it are told to drop it.
     */
    resume(turn: number): void {
      live.text = null;
      const n = log.nextEntry();
      const text = "It went on.";
      log.put({ v: 1, n, turn, at: 0, kind: "notice", code: "resumed", parts: parts(text) });
      hub.emit({ at: { entry: n, offset: 0 }, event: { type: "notice_add", entry: n, code: "resumed", text } });
    },
    end(n: number): void {
      const text = live.text?.text ?? "Done.";
      const final: Entry = {
        ...{ v: 1, n: live.text?.entry ?? log.nextEntry(), turn: n, at: 0, kind: "assistant", parts: parts(text) },
        answer: { calls: [], stop: "end", usage: NO_STATS.usage, model: "test" },
      };
      log.put(final);
      const turn = { ...log.turn(n)!, state: "done" as const, final: final.n };
      log.putTurn(turn);
      if (!live.text) {
        hub.emit({ at: { entry: final.n, offset: 0 }, event: { type: "entry_start", turn: n, entry: final.n } });
        const at = { entry: final.n, offset: text.length };
        hub.emit({ at, event: { type: "text_delta", entry: final.n, offset: 0, text } });
      }
      live.text = null;
      hub.emit(placeTurnEnd(turn, final));
    },
  };
}

type World = ReturnType<typeof createWorld>;

/** All events that the log holds now, as ids. */
function idsOf(world: World): string[] {
  const turns = world.log.turns(100);
  return replay({ entry: 0, offset: 0 }, world.log.entries(1), turns, null).map(toId);
}
const toId = ({ at }: PlacedEvent) => `${at.entry}.${at.offset}`;
const types = (messages: Message[]) => messages.map(({ id, event }) => `${id} ${event.type}`);

describe("a standing reader", () => {
  it("gets what it missed after its id, then live events, over several turns", () => {
    const world = createWorld();
    world.begin(1);
    world.end(1);
    const watcher = world.watch("1.0");
    world.begin(2);
    world.endTool(world.callTool(2));
    world.end(2);
    expect(types(watcher.messages)).toEqual([
      ...["2.0 entry_start", "2.5 text_delta", "2.6 turn_end"],
      ...["3.0 turn_start", "4.0 tool_start", "4.1 tool_end", "5.0 entry_start", "5.5 text_delta", "5.6 turn_end"],
    ]);
    const { id, event } = watcher.messages.at(-1)!;
    expect({ id, event }).toEqual({
      id: "5.6",
      event: { type: "turn_end", turn: 2, entry: 5, state: "done", reason: "answer", stats: NO_STATS },
    });
  });

  it("without a position gets live events, and the whole of a streaming answer", () => {
    const world = createWorld();
    world.begin(1);
    world.end(1);
    world.begin(2);
    world.stream(2, "Half ");
    const watcher = world.watch();
    world.stream(2, "of it");
    expect(watcher.messages.map(({ event }) => event)).toEqual([
      { type: "entry_start", turn: 2, entry: 4 },
      { type: "text_delta", entry: 4, offset: 0, text: "Half " },
      { type: "text_delta", entry: 4, offset: 5, text: "of it" },
    ]);
  });

  it("without a position gets the end of running calls", () => {
    const world = createWorld();
    world.begin(1);
    const calls = [world.callTool(1), world.callTool(1)];
    const watcher = world.watch();
    for (const call of calls.toReversed()) world.endTool(call);
    expect(types(watcher.messages)).toEqual(["2.1 tool_end", "3.0 tool_start", "3.1 tool_end"]);
  });

  it("continues at its position after the object slept, and gets nothing twice", () => {
    const world = createWorld();
    world.begin(1);
    const watcher = world.watch("0.0");
    world.end(1);
    world.wake([watcher]);
    world.begin(2);
    world.end(2);
    expect(watcher.messages.map(({ id }) => id)).toEqual(idsOf(world));
  });

  it("gets entry_restart for an answer that was lost with the object, but only if it had seen a part", () => {
    const world = createWorld();
    world.begin(1);
    const saw = world.watch("0.0");
    world.stream(1, "A beginning");
    world.wake([saw]);
    world.live.text = null;
    const late = world.watch("0.0");
    world.resume(1);
    world.end(1);
    expect(types(saw.messages).slice(2)).toEqual([
      ...["2.11 text_delta", "2.12 entry_restart", "3.0 entry_start", "3.5 text_delta", "3.6 turn_end"],
    ]);
    expect(types(late.messages)).toEqual([
      ...["1.0 turn_start", "2.0 notice_add", "3.0 entry_start", "3.5 text_delta", "3.6 turn_end"],
    ]);
  });

  it("must present its key again after a while, and gets nothing before that", () => {
    const world = createWorld();
    const watcher = world.watch("0.0");
    world.clock.advance(15 * MINUTE);
    world.begin(1);
    expect(types(watcher.messages)).toEqual(["1.0 turn_start"]);
    world.clock.advance(1);
    expect(watcher.state.closed).toBeNull();
    world.wake([watcher]);
    world.end(1);
    expect([watcher.state.closed, watcher.messages.length]).toEqual([CLOSE_CODES.signInAgain, 1]);
    expect(world.hub().isWatched()).toBe(false);
    expect(types(world.watch(watcher.messages.at(-1)!.id).messages)).toEqual([
      ...["2.0 entry_start", "2.5 text_delta", "2.6 turn_end"],
    ]);
  });

  it("with a closed connection is removed, and the others still get events", () => {
    const world = createWorld();
    const [gone, stays] = [world.watch("0.0"), world.watch("0.0")];
    gone.state.broken = true;
    world.begin(1);
    expect(world.hub().standing()).toBe(1);
    expect(types(stays.messages)).toEqual(["1.0 turn_start"]);
  });

  it("is refused with a wrong id or beyond the limit, before the connection is accepted", () => {
    const world = createWorld();
    const accept = () => {
      throw new Error("accepted");
    };
    expect(world.readers().watch("x", accept)).toMatchObject({ failure: { code: "bad_event_id" } });
    const watchers = Array.from({ length: MAX_STANDING }, () => world.watch());
    expect(world.readers().watch(undefined, accept)).toMatchObject({ failure: { code: "too_many_readers" } });
    world.readers().leave(watchers[3]!.reader);
    expect(world.watch().state.closed).toBeNull();
  });
});

describe("whether somebody is watching", () => {
  it("is true while a stream or a standing connection is open, and after the object slept", async () => {
    const world = createWorld();
    expect(world.hub().isWatched()).toBe(false);
    world.begin(1);
    const stream = world.readers().events({ turn: 1 });
    expect(world.hub().isWatched()).toBe(true);
    if (stream.ok) await stream.value.cancel();
    expect(world.hub().isWatched()).toBe(false);
    const watcher = world.watch();
    world.wake([watcher]);
    expect(world.hub().isWatched()).toBe(true);
    world.readers().leave(watcher.reader);
    expect(world.hub().isWatched()).toBe(false);
  });

  it("does not depend on a stream that is passed on to a chat", async () => {
    const world = createWorld();
    world.begin(1);
    const relay = world.readers().events({ turn: 1, relay: true });
    expect(world.hub().isWatched()).toBe(false);
    const watcher = world.watch();
    expect(world.hub().isWatched()).toBe(true);
    if (relay.ok) await relay.value.cancel();
    expect(world.hub().isWatched()).toBe(true);
    world.readers().leave(watcher.reader);
    expect(world.hub().isWatched()).toBe(false);
  });
});

describe("a stream of one turn", () => {
  function open(world: World, turn: number) {
    const stream = world.readers().events({ turn });
    if (!stream.ok) throw new Error(stream.failure.code);
    return collect(stream.value);
  }

  it("that waits for a queued input follows the turn that the input is put into, to its end", async () => {
    const world = createWorld();
    world.begin(1);
    world.log.putTurn({ ...world.row(2, "queued", { busy: "steer" }), waiting: "More" });
    const waiting = open(world, 2);
    world.endTool(world.callTool(1));
    const n = world.log.nextEntry();
    const steer = { accepted: 2, marker: "m", step: 1 };
    world.log.put({ v: 1, n, turn: 1, at: 0, kind: "user", parts: [{ source: "principal", text: "More" }], steer });
    world.log.putTurn({ ...world.row(2, "steered", { into: 1 }), input: n });
    const event = { type: "steer_add" as const, turn: 2, into: 1, entry: n, text: "More" };
    world.hub().emit({ at: { entry: n, offset: 0 }, event });
    const joined = open(world, 2);
    world.end(1);
    const told = ["3.0 steer_add", "4.0 entry_start", "4.5 text_delta", "4.6 turn_end"];
    expect(types(await waiting)).toEqual(told);
    expect(types(await joined)).toEqual(told);
    expect(types(await open(world, 2))).toEqual(told);
  });

  it("sends a keep-alive comment every fifteen seconds, without an id and without extending the idle timeout", async () => {
    const world = createWorld();
    world.begin(1);
    const stream = world.readers().events({ turn: 1 });
    if (!stream.ok) throw new Error(stream.failure.code);
    const text = new Response(stream.value).text();
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 15_000) {
        world.clock.advance(15_000);
        for (let tick = 0; tick < 10; tick++) await Promise.resolve();
      }
    };
    await pass(45_000);
    const call = world.callTool(1);
    await pass(MINUTE);
    world.endTool(call);
    await pass(20 * MINUTE);
    expect(world.hub().isWatched()).toBe(false);
    const blocks = (await text).split("\n\n").slice(0, -1);
    const told = blocks.map((block) => (block.startsWith(":") ? ":" : /^id: (.*)$/m.exec(block)![1]));
    const signs = (count: number) => Array.from({ length: count }, () => ":");
    expect(told).toEqual(["1.0", ...signs(3), "2.0", ...signs(4), "2.1", ...signs(20)]);
    expect(blocks.filter((block) => block.startsWith(":")).every((block) => !block.includes("\n"))).toBe(true);
  });

  it("stays open while a turn runs, however long its model is silent", async () => {
    const clock = createTestClock();
    let isRunning = true;
    const hub = createHub(clock, () => isRunning);
    const stream = hub.open([], { until: 1, waits: false });
    const reader = stream.getReader();
    const pass = async (ms: number) => {
      for (let at = 0; at < ms; at += 15_000) {
        clock.advance(15_000);
        for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      }
    };
    await pass(20 * MINUTE);
    expect(hub.isWatched()).toBe(true);
    isRunning = false;
    await pass(6 * MINUTE);
    expect(hub.isWatched()).toBe(false);
    await reader.cancel();
  });

  it("ends after five idle minutes, and can be resumed from its last id", async () => {
    const world = createWorld();
    world.begin(1);
    const stream = open(world, 1);
    world.clock.advance(4 * MINUTE);
    const call = world.callTool(1);
    world.clock.advance(4 * MINUTE);
    await Promise.resolve();
    world.endTool(call);
    world.clock.advance(5 * MINUTE);
    expect(types(await stream)).toEqual(["1.0 turn_start", "2.0 tool_start", "2.1 tool_end"]);
    expect(world.hub().isWatched()).toBe(false);
    const back = world.readers().events({ turn: 1, after: "2.1" });
    world.end(1);
    expect(back.ok && types(await collect(back.value))).toEqual(["3.0 entry_start", "3.5 text_delta", "3.6 turn_end"]);
  });
});

type Step = { do: "call" | "end" | "join" | "leave" | "evict"; pick: number };

describe("readers of a turn whose calls overlap", () => {
  it("get a call's end even if another reader joined after its beginning", () => {
    const world = createWorld();
    world.begin(1);
    const watcher = world.watch("0.0");
    const [first, second] = [world.callTool(1), world.callTool(1)];
    world.watch(`${second}.0`);
    world.endTool(first);
    world.endTool(second);
    world.end(1);
    expect(watcher.messages.map(({ id }) => id)).toEqual(idsOf(world));
  });

  it("get entry_restart for a complete answer when a notice takes over its number", async () => {
    const world = createWorld();
    world.begin(1);
    world.stream(1, "Half");
    const stream = world.readers().events({ turn: 1, after: "2.4" });
    if (!stream.ok) throw new Error(stream.failure.code);
    const reading = collect(stream.value);
    world.resume(1);
    world.end(1);
    expect((await reading)[0]).toEqual({ id: "2.5", event: { type: "entry_restart", entry: 2 } });
  });

  it("receive the log, whenever they join, leave or come back, or the object is evicted", () => {
    const step: fc.Arbitrary<Step> = fc.record({
      do: fc.constantFrom("call", "call", "end", "end", "join", "leave", "evict"),
      pick: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isStopped) => {
        const world = createWorld();
        const open: number[] = [];
        const readers: { seen: Message[]; now: Connection | null }[] = [];
        const away = (reader: (typeof readers)[number]) => {
          reader.seen.push(...reader.now!.messages);
          reader.now = null;
        };
        world.begin(1);
        for (const { do: what, pick } of steps) {
          if (what === "call") open.push(world.callTool(1));
          if (what === "end" && open.length > 0) world.endTool(open.splice(pick % open.length, 1)[0]!);
          if (what === "join") readers.push({ seen: [], now: world.watch("0.0") });
          if (what === "leave" && readers.length > 0) {
            const reader = readers[pick % readers.length]!;
            if (reader.now) {
              world.readers().leave(reader.now.reader);
              away(reader);
            } else reader.now = world.watch(reader.seen.at(-1)?.id ?? "0.0");
          }
          if (what === "evict") world.wake(readers.flatMap(({ now }) => now ?? []));
        }
        if (!isStopped) for (const call of open) world.endTool(call);
        world.end(1);
        for (const reader of readers) {
          reader.now ??= world.watch(reader.seen.at(-1)?.id ?? "0.0");
          away(reader);
          expect(reader.seen.map(({ id }) => id)).toEqual(idsOf(world));
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
