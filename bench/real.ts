// `npm run bench:real -- --base-url URL --model NAME`: the loop with a real model on real tables, without lessons, with the
// lessons it learns itself, and with a good skill by hand. Prints a report; the last line is one JSON object. Method and
// limits: bench/README.md.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundleProduct } from "../scripts/stack/bundle.ts";
import { runCommand } from "../scripts/command-line.ts";
import { loadTables } from "../scripts/demo/tables.ts";
import { drawSeries } from "../scripts/demo/tasks.ts";
import { onStopSignal } from "../scripts/stack/processes.ts";
import { ARMS, runArm } from "./real/arms.ts";
import { USAGE, parseOptions } from "./real/options.ts";
import { openRecords } from "./real/records.ts";
import { toLine, toReport } from "./real/report.ts";

await runCommand(USAGE, async () => {
  const options = parseOptions(process.argv.slice(2));
  const { conventions, tasks } = drawSeries(loadTables(options.data).tables, options.seed, options.tasks);
  const began = performance.now();
  const say = (line: string) => console.error(`[${((performance.now() - began) / 60_000).toFixed(1)} min] ${line}`);
  if (tasks.length < options.tasks) say(`The tables have ${tasks.length} columns to ask about: so many tasks.`);
  const records = openRecords(resolve(options.out), {
    ...{ v: 1, model: options.model, baseUrl: options.baseUrl, seed: options.seed },
    ...{ window: options.window, steps: options.steps, data: options.data ?? null },
  });
  say(`Results so far are in ${records.folder}; the same command goes on from there.`);
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
