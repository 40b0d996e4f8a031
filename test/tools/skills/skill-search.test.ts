import { expect, it } from "vitest";
import { type SkillSearch, searchLines, withinTime } from "../../../core/tools/skills/skill-search.ts";
import { createTestClock } from "../../support/clock.ts";
import { line } from "../../skills/skill-line.ts";

const LINES = [
  line({ name: "reading-logs", description: "Reads server logs." }),
  line({ name: "feeding", description: "Feeds a walrus." }),
  line({ name: "old", description: "Reads old logs.", state: "stale" }),
];
const search = async (query: string, by?: SkillSearch) => (await searchLines(LINES, query, by)).map(({ name }) => name);
const answers =
  (names: string[], unread = 0): SkillSearch =>
  async () => ({ names, unread });

it("the result has the order of the search, followed by skills that only the index lines match", async () => {
  expect(await search("logs", answers(["feeding"]))).toEqual(["feeding", "reading-logs", "old"]);
});

it("stale skills are last, and names that are not offered are left out", async () => {
  expect(await search("walrus", answers(["old", "hidden", "reading-logs"]))).toEqual([
    "reading-logs",
    "feeding",
    "old",
  ]);
});

it("both orders count while some bodies have not been read", async () => {
  expect((await search("logs", answers(["feeding", "reading-logs"], 3)))[0]).toBe("reading-logs");
});

it("the index lines are ranked if there is no search, or it fails", async () => {
  expect(await search("logs")).toEqual(["reading-logs", "old"]);
  expect(await search("logs", async () => Promise.reject(new Error("gone")))).toEqual(["reading-logs", "old"]);
});

it("a search is waited for one second", async () => {
  const clock = createTestClock();
  const began = clock.now();
  const never: SkillSearch = () => new Promise(() => {});
  expect(await search("logs", withinTime(never, clock))).toEqual(["reading-logs", "old"]);
  expect(clock.now() - began).toBe(1_000);
  await expect(withinTime(answers(["feeding"]), createSlowClock())("x")).resolves.toEqual({
    names: ["feeding"],
    unread: 0,
  });
});

/** Its sleeps end only when they are cancelled. */
function createSlowClock() {
  return {
    now: () => 0,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true })),
  };
}
