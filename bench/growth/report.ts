// The report of bench:growth: a readable table, then the figures as one line of JSON.
import { listCounts, roundToHundredths } from "../support/figures.ts";
import type { ProfileRow } from "./profile.ts";
import { type GrowthReportRow, type Sample, computeRatios } from "./samples.ts";

const COLUMNS = [
  "entries",
  "tokens",
  "rowsRead",
  "rowsWritten",
  "requestBytes",
  "warmMs",
  "coldRowsRead",
  "coldMessages",
];
const FLAT = ["rowsRead", "rowsWritten", "requestBytes", "warmMs"] as const;

export function toGrowthLine(rows: GrowthReportRow[], rssMiB: number | null, profile: ProfileRow[] = []): string {
  return JSON.stringify({
    rows: rows.map(({ coldMessages: _needed, ...row }) => row),
    ratios: computeRatios(rows),
    profile: { rows: profile, ratios: computeProfileRatios(profile) },
    rssMiB200Sessions: rssMiB,
  });
}

/** The largest profile divided by the second row, where each word's list is full for the first time. Smaller profiles have too few similar turns. */
function computeProfileRatios(rows: ProfileRow[]): Record<string, number> | null {
  const [base, last] = [rows[1], rows.at(-1)];
  if (!base || !last || base === last) return null;
  const names = ["observeMs", "bookMs", "observeRows", "observeBytes", "bookRows"] as const;
  return Object.fromEntries(
    names.filter((name) => base[name] > 0).map((name) => [name, roundToHundredths(last[name] / base[name])]),
  );
}

export function printProfile(rows: ProfileRow[]): void {
  console.log("\nA turn as its profile grows: the Archive's observation, the Account's booking");
  const names = Object.keys(rows[0] ?? {}) as (keyof ProfileRow)[];
  console.log(names.map((name) => name.padStart(13)).join(""));
  for (const row of rows) console.log(names.map((name) => String(row[name]).padStart(13)).join(""));
}

export function printGrowth(rows: GrowthReportRow[], samples: Sample[], rssMiB: number | null): void {
  console.log("\nOne session as it grows: a warm turn of two tool steps, about 4,000 tokens");
  console.log(["budget", ...COLUMNS].map((name) => name.padStart(13)).join(""));
  for (const row of rows) {
    const cells = [
      row.atBudget ? "full" : "",
      ...COLUMNS.map((name) => String(row[name as keyof GrowthReportRow] ?? "-")),
    ];
    console.log(cells.map((cell) => cell.padStart(13)).join(""));
  }
  for (const row of rows.filter(({ atBudget, beside }) => atBudget && beside)) {
    console.log(`Beside the Session, at ${row.entries} entries: ${listCounts(row.beside!)}`);
  }
  for (const cold of [false, true]) {
    const newest = samples.findLast((sample) => sample.cold === cold);
    if (newest) console.log(`Rows read by the newest ${cold ? "cold" : "warm"} turn: ${listCounts(newest.readBy)}`);
  }
  const full = rows.filter((row) => row.atBudget);
  if (full.length > 1) {
    const spread = (name: (typeof FLAT)[number]) => {
      const values = full.map((row) => row[name]);
      return `${name} ${roundToHundredths(Math.max(...values) / values[0]!)}x`;
    };
    console.log(`\nHighest against the first with a full budget: ${FLAT.map(spread).join(", ")}`);
  } else console.log("\nThe budget was never full: the conversation was not compacted.");
  if (rssMiB === null) console.log("Resident memory: cannot be read on this system.");
  else console.log(`Resident memory of workerd with 200 sessions streaming: ${rssMiB} MiB`);
  console.log("");
}
