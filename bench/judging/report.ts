// The readable report of bench:judging. Called by bench/judging.ts. Identifies rows by id.
import type { JudgedReply } from "./replies.ts";

export function printMistakes(judge: string, judged: readonly JudgedReply[]): void {
  const count = (verdict: string) => judged.filter(({ row }) => row.verdict === verdict).length;
  console.log(
    `${judge}: ${judged.length} replies, ${count("success")} success, ${count("failure")} failure, ${count("none")} none`,
  );
  for (const { row, said } of judged) {
    if (said.verdict === row.verdict || said.verdict === "none") continue;
    console.log(`  ${row.id.padEnd(8)} ${row.verdict} read as ${said.verdict}`);
  }
}

/** Failures of single calls. The run continued without their answers. */
export function printFailures(failures: readonly string[]): void {
  if (failures.length > 0) console.log(`  ${failures.length} failed`);
  for (const failure of failures) console.log(`    ${failure}`);
}
