// The report of bench:turn: a readable table, then the figures as one line of JSON.
import type { Subject } from "../support/subjects/subject.ts";
import { listCounts, roundToHundredths } from "../support/figures.ts";
import type { Details, StorageWrites } from "./measure.ts";

type DetailsBySubject = Map<Subject["name"], Details>;

const NAMES = {
  ours: "Talaria",
  peer: "Agents SDK (agents, @cloudflare/ai-chat)",
  bare: "A bare Durable Object: one row per call, every chunk passed on",
} as const;

const NOT_MEASURED = {
  addedFirstTokenMs: { p50: null, p95: null },
  perStepMs: null,
  rowsWritten10Steps: null,
  rowsWritten400Chunks: null,
  alarms10Steps: null,
};

export function toLine(measured: DetailsBySubject): string {
  const figures = (name: Subject["name"]) => measured.get(name)?.figures ?? NOT_MEASURED;
  return JSON.stringify({ ours: figures("ours"), peer: figures("peer"), bare: figures("bare") });
}

export function printReport(measured: DetailsBySubject, turns: number): void {
  for (const [name, details] of measured) {
    const { figures, directFirstMs, beforeModelMs, directTurnMs, turnMs, writes } = details;
    const { p50, p95 } = figures.addedFirstTokenMs;
    console.log(`\n${NAMES[name]}, ${turns} turns each`);
    console.log(
      `  added first-token time  p50 ${p50} ms, p95 ${p95} ms (model called directly: ${roundToHundredths(directFirstMs)} ms; the request reaches the model after ${roundToHundredths(beforeModelMs)} ms)`,
    );
    console.log(
      `  own time per tool step  ${figures.perStepMs} ms (turn of 10 steps ${roundToHundredths(turnMs)} ms, its 11 model calls directly ${roundToHundredths(directTurnMs)} ms)`,
    );
    if (!writes) continue;
    printWrites("10 steps, first turn", writes.tenSteps);
    printWrites("10 steps, second turn", writes.tenStepsAgain);
    printWrites("400 chunks", writes.chunks400);
  }
  if (!measured.has("peer")) console.log("\nThe peer was not measured (--no-peer): its figures are null.");
  console.log("");
}

function printWrites(what: string, { rows, by, alarms, keyValueWrites, settled }: StorageWrites): void {
  const left = settled ? "" : " (an alarm was still set when the wait ended)";
  const others = keyValueWrites > 0 ? `, ${keyValueWrites} key-value writes` : "";
  console.log(`  ${what}: ${rows} rows written, setAlarm ${alarms} times${others}${left}`);
  console.log(`    ${listCounts(by)}`);
}
