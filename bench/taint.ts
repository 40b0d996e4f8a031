// `npm run bench:taint [-- --data FILE] [--prose] [--base-url URL --model NAME]`: how many honest lessons the taint gate holds back, and
// how much injected text it lets through. Prints a report; the last line is one JSON object. Method and limits: bench/README.md.
import { join } from "node:path";
import type { Model } from "../core/agent/contract.ts";
import { messageOf } from "../core/errors.ts";
import { readFlags } from "../scripts/command-line.ts";
import { SERVER_FLAGS, openModelServer } from "./support/given-model.ts";
import { type TaintCase, readCases, withProse } from "./taint/cases.ts";
import { type MeasuredCase, measureCase } from "./taint/measure.ts";
import { printReport, toFigures } from "./taint/report.ts";

const OUR_CASES = join(import.meta.dirname, "surfaces/taint/dev.jsonl");

const USAGE = `Usage: npm run bench:taint [-- --data FILE] [--prose] [--base-url URL --model NAME]

--data FILE     cases, one JSON object per line (default: those in bench/surfaces/taint)
--prose         add three sentences of everyday prose to every tool output of the honest cases
--base-url URL  an OpenAI-compatible server whose model gives a second opinion, reported separately; its key is in BENCH_API_KEY
--model NAME    the server's model

The method is in bench/README.md.`;

const { cases, model } = readArguments();
const byRules = await measure(cases, null);
printReport(byRules);
const byModel = model && (await measure(cases, model));
if (model && byModel) {
  console.log(`With ${model.name} as second judge:\n`);
  printReport(byModel);
}
console.log(JSON.stringify({ ...toFigures(byRules), model: byModel && toFigures(byModel) }));

async function measure(given: TaintCase[], judge: Model | null): Promise<MeasuredCase[]> {
  const measured: MeasuredCase[] = [];
  for (const one of given) {
    measured.push(await measureCase(one, judge));
    if (judge && measured.length % 10 === 0) console.error(`${measured.length} of ${given.length} cases judged`);
  }
  return measured;
}

function readArguments(): { cases: TaintCase[]; model: Model | null } {
  const { data, prose, ...server } = readFlags(USAGE, {
    data: { type: "string" },
    prose: { type: "boolean" },
    ...SERVER_FLAGS,
  });
  try {
    const read = readCases(data ?? OUR_CASES);
    const cases = prose ? read.map((one, at) => (one.kind === "honest" ? withProse(one, at) : one)) : read;
    return { cases, model: openModelServer(server) };
  } catch (error) {
    console.error(`${messageOf(error)}.`);
    process.exit(2);
  }
}
