// Short forms of bench:turn and bench:growth on the real Workers: the shape of their last lines, and limits on the row counts.
// Times are never asserted.
import { afterAll, beforeAll, expect, it } from "vitest";
import { growSession } from "../../bench/growth/measure.ts";
import { toGrowthLine } from "../../bench/growth/report.ts";
import { type GrowthRow, findCompactions, toRows } from "../../bench/growth/samples.ts";
import { BENCH_MODEL, type Stage, startStage } from "../../bench/support/stage.ts";
import { createBare } from "../../bench/support/subjects/bare.ts";
import { createTalaria } from "../../bench/support/subjects/talaria.ts";
import { measureTurns } from "../../bench/turn/measure.ts";
import { toLine } from "../../bench/turn/report.ts";

const WINDOW_TOKENS = 40_000;
/** The turn's own rows, those of the checkpoint of its eleven changes, and those for observing and booking it after its answer. */
const MAX_ROWS_10_STEPS = 92;
const MAX_ROWS_400_CHUNKS = 45;
const SETTINGS = {
  models: { windows: { [BENCH_MODEL]: WINDOW_TOKENS } },
  // A review's result is looked for within the test, but not before it is there on a busy machine: another look is a row more.
  review: { looksMs: [3_000] },
  // Longer than a turn takes on a busy machine: a lease that is renewed is a row more.
  turn: { leaseMs: 8_000 },
};
const say = () => {};

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ peer: false, settings: SETTINGS });
}, 110_000);
afterAll(() => stage?.stop());

it("a turn of ten writing steps and an answer of 400 chunks stay within their row limits", async () => {
  const measured = await measureTurns({
    server: stage.server,
    subjects: [await createTalaria(stage.oursUrl), createBare(stage.bareUrl)],
    forRows: [await createTalaria(stage.oursUrl, { freshProfiles: true })],
    turns: 2,
    settleMs: 20_000,
    say,
  });
  const { tenSteps, tenStepsAgain, chunks400 } = measured.get("ours")!.writes!;
  expect([tenSteps.settled, tenStepsAgain.settled, chunks400.settled]).toEqual([true, true, true]);
  expect(Math.max(tenSteps.rows, tenStepsAgain.rows), JSON.stringify(tenSteps.by)).toBeLessThanOrEqual(
    MAX_ROWS_10_STEPS,
  );
  expect(chunks400.rows, JSON.stringify(chunks400.by)).toBeLessThanOrEqual(MAX_ROWS_400_CHUNKS);

  const number = expect.any(Number) as number;
  const nothing = { p50: null, p95: null };
  const others = ["perStepMs", "rowsWritten10Steps", "rowsWritten400Chunks", "alarms10Steps"];
  expect(JSON.parse(toLine(measured))).toEqual({
    ours: { addedFirstTokenMs: { p50: number, p95: number }, ...each(others, number) },
    peer: { addedFirstTokenMs: nothing, ...each(others, null) },
    bare: { addedFirstTokenMs: { p50: number, p95: number }, perStepMs: number },
  });
});

it("a session that exceeds its context budget reads, writes and sends no more than when the budget was first full", async () => {
  const talaria = await createTalaria(stage.oursUrl);
  const samples = await growSession({ server: stage.server, talaria, upTo: 2, maxTokens: WINDOW_TOKENS, say });
  expect(findCompactions(samples).length).toBeGreaterThan(1);
  const rows = (JSON.parse(toGrowthLine(toRows(samples, [1, 2]), null)) as { rows: GrowthRow[] }).rows;
  expect(rows.map((row) => Object.keys(row))).toEqual(
    rows.map(() => [
      ...["entries", "atBudget", "tokens", "rowsRead", "rowsWritten"],
      ...["requestBytes", "warmMs", "coldRowsRead", "beside"],
    ]),
  );
  const [first, second] = rows.filter((row) => row.atBudget);
  for (const figure of ["rowsRead", "rowsWritten", "requestBytes"] as const) {
    expect(second![figure], figure).toBeLessThanOrEqual(first![figure] * 1.2);
  }
  for (const row of [first!, second!]) {
    expect(row.beside).toMatchObject({
      archiveRowsWritten: expect.any(Number),
      accountRowsWritten: expect.any(Number),
    });
  }
});

function each<Value>(names: string[], value: Value): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
