// The limits of the rule that decides what is run next: from where on a difference counts. Each is tried on both sides.
import { expect, it } from "vitest";
import { type JudgedRun, decideNext } from "../../core/experiments/decide.ts";
import type { Arm } from "../../core/schemas/learning/experiment.ts";

const TURNS = ["S-1", "S-2", "S-3"];

/** New runs of one turn in one arm, a verdict each. */
function runsOf(turn: string, arm: Arm, verdicts: ("right" | "wrong")[], costs: Partial<JudgedRun> = {}): JudgedRun[] {
  return verdicts.map((verdict) => ({
    ...{
      turn,
      arm,
      verdict,
      isRecorded: false,
      end: "answered",
      judge: "answer",
      calls: 8,
      failedCalls: 0,
      tokens: 8_000,
    },
    ...costs,
  }));
}

/** Over the first `count` turns. */
function decide(runs: JudgedRun[], count: number) {
  const turns = TURNS.slice(0, count).map((turn) => ({ turn, cited: false }));
  return decideNext({ turns, hasParent: false, runs });
}

it("wants more certainty where two runs of one turn and arm ended differently", () => {
  const wrong = (turn: string, times: number) => runsOf(turn, "without", Array<"wrong">(times).fill("wrong"));
  // Two right and one wrong against five wrong: between the two limits.
  const others = [...wrong("S-1", 2), ...wrong("S-2", 2), ...wrong("S-3", 1)];
  const steady = [
    ...runsOf("S-1", "with", ["right"]),
    ...runsOf("S-2", "with", ["right"]),
    ...runsOf("S-3", "with", ["wrong"]),
  ];
  expect(decide([...steady, ...others], 3)).toMatchObject({ outcome: "helps", because: "answers" });
  const noisy = [...runsOf("S-1", "with", ["right", "wrong"]), ...runsOf("S-2", "with", ["right"])];
  expect(decide([...noisy, ...wrong("S-1", 3), ...wrong("S-2", 2)], 3)).toHaveProperty("run");
});

it("calls a text dearer only if more of its calls failed too", () => {
  for (const [failedCalls, outcome] of [
    [0, "no_difference"],
    [1, "harms"],
  ] as const) {
    const runs = TURNS.slice(0, 2).flatMap((turn) => [
      ...runsOf(turn, "with", ["right"], { calls: 12, failedCalls }),
      ...runsOf(turn, "without", ["right"]),
    ]);
    expect(decide(runs, 2)).toMatchObject({ outcome });
  }
});

it("takes two turns for a text that saves a third of the cost, and a third turn for one that saves a fifth", () => {
  const saving = (calls: number) =>
    TURNS.slice(0, 2).flatMap((turn) => [
      ...runsOf(turn, "with", ["right"], { calls }),
      ...runsOf(turn, "without", ["right"]),
    ]);
  expect(decide(saving(5), 3)).toMatchObject({ outcome: "helps", because: "cost" });
  expect(decide(saving(6), 3)).toEqual({ run: { turn: "S-3", arm: "with" } });
});
