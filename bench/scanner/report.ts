// The readable report of bench:scanner. Called by bench/scanner.ts. It must never print a row's text, which may be hostile.
import { type ScannedRow, type ScanRun, nameFamily, groupBy, classifyRow } from "./measure.ts";

export function printReport(positives: ScanRun, benign: ScanRun): void {
  printTiers(positives);
  printFalsePositives(benign);
  printRules(positives, benign);
  console.log("");
}

/** Families and missed rows are listed for tier A only. */
function printTiers(positives: ScanRun): void {
  for (const tier of ["A", "B", "C"]) {
    const rows = positives.scanned.filter(({ row }) => row.tier === tier);
    if (rows.length === 0) continue;
    console.log(`\nTier ${tier}: ${describeCaught(rows)} caught`);
    for (const [category, ofCategory] of sortByKey(groupBy(rows, ({ row }) => row.category || "(none)"))) {
      console.log(`  ${category.padEnd(44)} ${describeCaught(ofCategory)}`);
      const families = sortByKey(groupBy(ofCategory, nameFamily)).filter(([family]) => family !== category);
      if (tier === "A")
        for (const [family, ofFamily] of families) console.log(`    ${family.padEnd(42)} ${describeCaught(ofFamily)}`);
      const missed = ofCategory.filter(({ isCaught }) => !isCaught).map(({ row }) => row.id);
      if (tier === "A" && missed.length > 0) console.log(`    missed: ${missed.join(", ")}`);
    }
  }
}

function printFalsePositives(benign: ScanRun): void {
  console.log("\nFalse positives");
  for (const [kind, rows] of sortByKey(groupBy(benign.scanned, classifyRow))) {
    console.log(`  ${kind.padEnd(44)} ${describeCaught(rows)}`);
    for (const { row, findings } of rows.filter(({ isCaught }) => isCaught)) {
      const named = findings.filter(isSevere).map(({ pattern, line }) => `${pattern} (line ${line})`);
      console.log(`    ${row.id}: ${named.join(", ")}`);
    }
  }
}

function printRules(positives: ScanRun, benign: ScanRun): void {
  const rules = new Map<string, [right: number, wrong: number]>();
  for (const [timed, at] of [
    [positives, 0],
    [benign, 1],
  ] as const) {
    for (const { findings } of timed.scanned) {
      for (const { pattern } of findings.filter(isSevere)) {
        const counts = rules.get(pattern) ?? [0, 0];
        counts[at]++;
        rules.set(pattern, counts);
      }
    }
  }
  console.log("\nRules, with the number of rows where each was right and wrong");
  for (const [pattern, [right, wrong]] of sortByKey(rules)) console.log(`  ${pattern.padEnd(44)} ${right} / ${wrong}`);
}

function isSevere({ severity }: ScannedRow["findings"][number]): boolean {
  return severity === "critical" || severity === "high";
}

function describeCaught(rows: ScannedRow[]): string {
  const caught = rows.filter(({ isCaught }) => isCaught).length;
  return `${caught} of ${rows.length} (${((100 * caught) / rows.length).toFixed(1)} %)`;
}

function sortByKey<T>(groups: Map<string, T>): [string, T][] {
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}
