import { describe, expect, it } from "vitest";
import type { ReviewLineList } from "../../core/schemas/api.ts";
import { createReviewWatch } from "../../cli/review-watch.ts";

type Review = ReviewLineList["reviews"][number];
const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const LESSON = {
  kind: "memory" as const,
  store: "memory" as const,
  action: "add",
  id: "0".repeat(64),
  text: "t",
  citations: [],
};

const waiting: Review = { review: `${SESSION}.1-4`, state: "waiting" };
const learned: Review = { ...waiting, state: "done", summary: "Remembered 1 fact", lessons: [LESSON] };
const nothing: Review = { review: `${SESSION}.5-9`, state: "done", summary: "Nothing worth keeping", lessons: [] };
const dead: Review = { review: `${SESSION}.10-12`, state: "dead", summary: "The model did not answer." };

/** Each look takes the next answer; the last is repeated. Every wait ends when `tick` is called. */
function watchOver(answers: (Review[] | Error)[]) {
  const told: string[] = [];
  const waits: number[] = [];
  const ticks: (() => void)[] = [];
  let looks = 0;
  const watch = createReviewWatch({
    session: SESSION,
    client: {
      async listReviews(session) {
        expect(session).toBe(SESSION);
        const answer = answers[Math.min(looks++, answers.length - 1)]!;
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    onLearned: (review, summary) => told.push(`${review} ${summary}`),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        waits.push(ms);
        ticks.push(resolve);
        signal.addEventListener("abort", () => resolve());
      }),
  });
  return {
    watch,
    told,
    waits,
    looks: () => looks,
    async tick(times = 1) {
      for (; times > 0; times--) {
        ticks.shift()?.();
        // The look and the next wait follow in promise jobs.
        for (let i = 0; i < 10; i++) await Promise.resolve();
      }
    },
  };
}

describe("the watch over reviews", () => {
  it("tells once of a review that learned something", async () => {
    const { watch, told, tick } = watchOver([[waiting], [learned, waiting], [learned]]);
    watch.start();
    await tick();
    expect(told).toEqual([]);
    await tick(3);
    expect(told).toEqual([`${learned.review} Remembered 1 fact`]);
  });

  it("says nothing of a review that learned nothing, or died", async () => {
    const { watch, told, tick } = watchOver([[nothing, dead]]);
    watch.start();
    await tick(3);
    expect(told).toEqual([]);
  });

  it("does not tell what was learned before it began", async () => {
    const { watch, told, tick } = watchOver([[learned]]);
    await watch.skipPast();
    watch.start();
    await tick(2);
    expect(told).toEqual([]);
  });

  it("goes on when a look fails", async () => {
    const { watch, told, tick } = watchOver([new Error("gone"), [learned]]);
    watch.start();
    await tick(2);
    expect(told).toHaveLength(1);
  });

  it("asks less and less often and gives up after some minutes", async () => {
    const { watch, waits, looks, tick } = watchOver([[waiting]]);
    watch.start();
    await tick(200);
    expect(waits.slice(0, 4)).toEqual([1_000, 1_500, 2_250, 3_375]);
    expect(Math.max(...waits)).toBe(10_000);
    const totalMs = waits.reduce((sum, ms) => sum + ms, 0);
    expect(totalMs).toBeGreaterThan(4 * 60_000);
    expect(totalMs).toBeLessThan(6 * 60_000);
    expect(looks()).toBe(waits.length);
  });

  it("does not look after it was stopped", async () => {
    const { watch, looks, tick } = watchOver([[waiting]]);
    watch.start();
    watch.stop();
    await tick(3);
    expect(looks()).toBe(0);
  });
});
