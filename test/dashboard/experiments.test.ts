// What the page makes of an experiment: its words, which two runs are compared, and the steps of each.
import { describe, expect, it } from "vitest";
import { toItem } from "../../dashboard/chat/session/items.ts";
import {
  type Experiment,
  type Run,
  describeRun,
  describeState,
  describeSum,
  describeTokens,
  listArms,
  nameRun,
  toAnswer,
  toSteps,
  toTurnRuns,
} from "../../dashboard/experiments/experiment-words.ts";
import { RECORDED_ENTRIES, REPEATED_ENTRIES, REPLAY, toExperiment } from "../support/experiment.ts";

const shown = (more: Parameters<typeof toExperiment>[0] = {}) => toExperiment(more) as Experiment;

describe("an experiment", () => {
  it("has a word for its outcome, and for how far it is without one", () => {
    const names = (["helps", "no_difference", "harms", "not_replayable", null] as const).flatMap((outcome) =>
      (["waiting", "running", "done"] as const).map((state) => describeState({ state, outcome }).name),
    );
    expect([...new Set(names)]).toEqual([
      ...["Helps", "No difference", "Does harm", "Could not be tried"],
      ...["Waits for tokens", "Running", "Ended without an outcome"],
    ]);
    expect(describeTokens(shown())).toBe("1.4K of 200K tokens used");
  });

  it("shows the arm with the text first", () => {
    const { with: own, without } = shown().arms;
    expect(
      listArms(shown({ arms: { without: without!, parent: without!, with: own! } })).map(({ arm }) => arm),
    ).toEqual([...["with", "parent", "without"]]);
  });
});

it("the sum of all names only what there is", () => {
  const none = {
    open: 0,
    helps: 0,
    noDifference: 0,
    harms: 0,
    notReplayable: 0,
    noOutcome: 0,
    withdrawnBeforeOffer: 0,
  };
  expect(
    describeSum({
      ...none,
      count: 4,
      helps: 1,
      harms: 2,
      withdrawnBeforeOffer: 1,
      open: 1,
      replays: 9,
      tokens: 12_000,
    }),
  ).toBe("4 texts were tried: 1 helps, 2 do harm (1 withdrawn before any use), 1 not ended yet. 9 runs, 12K tokens.");
  expect(describeSum({ ...none, count: 1, noOutcome: 1, replays: 1, tokens: 5 })).toBe(
    "1 text was tried: 1 ended without an outcome. 1 run, 5 tokens.",
  );
});

describe("a run", () => {
  it("says who judged it, what it took and how it ended", () => {
    const [own, recorded] = shown().runs as [Run, Run];
    expect(describeRun(recorded)).toBe("Judged by the answer that you accepted. 3 calls, 1 failed, 5.2K tokens.");
    const left = { ...own, judge: "none", report: { ...own.report!, end: "left_recording" } } as const;
    expect(describeRun(left)).toBe("1 call, 1.4K tokens. It asked for something that nobody had recorded.");
    expect(describeRun({ judge: null, report: null })).toBe("");
    expect([nameRun(recorded), nameRun({ ...own, nth: 2 })]).toEqual(["Without it, as it was", "With it, run 2"]);
  });

  it("with the text is compared with the recorded turn, else with a repetition, once both are done", () => {
    const [own, recorded] = shown().runs as [Run, Run];
    const again = { ...recorded, replay: REPLAY, nth: 2 };
    const pairOf = (...runs: Run[]) => toTurnRuns(shown({ runs }))[0]!.pair;
    expect(pairOf(again, own, recorded)).toEqual([recorded, own]);
    expect(pairOf(again, own)).toEqual([again, own]);
    expect(pairOf(recorded, { ...own, verdict: "unknown" }, { ...own, nth: 2 })?.[1]).toMatchObject({ nth: 2 });
    expect(pairOf(recorded, { ...own, state: "running" })).toBeNull();
    const [first, second] = toTurnRuns(shown());
    expect(first!.runs.map(({ arm }) => arm)).toEqual(["with", "without"]);
    expect(second).toMatchObject({ runs: [], pair: null });
    // The recording alone is in no sum.
    expect(toTurnRuns(shown({ runs: [recorded] }))[0]!.runs).toEqual([]);
  });

  it("has its calls as lines and its last words as its answer", () => {
    const [before, after] = [RECORDED_ENTRIES, REPEATED_ENTRIES].map((entries) => entries.map(toItem));
    expect(toSteps(before!).split("\n")).toEqual([
      "terminal awk '{s+=$1} END {print s/NR}' rain.csv (failed)",
      "terminal head -3 rain.csv",
      "terminal awk -F';' '{s+=$2} END {print s/NR}' rain.csv",
      "",
    ]);
    expect([toAnswer(before!), toAnswer(after!)]).toEqual(["The mean is **3.33 mm**.", "The mean is **5 mm**."]);
    expect(toAnswer([])).toBe("");
  });
});
