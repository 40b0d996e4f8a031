// The arm `replay` of bench:learning over a few sessions: experiments are made, a wrong lesson is withdrawn before a session loads it, and
// nothing that a replay does counts as work on a task. And the figures that compare the arm with `ours`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Arm, findArm } from "../../../bench/learning/arms/arms.ts";
import type { KeptSkill } from "../../../bench/learning/report/library-watch.ts";
import type { RunRecord } from "../../../bench/learning/report/records.ts";
import { computeReplayFigures } from "../../../bench/learning/report/replay-figures.ts";
import { toReplayLine } from "../../../bench/learning/report/replay-report.ts";
import { difference } from "../../../bench/learning/report/statistics.ts";
import { createWrongLessons } from "../../../bench/learning/report/wrong-lessons.ts";
import { runPlants } from "../../../bench/learning/run/plants.ts";
import { runStream } from "../../../bench/learning/run/run-stream.ts";
import { readParameters } from "../../../bench/learning/world/parameters.ts";
import { createWorld } from "../../../bench/learning/world/world.ts";
import { createTempFolders } from "../../support/temp-folders.ts";
import { smallWorldFile } from "./learning-parameters.ts";
import { smallSurfaces } from "./learning-surfaces.ts";

const newFolder = createTempFolders();
/** Timeout for the run of a whole stream, on a busy machine. */
const LONG_MS = 60_000;

/** Without the rule that compares a lesson's values with the work, most wrong lessons of the reviewer are stored. */
function withoutValues(name: string): Arm {
  const arm = findArm(name);
  return { ...arm, policy: { ...arm.policy, values: false } };
}

it(
  "withdraws wrong lessons before a session loads them, and no replay counts as work on a task",
  async () => {
    const changes = { "reviewer.wrong": 0.5, "reviewer.missed": 0, "tools.silent": 0 };
    const tried = await runStream(withoutValues("replay"), world(2, changes));
    const untried = await runStream(withoutValues("ours"), world(2, changes));
    const off = await runStream(findArm("off"), world(2, changes));

    expect(untried.wrongLessons.some(({ usedAt }) => usedAt !== null)).toBe(true);
    expect(tried.wrongLessons.some(({ goneUnused }) => goneUnused)).toBe(true);
    expect(tried.experiments!.made).toBeGreaterThan(0);
    expect(tried.experiments!.outcomes.harms).toBeGreaterThan(0);
    expect(tried.experiments!.replays).toBeGreaterThan(0);
    expect(tried.tokens.replays).toBeGreaterThan(0);
    expect([untried.experiments, untried.tokens.replays]).toEqual([null, 0]);
    expect([tried.lostOrDoubled, tried.reports]).toEqual([[], []]);
    for (const task of tried.tasks.filter(({ uses }) => uses === 0)) {
      expect(task.solved).toBe(off.tasks[task.n - 1]!.solved);
    }
  },
  LONG_MS,
);

it(
  "finds that a planted lesson helps, makes no difference or harms",
  async () => {
    const { outcomes } = await runPlants(findArm("replay"), world(1, { "tools.silent": 0, "stream.sessions": 16 }));
    expect(Object.keys(outcomes.right).filter((outcome) => outcome === "harms" || outcome === "none")).toEqual([]);
    expect(Object.keys(outcomes.useless)).toEqual(["no_difference"]);
    expect(Object.keys(outcomes.harmful)).toEqual(["harms"]);
  },
  LONG_MS,
);

it("counts a wrong statement once for each new text, and knows whether a session loaded it before it was gone", () => {
  const { right, operation, isSilent } = world(1);
  const { name, values } = world(1).families[0]!.operations[0]!;
  const bad = values.find((value) => value !== right(name, 1))!;
  const wrong = createWrongLessons({ ...world(1), right, operation, isSilent });
  const kept = (text: string, options: string[], changes: Partial<KeptSkill> = {}): KeptSkill => ({
    ...{ name: "ledgers", state: "trial", origin: "review", text, content: "", isHeld: false },
    statements: options.map((option) => ({ operation: name, option, spelled: option, line: "" })),
    ...changes,
  });
  const first = kept("a", [bad], { isHeld: true });
  const archived = kept("a", [bad], { state: "archived" });
  wrong.noteChange(1, first, undefined);
  wrong.noteChange(1, archived, first);
  const second = kept("b", [bad]);
  wrong.noteChange(2, second, archived);
  wrong.noteUse(3, [{ skill: "ledgers", text: "b" }]);
  wrong.noteChange(4, kept("c", [right(name, 4)]), second);
  // An earlier text that comes back is not a new lesson.
  wrong.noteChange(5, second, kept("c", [right(name, 4)]));
  expect(wrong.lessons.map(({ n, usedAt, goneAt, goneUnused }) => [n, usedAt, goneAt, goneUnused])).toEqual([
    [1, null, 1, true],
    [2, 3, 4, false],
  ]);
});

it("compares two arms over the same seeds", () => {
  expect(difference([])).toBeNull();
  expect(
    difference([
      [
        [1, 2],
        [0, 0],
      ],
    ]),
  ).toBeNull();
  expect(
    difference(
      Array.from(
        { length: 8 },
        () =>
          [
            [3, 4],
            [1, 4],
          ] as const,
      ),
    ),
  ).toEqual({
    ...{ mean: 0.5, low: 0.5, high: 0.5 },
  });
});

it("says what experiments cost, in which figures the arm is worse, and why a figure is missing", () => {
  const runs = (name: string, fields: Partial<RunRecord>) => [1, 2, 3].map((seed) => runRecord(name, seed, fields));
  const ours = runs("ours", { tokens: { turns: 90, reviews: 10, curation: 0, replays: 0 } });
  const replay = runs("replay", {
    tokens: { turns: 90, reviews: 10, curation: 0, replays: 25 },
    lessons: { ...ours[0]!.lessons, benign: 4, landed: 3 },
    experiments: { made: 2, outcomes: { helps: 1, harms: 1 }, replays: 3, ends: { answered: 3 } },
  });
  const ends = { off: runs("off", {}), ceiling: runs("ceiling", {}) };
  const figures = computeReplayFigures(replay, ours, ends)!;
  expect(figures).toMatchObject({
    seeds: 3,
    moreTokens: { mean: 0.25 },
    withdrawnBeforeUse: null,
    worse: ["benignBlocked"],
    experiments: { made: 6, outcomes: { helps: 3, harms: 3 }, replays: 9, ends: { answered: 9 } },
  });
  expect(computeReplayFigures([], ours, ends)).toBeNull();
  const line = toReplayLine({ cells: { imports: figures }, own: null, plants: null });
  expect(line).toMatchObject({ offeredRight: null, withdrawnBeforeUse: null, worse: ["imports: benignBlocked"] });
  expect(Object.keys(line.why!)).toEqual(["offeredRight", "withdrawnBeforeUse", "moreTokens", "plants"]);
});

function runRecord(arm: string, seed: number, fields: Partial<RunRecord>): RunRecord {
  const counts = { calls: 5, failedCalls: 0, promptTokens: 0, stumbled: false, uses: 0, stated: 0, bypassed: 0 };
  const task = { n: 1, family: "ledger", solved: arm === "ceiling", drifted: 0, driftedRight: 0, ...counts };
  return {
    ...{ arm, seed, tasks: [task], heldOut: [], sizes: [], library: [], told: [], wrongLessons: [], experiments: null },
    tokens: { turns: 0, reviews: 0, curation: 0, replays: 0 },
    reviews: { owed: 0, done: 0, dead: 0, tokens: 0, each: [], modelCalls: 0, byTrigger: {} },
    lessons: { benign: 4, landed: 4, wrong: 0, wrongLanded: 0, duplicates: 0, useful: 0 },
    ...{ blocked: [], poison: [], orders: 0, lostOrDoubled: [], reports: [], cpuMs: 0 },
    ...fields,
  };
}

function world(seed: number, changes: Record<string, unknown> = {}) {
  const path = join(newFolder(), "parameters.json");
  writeFileSync(path, JSON.stringify(smallWorldFile(changes)));
  const read = readParameters(path);
  if (!read.ok) throw new Error(read.failure.message);
  return createWorld(read.value.cells.imports!, smallSurfaces(newFolder()), seed);
}
