// A replay without any change gives the recorded turn again, entry for entry and byte for byte: over the flows that sessions have, over
// crashes at every write, and over random flows. It is the proof that checkpoints and journals are whole.
import { describe, expect, test } from "vitest";
import { type CrashFlow, crashFlows } from "../../support/replay/flows/crash-flows.ts";
import { modelFlows } from "../../support/replay/flows/model-flows.ts";
import { readingFlows } from "../../support/replay/flows/reading-flows.ts";
import { sessionFlows } from "../../support/replay/flows/session-flows.ts";
import { workspaceFlows } from "../../support/replay/flows/workspace-flows.ts";
import { recordRandomFlow } from "../../support/replay/random-flow.ts";
import type { RecordedWorld } from "../../support/replay/recorded-world.ts";
import { expectExact, expectRefused } from "../../support/replay/replay-turn.ts";
import { IS_THOROUGH, stepOfCrashes } from "../../support/thorough.ts";

const flows = [...workspaceFlows, ...readingFlows, ...modelFlows, ...sessionFlows];

/** Every turn that can be run again, as the session says, must be exact. Each other one is refused. Returns why, by turn. */
async function expectAllExact(world: RecordedWorld): Promise<Record<number, string>> {
  const not: Record<number, string> = {};
  for (const { n } of world.turns()) {
    const replayability = world.replayability(n);
    if (replayability?.replayable) {
      await expectExact(world, n);
    } else {
      await expectRefused(world, n);
      not[n] = replayability?.reason ?? "copied";
    }
  }
  return not;
}

describe("each turn is run again exactly", () => {
  test.each(flows)("$title", async ({ record, not = {} }) => {
    expect(await expectAllExact(await record())).toEqual(not);
  });
});

const CRASH_WAYS = 24;

describe("a turn that was cut off at any write is run again exactly", () => {
  async function recordCutOff({ open, request, decide }: CrashFlow, point: number) {
    const world = await open();
    const before = world.crashPoints();
    await world.sayAndCrash(request, point);
    await decide?.(world);
    await world.drain();
    await world.say("And now?");
    await decide?.(world);
    return { world, points: world.crashPoints() - before };
  }

  test.each(crashFlows)("$title", { timeout: 600_000 }, async (flow) => {
    const { points } = await recordCutOff(flow, Infinity);
    const step = stepOfCrashes(CRASH_WAYS);
    let exact = 0;
    // Another first write for each flow: what they have in common is cut off at every one.
    for (let point = 1 + (crashFlows.indexOf(flow) % step); point <= points; point += step) {
      const { world } = await recordCutOff(flow, point);
      const not = await expectAllExact(world);
      // Only a call whose outcome nobody knows keeps a turn from being run again.
      const isUnknown = world
        .entries()
        .some((entry) => entry.kind === "tool" && JSON.stringify(entry.parts).includes("outcome_unknown"));
      expect([point, not]).toEqual([point, isUnknown ? { 1: "outcome_unknown" } : {}]);
      exact += isUnknown ? 0 : 1;
    }
    expect(exact).toBeGreaterThan(points / step / 3);
  });
});

/** Each takes a third of a second. `TALARIA_REPLAY_SEED`: only this one, with what was done in it. `TALARIA_REPLAY_SEEDS`: how many. */
const { TALARIA_REPLAY_SEED: only, TALARIA_REPLAY_SEEDS: count } = process.env;
const SEEDS = only ? [Number(only)] : Array.from({ length: Number(count ?? (IS_THOROUGH ? 64 : 4)) }, (_, i) => i + 1);

test(
  `each turn of ${SEEDS.length} random sessions is run again exactly`,
  { timeout: SEEDS.length * 3_000 },
  async () => {
    let [turns, exact] = [0, 0];
    for (const seed of SEEDS) {
      const { world, did } = await recordRandomFlow(seed);
      if (only) console.log(did.join("\n"));
      try {
        const not = await expectAllExact(world);
        turns += world.turns().length;
        exact += world.turns().length - Object.keys(not).length;
      } catch (error) {
        throw new Error(`TALARIA_REPLAY_SEED=${seed}\n${did.join("\n")}`, { cause: error });
      }
    }
    if (!only) expect(exact / turns).toBeGreaterThan(0.6);
  },
);
