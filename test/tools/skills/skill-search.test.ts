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

it("takes the order of the search, and adds what only the lines have", async () => {
  expect(await search("logs", answers(["feeding"]))).toEqual(["feeding", "reading-logs", "old"]);
});

it("puts stale skills last, and leaves out names that are not offered", async () => {
  expect(await search("walrus", answers(["old", "hidden", "reading-logs"]))).toEqual([
    "reading-logs",
    "feeding",
    "old",
  ]);
});

it("weighs both orders while bodies have not been read", async () => {
  expect((await search("logs", answers(["feeding", "reading-logs"], 3)))[0]).toBe("reading-logs");
});

it("ranks the lines where there is no search, or one that fails", async () => {
  expect(await search("logs")).toEqual(["reading-logs", "old"]);
  expect(await search("logs", async () => Promise.reject(new Error("gone")))).toEqual(["reading-logs", "old"]);
});

it("waits a second for a search and no longer", async () => {
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

/** Its sleeps end only when they are called off. */
function createSlowClock() {
  return {
    now: () => 0,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true })),
  };
}
