// What the figures of a chaos run over replays count.
import { describe, expect, it } from "vitest";
import { type FoundReplays, countReplays } from "../../scripts/chaos/replay-measure.ts";
import type { Experiment, ExperimentRun, ReplayReport } from "../../core/schemas/learning/experiment.ts";
import { NO_STATS } from "../../core/schemas/entry.ts";

const TEXT = "a".repeat(64);
const report = (more: Partial<ReplayReport> = {}): ReplayReport => ({
  ...{ v: 1, end: "answered", code: null, answer: "3", stats: NO_STATS, exit: "success", loaded: true, left: null },
  ...{ contradicted: false, failedWords: [], refusedWords: [], workedWords: [], lines: [], endedAt: 2 },
  ...more,
});
const run = (more: Partial<ExperimentRun> = {}): ExperimentRun => ({
  ...{ replay: "01JZ0000000000000000000001", turn: "01J00000000000000000000000-1", arm: "with", nth: 1, state: "done" },
  ...{ verdict: "right", judge: "answer", report: report() },
  ...more,
});
const experiment = (more: Partial<Experiment> = {}): Experiment => ({
  ...{ v: 1, id: "01JZ0000000000000000000009", skill: "x", text: TEXT, parent: null, rev: 1, occasion: "asked" },
  ...{ session: null, state: "done", outcome: "no_difference", why: "", turns: [], runs: [run()], arms: {} },
  ...{ tokens: { granted: 9, used: 5 }, createdAt: 1, endedAt: 2, runsUntil: 3 },
  ...more,
});
const found = (more: Partial<FoundReplays> = {}): FoundReplays => ({
  ...{ experiments: [experiment()], accepted: new Set([experiment().id]), booked: 5 },
  ...{ evidence: new Map([[TEXT, [run().turn]]]), outward: [], traces: [] },
  ...more,
});
const figures = (more: Partial<FoundReplays>) => {
  const { lost, duplicated, outward, stuck } = countReplays(found(more));
  return { lost, duplicated, outward, stuck };
};
const ZEROS = { lost: 0, duplicated: 0, outward: 0, stuck: 0 };
const of = (more: Partial<Experiment>) => ({ experiments: [experiment(more)] });

describe("the figures of a chaos run over replays", () => {
  it("are zero for an experiment that ended once", () => {
    expect(figures({})).toEqual(ZEROS);
  });

  it.each<[string, Partial<FoundReplays>, Partial<typeof ZEROS>]>([
    ["an experiment that is absent", { experiments: [], booked: 0 }, { lost: 1 }],
    ["an experiment that nobody asked for", { accepted: new Set() }, { duplicated: 1 }],
    ["one without a result", of({ outcome: null }), { lost: 1 }],
    ["one that has not ended", of({ state: "running" }), { stuck: 1 }],
    ["a run that has not", of({ runs: [run(), run({ nth: 2, replay: null, state: "running" })] }), { stuck: 1 }],
    ["a run without a report", of({ runs: [run(), run({ nth: 2, replay: "r", report: null })] }), { lost: 1 }],
    ["a run that was lost", of({ runs: [run({ report: report({ end: "lost" }) })] }), { lost: 1 }],
    ["a run that was made twice", of({ runs: [run(), run({ replay: "r" })] }), { duplicated: 1 }],
    ["a replay of two runs", of({ runs: [run(), run({ nth: 2 })] }), { duplicated: 1 }],
    ["tokens that were not booked", { booked: 4 }, { lost: 1 }],
    ["tokens that were booked twice", { booked: 10 }, { duplicated: 1 }],
    ["evidence that is absent", { evidence: new Map() }, { lost: 1 }],
    ["evidence twice", { evidence: new Map([[TEXT, [run().turn, run().turn]]]) }, { duplicated: 1 }],
    ["a request to a double", { outward: ["mcp"] }, { outward: 1 }],
    ["a trace elsewhere", { traces: ["a session is listed"] }, { duplicated: 1 }],
  ])("count %s", (_what, more, expected) => {
    expect(figures(more)).toEqual({ ...ZEROS, ...expected });
  });
});
