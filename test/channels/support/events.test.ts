import { expect, test } from "vitest";
import { isFresh, readJson, readTime, toMessage, toPress, toTime } from "../../../channels/support/events.ts";

const clock = { now: () => 1_000_000, sleep: () => Promise.resolve() };
const draft = { id: "1", chat: { id: "c", kind: "direct" as const }, from: { id: "u" }, at: 5, text: "hi" };

test("a message gets the defaults of a direct chat, and its names are cut to what is stored", () => {
  expect(toMessage(draft)).toEqual([
    {
      kind: "message",
      id: "1",
      chat: { id: "c", kind: "direct" },
      from: { id: "u", name: "u", isBot: false },
      at: 5,
      text: "hi",
      addressed: true,
      files: [],
    },
  ]);
  const [long] = toMessage({ ...draft, chat: { id: "c", kind: "group" }, from: { id: "u", name: "n".repeat(999) } });
  expect(long).toMatchObject({ addressed: false, from: { name: `${"n".repeat(199)}…` } });
});

test("nonsense makes no event", () => {
  expect(toMessage({ ...draft, text: " \n" })).toEqual([]);
  expect(toMessage({ ...draft, id: "" })).toEqual([]);
  expect(toMessage({ ...draft, id: "i".repeat(501) })).toEqual([]);
  expect(toMessage({ ...draft, at: 0.5 })).toEqual([]);
  expect(toPress({ ...draft, token: "" })).toEqual([]);
});

test("a message of files alone is a message", () => {
  expect(toMessage({ ...draft, text: "", files: [{ kind: "image", ref: "r" }] })).toHaveLength(1);
});

test("a time is fresh within its window, both ways, and only if it is a time", () => {
  expect([700_000, 1_300_000, 699_999, 1_300_001, NaN].map((at) => isFresh(clock, at, 300_000))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(["12", "", "-1", "1e3", " 1", undefined, "9".repeat(17)].map(readTime)).toEqual([
    12,
    NaN,
    NaN,
    NaN,
    NaN,
    NaN,
    NaN,
  ]);
  expect([1.5, 0, NaN, Infinity, 1e300].map((at) => toTime(at, clock))).toEqual([1, ...Array(4).fill(1_000_000)]);
});

test("deep and broken JSON does not throw", () => {
  expect(readJson("{")).toBeUndefined();
  expect(() => readJson("[".repeat(500_000))).not.toThrow();
});
