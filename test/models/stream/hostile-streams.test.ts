// Streams that no honest server sends. Each one has one terminal event, a completed answer can be stored, and the next request
// is one that a provider accepts.
import { describe, expect, it } from "vitest";
import { toTimeLimits } from "../../support/session/time-limits.ts";
import type { ModelEvent } from "../../../core/agent/contract.ts";
import { askModel } from "../../../core/agent/model-turn.ts";
import { DEFAULTS, FIXED } from "../../../core/limits.ts";
import { Answer } from "../../../core/schemas/entry.ts";
import { byteLength } from "../../../core/schemas/learning/digest.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { LOOK_UP, readAll, toRequest } from "../../conformance/model.ts";
import { createTestClock } from "../../support/clock.ts";
import { HOSTILE_WIRES, type HostileWire } from "../../support/wires/hostile-wires.ts";
import { toBody, toSse } from "../../support/wires/sse-body.ts";
import type { Frame } from "../../support/wires/wire-script.ts";

type Piece = Frame | string | Uint8Array;

const MB = 1 << 20;

/** Serves `pieces` once, and records every request's body. `pulled` counts the bytes taken from the server. */
function serve(wire: HostileWire, pieces: Iterable<Piece>) {
  const served = { pulled: 0, bodies: [] as any[] };
  const encoder = new TextEncoder();
  function* counted(): Iterable<Uint8Array> {
    for (const piece of pieces) {
      const bytes =
        piece instanceof Uint8Array ? piece : encoder.encode(typeof piece === "string" ? piece : toSse(piece));
      served.pulled += bytes.byteLength;
      yield bytes;
    }
  }
  const model = wire.create({
    apiKey: "sk-a-key-of-ours",
    model: "some-model",
    clock: systemClock,
    fetch: async (_, init) => {
      served.bodies.push(JSON.parse(String(init?.body)));
      return new Response(served.bodies.length === 1 ? toBody(counted()) : "gone");
    },
  });
  return { model, served };
}

async function read(wire: HostileWire, pieces: Iterable<Piece>) {
  const { model, served } = serve(wire, pieces);
  const request = toRequest({ tools: [LOOK_UP], maxOutputTokens: DEFAULTS.turn.maxOutputTokens });
  const events = await readAll(model, request);
  assertContract(events);
  const last = events.at(-1)!;
  if (last.type !== "done") return { events, last, served };

  // The conversation continues from the answer.
  const { text, calls, native } = last.answer;
  await readAll(model, {
    ...request,
    messages: [
      ...request.messages,
      { role: "assistant", text, calls, native },
      ...calls.map(({ id, name }) => ({ role: "tool" as const, call: id, name, text: "{}", failed: true })),
      { role: "user", text: "Go on." },
    ],
  });
  expect(wire.findProblem(served.bodies[1])).toBeNull();
  expect(namesIn(served.bodies[1]).filter((name) => !/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name))).toEqual([]);
  return { events, last, served };
}

function assertContract(events: ModelEvent[]): void {
  const terminal = events.filter((event) => event.type === "done" || event.type === "failed");
  expect(terminal).toEqual([events.at(-1)]);
  const last = terminal[0]!;
  const streamed = events.map((event) => (event.type === "text_delta" ? event.text : ""));
  expect(streamed.every((text) => text.isWellFormed())).toBe(true);
  if (last.type !== "done") return;
  const { answer } = last;
  expect(answer.text).toBe(streamed.join(""));
  // A stored answer is read back unchanged, and fits into a row together with the result of a call.
  const json = JSON.stringify(answer);
  expect(Answer.parse(JSON.parse(json))).toEqual(answer);
  expect(json).not.toMatch(/(?<!\\)\\ud[89a-f]/); // JSON escapes half of a surrogate pair like this
  expect(byteLength(json)).toBeLessThan(FIXED.rowBytes / 1.5);
  expect(new Set(answer.calls.map((call) => call.id)).size).toBe(answer.calls.length);
}

function namesIn(body: any): string[] {
  const messages: any[] = body.messages ?? body.input;
  return messages.flatMap((message) => [
    ...(message.type === "function_call" ? [message.name] : []),
    ...(message.tool_calls ?? []).map((call: any) => call.function.name),
    ...(Array.isArray(message.content) ? message.content : []).flatMap((block: any) =>
      block.type === "tool_use" ? [block.name] : [],
    ),
  ]);
}

const raw = (frame: Frame, from: string, to: string) => toSse(frame).replaceAll(from, to);

function* endless(piece: string, bytes: number, first: Piece[] = []): Iterable<Piece> {
  yield* first;
  const chunk = piece.repeat(Math.ceil(64_000 / piece.length));
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
}

const deep = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;

describe.each(HOSTILE_WIRES)("a hostile stream of $name", (wire) => {
  const { begin, text, deltas, call, end, stray, unknown } = wire;
  const all = (...pieces: Piece[][]) => [...begin(), ...pieces.flat(), ...end()];

  describe("ends with a failure", () => {
    it.each<[string, string, () => Iterable<Piece>]>([
      ["a line that is not JSON", "stream_malformed", () => [...begin(), { event: "message_delta", data: "{oops}" }]],
      ["an HTML page", "stream_malformed", () => ["\n  <!DOCTYPE html><p>Log in</p>"]],
      ["JSON without an error", "stream_malformed", () => ['{"id":"x"}']],
      ["a list of an error", "overloaded", () => ['[{"error":{"code":503,"message":"Overloaded"}}]']],
      ["nothing", "stream_cut", () => []],
      ["half an event", "stream_cut", () => [...begin(), 'data: {"type":"mess']],
      // Chat servers send much that is not a chunk, so only the missing end is a failure there.
      [
        "events that are not objects",
        wire.name === "openai-chat" ? "stream_cut" : "stream_malformed",
        () => [{ event: "message_delta", data: null }],
      ],
      ["one line of 50 MB", "stream_malformed", () => endless("x", 50 * MB, ["data: "])],
      ["one event of 50 MB in many lines", "stream_malformed", () => endless("data: x\n", 50 * MB)],
      ["50 MB of keep-alive comments", "answer_too_large", () => endless(": ping\n\n", 50 * MB, begin())],
      ["50 MB of unknown events", "answer_too_large", () => endless(toSse(unknown()[1]!), 50 * MB)],
      [
        "text without end",
        "answer_too_large",
        () => endless(toSse(deltas(["on and on ".repeat(10)]).at(-1)!), 50 * MB, [...begin(), ...deltas([""])]),
      ],
      [
        "10,000 calls",
        "answer_too_large",
        () => all(...Array.from({ length: 10_000 }, (_, n) => call(`c${n}`, "look_up", "{}", n))),
      ],
      [
        "one id 10,000 times",
        "answer_too_large",
        () => all(...Array.from({ length: 10_000 }, (_, n) => call("c", "look_up", "{}", n))),
      ],
      ["arguments of 5 MB", "answer_too_large", () => all(call("c", "look_up", `{"a":"${"x".repeat(3.9 * MB)}"}`))],
      [
        "many arguments that are too large together",
        "answer_too_large",
        () =>
          all(...Array.from({ length: 30 }, (_, n) => call(`c${n}`, "look_up", `{"a":"${"x".repeat(30_000)}"}`, n))),
      ],
    ])("%s: %s", async (_, code, pieces) => {
      const { last, served } = await read(wire, pieces());
      expect(last).toMatchObject({ type: "failed", failure: { code } });
      expect(served.pulled).toBeLessThan(10 * MB);
    });
  });

  it("with only keep-alive comments is abandoned after the time without progress", async () => {
    const clock = createTestClock();
    function* signs(): Iterable<Piece> {
      yield* begin();
      for (;;) {
        clock.advance(1_000);
        yield ": ping\n\n";
      }
    }
    const { model, served } = serve(wire, signs());
    const { result } = await askModel({
      models: [model],
      at: 0,
      request: toRequest(),
      limits: { modelRetries: 0, inlineWaitMs: 0, noProgressMs: 900_000, ...toTimeLimits(60_000) },
      clock,
      random: () => 0,
      signal: new AbortController().signal,
      sink: { text() {}, reasoning() {}, restart() {} },
    });
    expect(result).toMatchObject({ ok: false, failure: { code: "stream_stalled", retry: true } });
    expect(served.pulled).toBeLessThan(10_000);
  });

  describe("is an answer", () => {
    const answer = async (pieces: Iterable<Piece>) => {
      const { last } = await read(wire, pieces);
      if (last.type !== "done") throw new Error(JSON.stringify(last));
      return last.answer;
    };
    const callsOf = async (...calls: Piece[][]) => (await answer(all(...calls))).calls;

    it("with bytes that are not UTF-8 replaced", async () => {
      const bytes = all(text("a??b")).map((piece) => {
        const encoded = new TextEncoder().encode(toSse(piece as Frame));
        return encoded.map((byte) => (byte === 63 ? 0xff : byte));
      });
      expect((await answer(bytes)).text).toBe("a\ufffd\ufffdb");
    });

    it("with any tool name", async () => {
      const names = [
        "no_such_tool",
        "rm -rf /",
        "",
        "9lives",
        "näme\u0000",
        "\ud800",
        "x".repeat(500_000),
        "__proto__",
        null,
        7,
      ];
      const calls = await callsOf(...names.map((name, n) => call(`c${n}`, name, "{}", n)));
      expect(calls.map(({ name }) => name)).toEqual([
        ...[
          "no_such_tool",
          "rm_-rf__",
          "unnamed",
          "_9lives",
          "n_me_",
          "_",
          "x".repeat(64),
          "__proto__",
          "unnamed",
          "unnamed",
        ],
      ]);
    });

    it.each(["[1]", '"text"', "null", "7", "{broken", deep(10_000), `"${"\ud83d"}"`])(
      "with arguments that are not an object kept as malformed",
      async (args) => {
        expect(await callsOf(call("c", "look_up", args))).toEqual([
          { id: "c", name: "look_up", args: {}, malformed: args.toWellFormed() },
        ]);
      },
    );

    it("with arguments sent as JSON values, as far as they can be read", async () => {
      const [whole, list] = await callsOf(call("a", "look_up", { query: "x" }, 0), call("b", "look_up", [1], 1));
      // Anthropic has a separate place for whole arguments, and ignores them here.
      const isText = wire.name === "anthropic";
      expect([whole, list]).toEqual([
        { id: "a", name: "look_up", args: isText ? {} : { query: "x" } },
        { id: "b", name: "look_up", args: {}, ...(isText ? {} : { malformed: "[1]" }) },
      ]);
    });

    it("with ids that are missing, repeated, endless or of another type", async () => {
      const ids = ["", null, 7, "same", "same", "same_2", "\ud800", "x".repeat(400_000)];
      const calls = await callsOf(...ids.map((id, n) => call(id, "look_up", "{}", n)));
      expect(calls.map(({ id }) => id)).toEqual([
        ...["call_1_0", "call_1_1", "call_1_2", "same", "same_2", "same_2_2", "\ufffd", "x".repeat(200)],
      ]);
    });

    it("with half characters replaced, and two halves joined that came in two pieces", async () => {
      const result = await answer(all(deltas(["a\ud83e", "\udebdb", "c\ud83e", "d\udebd", "e\ud83e"])));
      expect(result.text).toBe("a🪽bc\ufffdd\ufffde\ufffd");
      const [first] = await callsOf(call("c", "look_up", '{"\\ud800":["\\udc00 x"]}'));
      expect(first?.args).toEqual({ "\ufffd": ["\ufffd x"] });
    });

    it("with null bytes unchanged", async () => {
      const result = await answer(all(text("a\u0000b"), call("c", "look_up", '{"a":"\\u0000"}')));
      expect([result.text, result.calls[0]?.args]).toEqual(["a\u0000b", { a: "\u0000" }]);
    });

    it("without keys that reach for a prototype", async () => {
      const args = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":{"__proto__":1}}';
      const [first] = await callsOf(call("c", "look_up", args));
      expect(Object.keys(first!.args)).toEqual(["constructor", "a"]);
      expect(first!.args.a).toEqual({});
      const polluted = [...begin(), ...text("hi"), ...end()].map((frame) =>
        raw(frame, '"data":', '"__proto__":{"polluted":true},"data":').replace(
          "data: {",
          'data: {"__proto__":{"polluted":true},',
        ),
      );
      expect((await answer(polluted)).text).toBe("hi");
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    });

    it.each([
      ["negative", -5, 0],
      ["fractions", 7.4, 7],
      ["too large for a number", "1e999", 1_000_000_000],
      ["huge", 1e300, 1_000_000_000],
      ["text", '"many"', 0],
      ["lists", "[1]", 0],
    ])("with token counts that are %s", async (_, count, expected) => {
      const names = ["input_tokens", "output_tokens", "prompt_tokens", "completion_tokens"];
      const usage = Object.fromEntries(names.map((name) => [name, "@"]));
      const pieces = [...begin(), ...text("hi"), ...end({ usage })].map((frame) => raw(frame, '"@"', String(count)));
      const counted = (await answer(pieces)).usage;
      // A chat server without readable counts is estimated, so that every budget has an end.
      const isReadable = typeof count === "number" && count > 0;
      if (isReadable || wire.name !== "openai-chat") expect(counted.output).toBe(expected);
      else expect(counted.output).toBeLessThan(1_000);
    });

    it.each([1e9, -1, 0.5, "x", null, 2 ** 53])("with a part numbered %j", async (index) => {
      const result = await answer(all(text("hi", index), call("c", "look_up", "{}", index === 1e9 ? 1e9 + 1 : 3)));
      expect([result.text, result.calls.map(({ id }) => id)]).toEqual(["hi", ["c"]]);
    });

    it("without stray parts and unknown events", async () => {
      const result = await answer(all(stray(), text("hi"), unknown(), stray()));
      expect(result).toMatchObject({ text: "hi", calls: [], stop: "end" });
    });

    it("up to its first end, whatever comes after it", async () => {
      const twice = [...begin(), ...text("hi"), ...end(), ...text(" and more", 5), ...end({ stop: "length" })];
      expect(await answer(twice)).toMatchObject({ text: "hi", stop: "end" });
    });

    it.each(wire.name === "openai-chat" ? ["because"] : ["because", 7, { a: 1 }])(
      "with the stop reason %j",
      async (stop) => {
        const result = await answer([...begin(), ...text("hi"), ...call("c", "look_up", "{}"), ...end({ stop })]);
        expect(result.text).toBe("hi");
        expect(["tools", "length"]).toContain(result.stop);
      },
    );

    it("without text deltas of another type", async () => {
      const result = await answer(all(deltas(["a", 5, null, { b: 1 }, ["c"], "d"])));
      expect(result.text).toBe("ad");
    });
  });
});
