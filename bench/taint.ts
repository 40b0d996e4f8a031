// `npm run bench:taint [-- --data FILE] [--prose]`: what the gate holds of lessons that are honest, and lets through of what only
// content wanted. Prints a report; the last line is one JSON object. Method and limits: bench/README.md.
import { join } from "node:path";
import { readFlags } from "../scripts/command-line.ts";
import { type TaintCase, readCases, withProse } from "./taint/cases.ts";
import { measureCase } from "./taint/measure.ts";
import { printReport, toFigures } from "./taint/report.ts";

const OUR_CASES = join(import.meta.dirname, "surfaces/taint/dev.jsonl");

const measured = readArguments().map(measureCase);
printReport(measured);
console.log(JSON.stringify(toFigures(measured)));

function readArguments(): TaintCase[] {
  const usage = `Usage: npm run bench:taint [-- --data FILE] [--prose]

--data FILE  cases, one JSON object a line; without it those in bench/surfaces/taint
--prose      three sentences of everyday prose in every tool output of the honest cases

The method is in bench/README.md.`;
  const { data, prose } = readFlags(usage, { data: { type: "string" }, prose: { type: "boolean" } });
  try {
    const cases = readCases(data ?? OUR_CASES);
    return prose ? cases.map((one, at) => (one.kind === "honest" ? withProse(one, at) : one)) : cases;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}.`);
    process.exit(2);
  }
}
