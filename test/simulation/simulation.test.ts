// Runs a session through random messages, stops, power cuts at any write, readers that come and go, and failing providers. A failing
// run prints its seed and the smallest failing plan. SIMULATION_SEED and SIMULATION_RUNS repeat or lengthen a run.
import fc from "fast-check";
import { expect, it } from "vitest";
import { plan } from "./plan.ts";
import { simulate } from "./world.ts";

const seed = Number(process.env.SIMULATION_SEED ?? 20_261_122);
const numRuns = Number(process.env.SIMULATION_RUNS ?? 200);

/** The random plans must cover all of these. */
const MUST_MEET = [
  ...["turn done", "turn stopped", "turn failed", "turn steered", "steer", "compaction"],
  ...["notice resumed", "notice model_retried", "notice paused", "notice redirected"],
  ...["unkeyed outcome_unknown", "unkeyed done", "keyed done", "read done"],
  ...["entry_restart", "text_delta", "tool_end", "turn_end"],
];

it(
  "a session loses nothing, repeats nothing and tells all readers the same, whatever happens",
  { timeout: 120_000 + numRuns * 200 },
  async () => {
    const met = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(plan, async (one) => {
        const simulated = await simulate(one);
        expect(simulated.faults).toEqual([]);
        for (const kind of simulated.met) met.set(kind, (met.get(kind) ?? 0) + 1);
      }),
      { seed, numRuns },
    );
    if (numRuns >= 200) expect(MUST_MEET.filter((kind) => !met.has(kind))).toEqual([]);
  },
);
