// The parser of server-sent events, and of the agent events in them.
import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { ProtocolError, type ServerEvent, parseEventStream, readAgentEvents } from "../../cli/events.ts";

function toStream(pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const parse = (text: string) => collect(parseEventStream(toStream([toBytes(text)])));

describe("an event stream", () => {
  it("gives id, type and data of each event", async () => {
    expect(await parse("id: 1.0\nevent: turn_start\ndata: {}\n\nid: 2.5\ndata: a\ndata: b\n\n")).toEqual([
      { id: "1.0", event: "turn_start", data: "{}" },
      { id: "2.5", event: "message", data: "a\nb" },
    ]);
  });

  it("keeps the last id for later events without one", async () => {
    expect(await parse("id: 7.1\ndata: a\n\ndata: b\n\n")).toEqual([
      { id: "7.1", event: "message", data: "a" },
      { id: "7.1", event: "message", data: "b" },
    ]);
  });

  it("skips comments, unknown fields, a byte order mark and events without data", async () => {
    expect(await parse("\uFEFF: hello\nretry: 10\nevent: nothing\n\ndata:x\n\n")).toEqual([
      { id: "", event: "message", data: "x" },
    ]);
  });

  it("accepts all three line endings", async () => {
    const expected: ServerEvent[] = [{ id: "1.0", event: "e", data: "x" }];
    for (const end of ["\n", "\r\n"]) {
      expect(await parse(`id: 1.0${end}event: e${end}data: x${end}${end}`)).toEqual(expected);
    }
    expect(await parse("id: 1.0\revent: e\rdata: x\r\r:\r")).toEqual(expected);
  });

  it("drops the event that a broken connection cut off", async () => {
    expect(await parse("data: whole\n\ndata: hal")).toEqual([{ id: "", event: "message", data: "whole" }]);
    expect(await parse("data: whole\n\ndata: half\n")).toEqual([{ id: "", event: "message", data: "whole" }]);
  });

  it("yields the same events wherever the bytes are cut, even inside a character", async () => {
    const bytes = toBytes("id: 1.2\r\nevent: text_delta\r\ndata: grüße 🪽 ok\r\n\r\ndata: zwei\r\n\r\n");
    const whole = await collect(parseEventStream(toStream([bytes])));
    expect(whole.map((event) => event.data)).toEqual(["grüße 🪽 ok", "zwei"]);
    const cuts = fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const marks = [0, ...places.toSorted((a, b) => a - b), bytes.length];
        const pieces = marks.slice(1).map((mark, i) => bytes.slice(marks[i], mark));
        expect(await collect(parseEventStream(toStream(pieces)))).toEqual(whole);
      }),
    );
  });
});

describe("agent events", () => {
  it("are parsed, and unknown types are skipped", async () => {
    const body =
      'id: 3.0\nevent: entry_restart\ndata: {"type":"entry_restart","entry":3}\n\nevent: later\ndata: {}\n\n';
    expect(await collect(readAgentEvents(toStream([toBytes(body)])))).toEqual([
      { id: "3.0", event: { type: "entry_restart", entry: 3 } },
    ]);
  });

  it("of a known type with wrong fields are a protocol error", async () => {
    for (const data of ['{"type":"entry_restart"}', "{"]) {
      const events = readAgentEvents(toStream([toBytes(`event: entry_restart\ndata: ${data}\n\n`)]));
      await expect(collect(events)).rejects.toThrow(ProtocolError);
    }
  });
});
