// `npm run bench:real -- --base-url URL --model NAME`: a real model on real tables in four arms: without lessons, with the lessons that
// it learns itself, with lessons that are also tried on earlier turns, and with a good handwritten skill. Prints a report; the last line is one JSON object.
// Method and limits: bench/README.md.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundleProduct } from "../scripts/stack/bundle.ts";
import { runCommand } from "../scripts/command-line.ts";
import { loadTables } from "../scripts/demo/tables.ts";
import { drawSeries } from "../scripts/demo/tasks.ts";
import { onStopSignal } from "../scripts/stack/processes.ts";
import { runArm } from "./real/arms.ts";
import { USAGE, parseOptions } from "./real/options.ts";
import { ARMS, openRecords } from "./real/records.ts";
import { toLine, toReport } from "./real/report.ts";

await runCommand(USAGE, async () => {
  const options = parseOptions(process.argv.slice(2));
  const { conventions, tasks } = drawSeries(loadTables(options.data).tables, options.seed, options.tasks);
  const began = performance.now();
  const say = (line: string) => console.error(`[${((performance.now() - began) / 60_000).toFixed(1)} min] ${line}`);
  if (tasks.length < options.tasks)
    say(`The tables have only ${tasks.length} suitable columns, so there are ${tasks.length} tasks.`);
  const records = openRecords(resolve(options.out), {
    ...{ v: 1, model: options.model, baseUrl: options.baseUrl, seed: options.seed },
    ...{ window: options.window, steps: options.steps, data: options.data ?? null },
  });
  say(`Results are in ${records.folder}. If interrupted, repeat the same command to resume.`);
  const abort = new AbortController();
  onStopSignal(() => abort.abort());
  const { signal } = abort;
  const built = mkdtempSync(join(tmpdir(), "talaria-real-"));
  try {
    const workers = await bundleProduct(built, { say, signal });
    for (const arm of ARMS) await runArm(arm, { conventions, tasks, options, records, workers, say, signal });
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
  const done = records.read().filter(({ n }) => n < tasks.length);
  console.log(toReport(options.model, tasks, done));
  console.log(toLine(options.model, tasks.length, done));
  return 0;
});
