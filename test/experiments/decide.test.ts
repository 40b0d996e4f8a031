// The rule that decides what is run next, and how often it errs. Every rate is measured on seeded experiments.
import { describe, expect, it } from "vitest";
import { type Ending, type JudgedRun, decideNext, decideNow } from "../../core/experiments/decide.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

const RUN = { end: "answered", judge: "answer", failedCalls: 0 } as const;

interface Model {
  /** How often a run with the text is right, and one without it. */
  p: number;
  q: number;
  /** Mean of calls with the text and without it, each of which is up to two more or less. */
  calls?: [number, number];
  turns?: number;
}

/** Of two cited turns and two that are not; the recorded ones are free runs. */
function runExperiment({ p, q, calls = [5, 5], turns: count = 4 }: Model, random: () => number) {
  const turns = Array.from({ length: count }, (_, n) => ({ turn: `S-${n + 1}`, cited: n % 2 === 0 }));
  const draw = (turn: string, arm: "with" | "without", isRecorded: boolean): JudgedRun => {
    const isOwn = arm === "with";
    const chance = [0, 1, 2, 3].filter(() => random() < 0.5).length - 2;
    const made = (isOwn ? calls[0] : calls[1]) + chance;
    const verdict = random() < (isOwn ? p : q) ? "right" : "wrong";
    return { ...RUN, turn, arm, isRecorded, verdict, calls: made, tokens: 2_000 + made * 1_000 };
  };
  const runs = turns.map(({ turn }) => draw(turn, "without", true));
  for (let replays = 0; ; replays++) {
    const decision = decideNext({ turns, hasParent: false, runs });
    if ("outcome" in decision) return { ...decision, replays };
    runs.push(draw(decision.run.turn, decision.run.arm as "with" | "without", false));
  }
}

function measure(model: Model, times: number) {
  const random = createSeededRandom(11);
  const all: (Ending & { replays: number })[] = Array.from({ length: times }, () => runExperiment(model, random));
  const share = (outcome: string) => all.filter((one) => one.outcome === outcome).length / times;
  return {
    helps: share("helps"),
    harms: share("harms"),
    level: share("no_difference"),
    replays: all.reduce((sum, one) => sum + one.replays, 0) / times,
  };
}

describe("the rates of error", () => {
  const rates = [0.1, 0.3, 0.5, 0.7, 0.9, 1].map((p) => measure({ p, q: p }, 1_000));

  it("of a harmless text that is called harmful are at most 5 %, whatever its model can do", () => {
    for (const { harms } of rates) expect(harms).toBeLessThanOrEqual(0.05);
  });

  it("of a useless text that is called helpful are at most 5 % too", () => {
    for (const { helps } of rates) expect(helps).toBeLessThanOrEqual(0.05);
  });

  it("cost two runs with a model that is always right, and under four with any", () => {
    expect(rates.at(-1)!.replays).toBeLessThan(2.3);
    for (const { replays } of rates) expect(replays).toBeLessThan(4);
  });
});

describe("a clear case", () => {
  it.each([
    [{ p: 1, q: 0 }, "helps", 1],
    [{ p: 0, q: 1 }, "harms", 1],
    [{ p: 0.9, q: 0.2 }, "helps", 0.65],
    [{ p: 1, q: 1, calls: [3, 8] as [number, number] }, "helps", 0.9],
  ] as const)("%j is %s after about three runs", (model, outcome, share) => {
    const measured = measure(model, 200);
    expect(measured[outcome]).toBeGreaterThanOrEqual(share);
    expect(measured.replays).toBeLessThanOrEqual(4);
  });

  it("on a single turn takes at most four", () => {
    expect(measure({ p: 1, q: 0, turns: 1 }, 20)).toMatchObject({ helps: 1, replays: 4 });
  });
});

describe("the cost of a text that changes no answer", () => {
  const turns = ["S-1", "S-2"].map((turn) => ({ turn, cited: false }));
  const runs = (arm: "with" | "without", [calls, failedCalls]: number[], isRecorded = false) =>
    turns.map(({ turn }): JudgedRun => {
      return {
        ...RUN,
        turn,
        arm,
        isRecorded,
        verdict: "right",
        calls: calls!,
        failedCalls: failedCalls!,
        tokens: calls!,
      };
    });

  it.each([
    ["saves calls", [3, 0], [7, 4], "helps"],
    ["saves calls that work, and lets others fail", [2, 1], [3, 0], "no_difference"],
    ["saves calls, and as many fail", [5, 4], [7, 4], "no_difference"],
    ["lets two more of as many calls fail", [3, 2], [3, 0], "harms"],
    ["needs half as many calls again, of which one fails", [6, 1], [4, 0], "harms"],
    ["makes needless work", [8, 0], [3, 0], "harms"],
    ["has one more look", [4, 0], [3, 0], "no_difference"],
  ])("%s: %j and not %j is %4$s", (_, own, other, outcome) => {
    const facts = { turns, hasParent: false, runs: [...runs("with", own), ...runs("without", other)] };
    expect(decideNext(facts)).toMatchObject({ outcome });
  });

  it("is looked at again before it is level with recorded turns in which fewer calls failed", () => {
    const recorded = runs("without", [7, 4], true);
    expect(decideNext({ turns, hasParent: false, runs: [...recorded, ...runs("with", [5, 4])] })).toEqual({
      run: { turn: "S-1", arm: "without" },
    });
  });
});

describe("a word with which a call failed", () => {
  const run = (turn: string, more: Partial<JudgedRun>): JudgedRun => ({
    ...{ ...RUN, turn, arm: "with", isRecorded: false, verdict: "wrong", calls: 5, tokens: 5_000, judge: "words" },
    ...more,
  });
  const turns = [
    { turn: "S-1", cited: true },
    { turn: "S-2", cited: false },
  ];
  const recorded = (turn: string, verdict: "right" | "wrong") =>
    run(turn, { arm: "without", isRecorded: true, verdict, judge: "exit" });

  it("is harm at once on a cited turn that went well without the text", () => {
    const facts = { turns, hasParent: false, runs: [recorded("S-1", "right"), run("S-1", {})] };
    expect(decideNext(facts)).toMatchObject({ outcome: "harms", because: "words" });
  });

  it("needs a second run where the turn went wrong too, or is not cited", () => {
    for (const runs of [
      [recorded("S-1", "wrong"), run("S-1", {})],
      [recorded("S-2", "right"), run("S-2", {})],
    ]) {
      expect(decideNext({ turns, hasParent: false, runs })).not.toMatchObject({ because: "words" });
      expect(decideNext({ turns, hasParent: false, runs: [...runs, run("S-2", {})] })).toMatchObject({
        because: "words",
      });
    }
  });
});

describe("runs without an answer", () => {
  it("are not compared, and their turn is not tried again", () => {
    const left: JudgedRun = {
      ...RUN,
      turn: "S-1",
      arm: "with",
      isRecorded: false,
      end: "left_recording",
      verdict: "unknown",
      calls: 1,
      tokens: 1,
    };
    const turns = [{ turn: "S-1", cited: true }];
    expect(decideNext({ turns, hasParent: true, runs: [left] })).toMatchObject({ outcome: null, because: "nothing" });
    expect(
      decideNow({ turns: [...turns, { turn: "S-2", cited: false }], hasParent: true, runs: [left] }),
    ).toMatchObject({ outcome: null });
    expect(decideNext({ turns: [...turns, { turn: "S-2", cited: false }], hasParent: true, runs: [left] })).toEqual({
      run: { turn: "S-2", arm: "with" },
    });
  });
});
