// What the chaos runs over boards and jobs count: nothing for sound ones, and each possible fault.
import { describe, expect, it } from "vitest";
import type { JobRunInfo } from "../../core/schemas/agenda/job-api.ts";
import type { CardEvent, CardRun } from "../../core/schemas/board/card.ts";
import { type FoundBoard, countBoard } from "../../scripts/chaos/board-measure.ts";
import { type FoundJob, countJobs } from "../../scripts/chaos/job-measure.ts";
import { SAYS_DONE, SAYS_UNKNOWN } from "../../scripts/chaos/worker-script.ts";

const run = (id: string, startedAt: number, more: Partial<CardRun> = {}) =>
  ({
    ...{ id, session: `of ${id}`, startedAt, endedAt: startedAt + 5, outcome: "completed", summary: SAYS_DONE },
    ...more,
  }) as CardRun;
const completed = (by: string) => ({ kind: "completed", author: { by: "agent", run: by } }) as CardEvent;

/** A card, and one that waits for it. */
function board() {
  const found: FoundBoard = {
    cards: [
      {
        ...{ n: 1, id: "c1", card: { id: "c1", status: "done" }, parents: [], runs: [run("r1", 10)] },
        ...{ events: [completed("r1")], busy: [] },
      },
      {
        ...{ n: 2, id: "c2", card: { id: "c2", status: "done" }, parents: ["c1"], runs: [run("r2", 20)] },
        ...{ events: [completed("r2")], busy: [] },
      },
    ],
    others: [],
  };
  return { found, one: found.cards[0]!, two: found.cards[1]!, arrivals: [{ session: "of r1" }, { session: "of r2" }] };
}

describe("the count of a board's chaos run", () => {
  const count = (change: (world: ReturnType<typeof board>) => void) => {
    const world = board();
    change(world);
    const { lost, duplicated, stuck } = countBoard(world.found, world.arrivals);
    return [lost, duplicated, stuck];
  };

  it.each<[string, (world: ReturnType<typeof board>) => void, number[]]>([
    ["a sound board", () => {}, [0, 0, 0]],
    ["a card that is absent", ({ two }) => Object.assign(two, { card: undefined, runs: [], events: [] }), [1, 0, 0]],
    ["a card that waits for ever", ({ two }) => (two.card!.status = "ready"), [1, 0, 1]],
    ["a card that was made twice", ({ found }) => found.others.push("c3"), [0, 1, 0]],
    ["a card that was completed twice", ({ two }) => two.events.push(completed("r2")), [0, 1, 0]],
    ["a late worker", ({ two }) => two.runs.unshift(run("r0", 15, { outcome: "reclaimed" })), [0, 0, 0]],
    [
      "a late worker that completed the card",
      ({ two }) => {
        two.runs.unshift(run("r0", 15, { outcome: "reclaimed" }));
        two.events = [completed("r0")];
      },
      [0, 1, 0],
    ],
    ["two runs at once", ({ two }) => two.runs.unshift(run("r0", 18, { outcome: "reclaimed" })), [0, 1, 0]],
    ["a card begun too early", ({ one }) => (one.runs[0]!.endedAt = 25), [0, 1, 0]],
    ["a thing done twice in a run", ({ arrivals }) => arrivals.push({ session: "of r1" }), [0, 1, 0]],
    ["a thing that nobody did", ({ arrivals }) => arrivals.pop(), [1, 0, 0]],
    ["a session that never ends", ({ one }) => one.busy.push("of r1"), [0, 0, 1]],
  ])("is right for %s", (_what, change, figures) => expect(count(change)).toEqual(figures));
});

const jobRun = (slot: number, more: Partial<JobRunInfo> = {}) =>
  ({
    ...{ id: `r${slot}`, session: `of ${slot}`, slot, claimedAt: slot + 1, endedAt: slot + 9, state: "completed" },
    ...{ output: SAYS_DONE, ...more },
  }) as JobRunInfo;

describe("the count of the jobs' chaos run", () => {
  const MINUTE = 60_000;
  const once = (runs: JobRunInfo[], createdAt: number | null = 0): FoundJob => ({
    ...{ thing: 1, name: "job-1", schedule: "in 1s", everyMs: 0, byHand: false, createdAt, runs },
  });
  const repeated = (runs: JobRunInfo[]): FoundJob => ({ ...once(runs), schedule: "every 1m", everyMs: MINUTE });
  const did = (...slots: number[]) => slots.map((slot) => ({ task: 1, session: `of ${slot}` }));

  it.each<[string, FoundJob, ReturnType<typeof did>, number[]]>([
    ["a sound job", once([jobRun(1)]), did(1), [0, 0, 0, 0]],
    ["a job that is absent", once([], null), [], [1, 0, 0, 0]],
    ["a job that never ran", once([]), [], [1, 0, 0, 0]],
    ["a run that is open", once([jobRun(1, { state: "claimed", endedAt: null, output: null })]), [], [0, 0, 1, 0]],
    ["a run that did its thing twice", once([jobRun(1)]), did(1, 1), [0, 2, 0, 0]],
    ["a slot that ran twice", once([jobRun(1), jobRun(1)]), did(1), [0, 1, 0, 0]],
    ["a run that failed", once([jobRun(1, { state: "failed", output: null })]), [], [1, 0, 0, 0]],
    ["a run that says it does not know", once([jobRun(1, { output: SAYS_UNKNOWN })]), [], [0, 0, 0, 1]],
    ["slots in turn", repeated([jobRun(MINUTE), jobRun(2 * MINUTE)]), did(MINUTE, 2 * MINUTE), [0, 0, 0, 0]],
    ["a late run for two slots", repeated([jobRun(MINUTE, { claimedAt: 2 * MINUTE + 1 })]), did(MINUTE), [0, 0, 0, 0]],
    ["a slot without a run", repeated([jobRun(MINUTE)]), did(MINUTE), [1, 0, 0, 0]],
  ])("is right for %s", (_what, job, arrivals, figures) => {
    const { lost, duplicated, stuck, unknown } = countJobs([job], arrivals, 2.5 * MINUTE);
    expect([lost, duplicated, stuck, unknown]).toEqual(figures);
  });
});
