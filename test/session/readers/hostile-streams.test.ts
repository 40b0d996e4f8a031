// Whatever a provider streams, its turn ends or continues with a clear entry, and the next turn works.
import { describe, expect, it } from "vitest";
import { AgentEvent, textOf } from "../../../core/schemas/entry.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { collect } from "../../support/session/collect-events.ts";
import { HOSTILE_WIRES, type HostileWire } from "../../support/wires/hostile-wires.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";
import { toBody, toSse } from "../../support/wires/sse-body.ts";
import type { Frame } from "../../support/wires/wire-script.ts";
import { must } from "../../support/session/scripted-session.ts";

const MB = 1 << 20;
type Piece = string | Uint8Array;

function* endless(first: string, piece: string): Iterable<Piece> {
  yield first;
  for (;;) yield piece.repeat(Math.ceil(64_000 / piece.length));
}

/** A session whose provider answers each call with the next of `replies`, then always with "All is well.". */
async function setUp(wire: HostileWire, replies: (() => Iterable<Piece>)[]) {
  const bodies: unknown[] = [];
  const well = () => [...wire.begin(), ...wire.text("All is well."), ...wire.end()].map(toSse);
  const model = wire.create({
    apiKey: "sk-a-key-of-ours",
    model: "some-model",
    clock: systemClock,
    fetch: async (_, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      return new Response(toBody((replies[bodies.length - 1] ?? well)()));
    },
  });
  const harness = createSessionHarness({ model, settings: { turn: { modelRetries: 0, pausesMs: [] } } });
  const life = harness.boot();
  await life.engine.create({ learning: "off", title: "" });
  const turn = async (text: string, n: number) => {
    must(await life.engine.post({ text }));
    const events = await collect(must(life.engine.events({ turn: n })));
    await life.settled();
    return events.map(({ event }) => AgentEvent.parse(event));
  };
  return { bodies, life, turn, entries: () => must(life.engine.entries(0)) };
}

describe.each(HOSTILE_WIRES)("a session whose provider speaks $name", (wire) => {
  const { begin, text, call, end, unknown, stray } = wire;
  const whole = (...frames: Frame[][]) => [...begin(), ...frames.flat(), ...end()].map(toSse);

  it.each<[string, string, () => Iterable<Piece>]>([
    ["that is not JSON", "stream_malformed", () => [...begin().map(toSse), "event: message_delta\ndata: {oops}\n\n"]],
    ["that is a page", "stream_malformed", () => ["<!DOCTYPE html><p>Log in</p>"]],
    ["of one line of 50 MB", "stream_malformed", () => endless("data: ", "x")],
    ["that holds only keep-alive comments", "answer_too_large", () => endless("", ": ping\n\n")],
    ["cut in the middle", "stream_cut", () => [...begin(), ...text("Half of")].map(toSse)],
    [
      "of 10,000 calls",
      "answer_too_large",
      () => whole(...Array.from({ length: 10_000 }, (_, n) => call(`c${n}`, "terminal", "{}", n))),
    ],
    [
      "with arguments of 5 MB",
      "answer_too_large",
      () => whole(call("c", "terminal", `{"a":"${"x".repeat(3.9 * MB)}"}`)),
    ],
  ])("ends the turn after a stream %s with %s, and the next turn works", async (_, code, pieces) => {
    const { turn, entries } = await setUp(wire, [pieces]);
    const failed = await turn("Hello", 1);
    expect(failed.at(-1)).toMatchObject({ type: "turn_end", state: "failed" });
    const notice = entries().find((entry) => entry.kind === "notice");
    expect(notice).toMatchObject({ turn: 1, code });
    expect(textOf(notice!).length).toBeGreaterThan(20);
    expect((await turn("And now?", 2)).at(-1)).toMatchObject({ type: "turn_end", state: "done" });
    expect(textOf(entries().at(-1)!)).toBe("All is well.");
  });

  it.each<[string, () => Iterable<Piece>]>([
    ["a tool that does not exist", () => whole(call("c", "rm -rf /", "{}"))],
    ["arguments that are a list", () => whole(call("c", "read_file", "[1]"))],
    ["arguments that are not JSON", () => whole(call("c", "read_file", "{broken"))],
    [
      "arguments of endless depth",
      () => whole(call("c", "read_file", `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`)),
    ],
    ["one id twice", () => whole(call("c", "read_file", '{"path":"a"}', 1), call("c", "read_file", '{"path":"b"}', 2))],
    ["no ids", () => whole(call(null, "read_file", '{"path":"a"}', 1), call("", "read_file", '{"path":"b"}', 2))],
    [
      "half characters and null bytes",
      () => whole(text("a\ud83e\u0000b"), call("\ud800", "read_\ud800", '{"path":"\\ud800\\u0000"}')),
    ],
    ["keys that reach for a prototype", () => whole(call("c", "read_file", '{"__proto__":{"path":"a"}}'))],
    ["numbers too large for an array", () => whole(text("hi", 1e9), call("c", "read_file", '{"path":"a"}', 1e9 + 1))],
    ["events of an unknown type", () => whole(stray(), unknown(), text("hi"), call("c", "read_file", '{"path":"a"}'))],
  ])("continues after %s, with a result for each call", async (_, pieces) => {
    const { turn, entries, bodies } = await setUp(wire, [pieces]);
    expect((await turn("Hello", 1)).at(-1)).toMatchObject({ type: "turn_end", state: "done" });
    const kinds = entries().map((entry) => entry.kind);
    expect(kinds.filter((kind) => kind === "notice")).toEqual([]);
    const results = entries().filter((entry) => entry.kind === "tool");
    expect(results.length).toBeGreaterThan(0);
    expect(results.filter((entry) => entry.state !== "done" || textOf(entry) === "")).toEqual([]);
    expect((await turn("And now?", 2)).at(-1)).toMatchObject({ type: "turn_end", state: "done" });
    expect(bodies.map((body) => wire.findProblem(body))).toEqual([null, null, null]);
  });

  it("replaces bytes that are not UTF-8", async () => {
    const bytes = whole(text("a?b")).map((piece) =>
      new TextEncoder().encode(piece).map((it) => (it === 63 ? 0xff : it)),
    );
    const { turn, entries } = await setUp(wire, [() => bytes]);
    expect((await turn("Hello", 1)).at(-1)).toMatchObject({ type: "turn_end", state: "done" });
    expect(textOf(entries().at(-1)!)).toBe("a\ufffdb");
  });
});
