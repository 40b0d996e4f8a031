// The report of bench:import: a readable summary and one line of JSON.
import type { Outcome } from "./measure.ts";

const SHOWN = 5;

export function printImport(outcomes: Outcome[]): void {
  const taken = outcomes.filter(({ outcome }) => outcome === "imported");
  console.log(
    `${taken.length} of ${outcomes.length} rows imported, ${count(taken, (row) => row.warnings.length > 0)} with warnings`,
  );
  const rest = outcomes.filter(({ outcome }) => outcome !== "imported");
  const byReason = Map.groupBy(rest, ({ outcome, reason }) =>
    outcome === "crashed" ? "crashed" : reason || "no reason",
  );
  for (const [reason, rows] of [...byReason].sort(([, a], [, b]) => b.length - a.length)) {
    console.log(`\n${reason}: ${rows.length}`);
    if (rows[0]?.message) console.log(`  ${rows[0].message}`);
    for (const { path } of rows.slice(0, SHOWN)) console.log(`  ${path}`);
    if (rows.length > SHOWN) console.log(`  and ${rows.length - SHOWN} more`);
  }
  for (const { path, differs } of taken)
    if (differs.length > 0) console.log(`\n${path} differs as ${differs.join(", ")}`);
}

export function toImportLine(outcomes: Outcome[]): string {
  return JSON.stringify({
    total: outcomes.length,
    imported: count(outcomes, ({ outcome }) => outcome === "imported"),
    refused: count(outcomes, ({ outcome }) => outcome === "refused"),
    crashed: count(outcomes, ({ outcome }) => outcome === "crashed"),
    roundTripDiffers: count(outcomes, ({ differs }) => differs.length > 0),
    refusedWithoutReason: count(
      outcomes,
      ({ outcome, reason, message }) => outcome === "refused" && !(reason && message),
    ),
  });
}

function count(outcomes: Outcome[], is: (outcome: Outcome) => boolean): number {
  return outcomes.filter(is).length;
}
