// What is read ahead, when it is passed on, and what is never delayed.
import { expect, it } from "vitest";
import { readAhead } from "../../../core/models/stream/read-ahead.ts";
import { createEventClock } from "../../support/session/event-clock.ts";

const utf8 = new TextEncoder();

/** Serves pieces `gapMs` apart. Returns what a reader receives, with the time of each. */
async function readPaced(pieces: string[], options: { gapMs: number; gather: boolean; breaks?: boolean }) {
  const clock = createEventClock(0);
  const rest = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = rest.shift();
      if (piece === undefined) return options.breaks ? controller.error(new Error("reset")) : controller.close();
      await clock.sleep(options.gapMs);
      controller.enqueue(utf8.encode(piece));
    },
  });
  const reader = readAhead(body.getReader(), clock);
  const given: [number, string][] = [];
  for (;;) {
    const taken = await reader.next(options.gather && given.length > 0).catch((thrown: Error) => thrown.message);
    if (!Array.isArray(taken)) return { given, end: taken };
    given.push([clock.now(), taken.map((piece) => new TextDecoder().decode(piece)).join("")]);
  }
}

const LETTERS = [..."abcdefghij"];

it("the first piece is passed on at once, and what follows quickly is gathered", async () => {
  const { given, end } = await readPaced(LETTERS, { gapMs: 10, gather: true });
  expect(given[0]).toEqual([10, "a"]);
  expect(given.map(([, text]) => text).join("")).toBe("abcdefghij");
  expect(given.length).toBeLessThanOrEqual(5);
  for (const [n, [at]] of given.slice(1, -1).entries()) expect(at - given[n]![0]).toBeGreaterThanOrEqual(32);
  expect(end).toBeNull();
});

it("neither a slow piece nor the end is delayed", async () => {
  const slow = await readPaced(LETTERS, { gapMs: 50, gather: true });
  expect(slow.given).toEqual(LETTERS.map((letter, n) => [(n + 1) * 50, letter]));
  const quick = await readPaced(["a", "b"], { gapMs: 1, gather: true });
  expect(quick.given.at(-1)![0]).toBeLessThan(10);
});

it("every piece is passed on at once to a reader that does not gather", async () => {
  const { given } = await readPaced(LETTERS, { gapMs: 1, gather: false });
  expect(given.map(([at]) => at)).toEqual(LETTERS.map((_, n) => n + 1));
});

it("what came before the connection broke is passed on, then the cause is reported", async () => {
  expect(await readPaced(["a", "b"], { gapMs: 1, gather: true, breaks: true })).toEqual({
    given: [
      [1, "a"],
      [2, "b"],
    ],
    end: "reset",
  });
});

it("reading ahead of a reader that takes nothing stops at a limit", async () => {
  let sent = 0;
  const flood = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array((sent += 65_536) && 65_536)),
  });
  const reader = readAhead(flood.getReader(), createEventClock());
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(sent).toBeLessThan(2 << 20);
  expect((await reader.next(false))!.length).toBe(16);
  reader.close();
});
