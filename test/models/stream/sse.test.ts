// What is read from a stream of events, wherever it is cut, and where reading ends.
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { ReplyRefused } from "../../../core/models/failures/refused-reply.ts";
import { StreamFault, readEvents } from "../../../core/models/stream/sse.ts";
import { toBody } from "../../support/wires/sse-body.ts";

const MB = 1 << 20;
const LIMITS = { maxOutputTokens: 16_000, clock: systemClock };
const encoder = new TextEncoder();

/** Batches in order, and how reading ended: null at the end of the stream. */
async function readThrough(
  body: BodyInit | null,
  options: { maxOutputTokens?: number; noteActivity?: () => void } = {},
) {
  const headers = { "content-type": "text/event-stream", "retry-after": "3" };
  const reader = readEvents(new Response(body, { headers }), {
    ...LIMITS,
    ...options,
  });
  const batches: unknown[][] = [];
  for (;;) {
    const next = await reader.next().catch((thrown: Error) => thrown);
    if (!Array.isArray(next)) return { batches, end: next && toPlain(next) };
    batches.push(next);
  }
}

function toPlain(thrown: Error) {
  if (thrown instanceof ReplyRefused) return { refused: thrown.reply.body };
  if (thrown instanceof StreamFault) return { code: thrown.code, said: thrown.message };
  throw thrown;
}

const eventsOf = async (body: BodyInit) => (await readThrough(body)).batches.flat();

describe("a stream of events", () => {
  it.each([
    ["LF", "\n"],
    ["CR LF", "\r\n"],
    ["CR", "\r"],
  ])("is the same wherever it is cut: lines that end with %s", async (_, newline) => {
    const lines = [
      ...["\ufeff: hello", "", "event: a", "data: 1", "", "", "id: 7", "data:[2,", "retry: 5", "data: 3]", ""],
      ...['data: "ü 🪽"', "", "event: ping", 'data: {"a":1}', "", "event: b", ""],
      ...["data", "", "data: ", "", "data: null", "", "data: [DONE]", "", "data: 9", "", ""],
    ];
    const bytes = encoder.encode(lines.join(newline));
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      expect(await eventsOf(toBody(pieces))).toEqual([1, [2, 3], "ü 🪽", null]);
    }
  });

  it("comes in batches: all events that one network chunk completes", async () => {
    const pieces = ["data: 1\n\ndata: 2\n\nda", "ta: 3", "\n", "\n: ping\n\n", "data: 4\n\n"];
    expect(await readThrough(toBody(pieces))).toEqual({ batches: [[1, 2], [3], [4]], end: null });
  });

  it("has bytes that are not UTF-8 replaced", async () => {
    expect(await eventsOf(encoder.encode('data: "a??b"\n\n').map((byte) => (byte === 63 ? 0xff : byte)))).toEqual([
      "a\ufffd\ufffdb",
    ]);
  });

  it.each(["\n", ""])(
    "may leave out the empty line behind its last event, and the end of that line: %j",
    async (end) => {
      expect(await readThrough(`data: 1\n\ndata: {"a":2}${end}`)).toEqual({ batches: [[1], [{ a: 2 }]], end: null });
    },
  );

  it.each([
    ["half an event", toBody(["data: 1\n\ndata: {"]), { code: "stream_cut", said: "not JSON" }],
    ["a broken connection", toBody(["data: 1\n\n"], "reset"), { code: "stream_cut", said: "the connection broke" }],
    ["data that is not JSON", "data: 1\n\ndata: {oops}\n\n", { code: "stream_malformed", said: "not JSON" }],
    ["an event named error", 'data: 1\n\nevent: error\ndata: {"a":1}\n\n', { refused: { a: 1 } }],
    ["an error as plain text", "data: 1\n\nevent: error\ndata: Busy\n\n", { refused: "Busy" }],
    ["a field named error", 'data: 1\n\ndata: {"error":"Busy"}\n\n', { refused: { error: "Busy" } }],
    ["an error by its type", 'data: 1\n\ndata: {"type":"error"}\n\n', { refused: { type: "error" } }],
  ])("gives what came before, then fails with %s", async (_, body, end) => {
    expect(await readThrough(body)).toEqual({ batches: [[1]], end });
  });

  it.each([
    ["an empty body", null],
    ["an empty string", ""],
    ["comments", ": a\n\n: b"],
    ["a field that is not an error", 'data: {"error":null}\n\n'],
  ])("ends normally with %s", async (_, body) => {
    expect((await readThrough(body)).end).toBeNull();
  });

  it.each([
    [
      "an HTML page",
      "\ufeff\n <html><title>Log in</title><script>alert(1)</script><b>Please</b> log in</html>",
      { code: "stream_malformed", said: "Log in" },
    ],
    ["a page without a title", "<html><b>Log</b> in</html>", { code: "stream_malformed", said: "" }],
    [
      "an answer that was not requested",
      '{"id":"x","error":null}',
      { code: "stream_malformed", said: '{"id":"x","error":null}' },
    ],
    ["an error", ' {"error":{"message":"Busy"}}', { refused: { error: { message: "Busy" } } }],
    ["a list of errors", '[{"error":{"message":"Busy"}}]', { refused: [{ error: { message: "Busy" } }] }],
    ["errors", '{"success":false,"errors":[{"code":7}]}', { refused: { success: false, errors: [{ code: 7 }] } }],
  ])("is not assumed for %s", async (_, text, end) => {
    const bytes = encoder.encode(text);
    const pieces = Array.from(bytes, (_, n) => bytes.subarray(n, n + 1));
    for (const body of [text, toBody(pieces)]) expect(await readThrough(body)).toEqual({ batches: [], end });
  });

  it("keeps the headers of an error that came with a good status", async () => {
    const headers = { "retry-after": "3" };
    const thrown = await readEvents(new Response('{"error":1}', { headers }), LIMITS)
      .next()
      .catch((it: unknown) => it);
    expect((thrown as ReplyRefused).reply.headers?.get("retry-after")).toBe("3");
  });
});

const TOO_LONG_EVENT = { code: "stream_malformed", said: "an event of more than 4194304 characters" };
const TOO_MANY_EVENTS = { code: "answer_too_large", said: "a stream of more than 42000 events" };

describe("the limits of a stream", () => {
  it.each(["\n\n", "\r\n\r\n", "\r\r", "\r\n\n"])(
    "apply to a single event, which ends at an empty line: %j",
    async (end) => {
      const event = `data: "${"x".repeat(MB)}"${end}`;
      const { batches, end: how } = await readThrough(toBody([event, event, event, event, event]));
      expect([batches.length, how]).toEqual([5, null]);
    },
  );

  it.each([
    ["in one line", "x".repeat(64_000), TOO_LONG_EVENT],
    ["in many lines", "data: x\n".repeat(8_000), TOO_LONG_EVENT],
    ["in comments", ": x\n".repeat(16_000), TOO_MANY_EVENTS],
  ])("stop an event that has no end, %s", async (_, piece, end) => {
    let sent = 0;
    function* pieces() {
      yield "data: ";
      for (; sent < 50 * MB; sent += piece.length) yield piece;
    }
    expect(await readThrough(toBody(pieces()))).toEqual({ batches: [], end });
    expect(sent).toBeLessThan(7 * MB);
  });

  it("do not apply to comments after the end", async () => {
    const text = `data: 1\n\ndata: [DONE]\n\n${": x\n".repeat(43_000)}`;
    const { batches, end } = await readThrough(text);
    expect([batches.flat(), end]).toEqual([[1], null]);
  });

  it("allow somewhat more bytes and events than the answer may have tokens", async () => {
    const options = { maxOutputTokens: 1_000 };
    const fits = await readThrough("data: 1\n\n".repeat(11_900), options);
    expect([fits.batches.flat().length, fits.end]).toEqual([11_900, null]);
    expect(await readThrough("data: 1\n\n".repeat(12_100), options)).toEqual({
      batches: [],
      end: { code: "answer_too_large", said: "a stream of more than 12000 events" },
    });
    const event = `data: "${"x".repeat(MB)}"\n\n`;
    expect((await readThrough(toBody([event, event, event, event]), options)).end).toEqual({
      code: "answer_too_large",
      said: "a stream of more than 3121152 bytes",
    });
  });

  it("count any event as activity, but only so many keep-alives in a row", async () => {
    const count = async (pieces: string[]) => {
      let times = 0;
      await readThrough(toBody(pieces), { noteActivity: () => times++ });
      return times;
    };
    const signs = (times: number) =>
      Array.from({ length: times }, (_, n) =>
        n % 2 ? ": OPENROUTER PROCESSING\n\n" : 'event: ping\r\ndata: {"type": "ping"}\r\n\r\n',
      );
    expect(await count(signs(1_000))).toBe(200);
    expect(await count([...signs(1_000), "data: {}\n\n", ...signs(150)])).toBe(351);
    expect(await count(Array.from({ length: 1_000 }, () => 'data: {"delta":"x"}\n\n'))).toBe(1_000);
    expect(await count(['data: "', ...Array.from({ length: 1_000 }, () => "x")])).toBe(1_001);
  });
});

it("closing a reader closes the connection, even while a read is waiting", async () => {
  const closed = Promise.withResolvers<void>();
  const silent = new ReadableStream<Uint8Array>({ cancel: () => closed.resolve() });
  const reader = readEvents(new Response(silent), LIMITS);
  const waiting = reader.next();
  reader.close();
  reader.close();
  await closed.promise;
  expect(await waiting).toBeNull();
});

it("a broken connection is reported with its cause", async () => {
  const reader = readEvents(new Response(toBody([], "reset")), LIMITS);
  await expect(reader.next()).rejects.toMatchObject({ code: "stream_cut", cause: { message: "terminated" } });
});
