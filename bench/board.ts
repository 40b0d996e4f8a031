// `npm run bench:board [-- --cards 10000 --jobs 1000 --no-idle]`: what each operation on cards and on jobs costs, from few to these numbers, and
// whether a board and an agenda without work leave memory. Everything runs in workerd: rows are counted by the object's own storage, times
// are those of a request to it. The last line is one JSON object.
// Method and limits: bench/README.md.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseWholeNumber, readFlags, runCommand } from "../scripts/command-line.ts";
import { bundleWorker } from "../scripts/stack/bundle.ts";
import { measureIdle } from "./board/idle.ts";
import { type Cost, measureWorlds } from "./board/measure.ts";
import type { WorldSize } from "./board/world.ts";
import { startWorkers } from "./support/workers.ts";

const USAGE = `Usage: npm run bench:board [-- --cards N --jobs N --no-idle]

  --cards N   the most cards (default 10000)
  --jobs N    the most jobs (default 1000)
  --no-idle   do not wait for idle objects to leave memory
  -h, --help  this text; the method is in bench/README.md`;

const values = readFlags(USAGE, {
  cards: { type: "string", default: "10000" },
  jobs: { type: "string", default: "1000" },
  idle: { type: "boolean", default: true },
});
/** Each operation in each size. */
const REPEATS = 40;
const upTo = (name: "cards" | "jobs", least: number) => {
  const most = parseWholeNumber(USAGE, `--${name}`, values[name], least);
  return [10, 100, 1_000, 10_000].filter((size) => size >= least && size < most).concat(most);
};
const sizes: WorldSize[][] = [
  upTo("cards", 100).map((cards) => ({ cards, jobs: 0 })),
  upTo("jobs", 10).map((jobs) => ({ cards: 0, jobs })),
];

async function measureOperations(): Promise<Cost[]> {
  const folder = mkdtempSync(join(tmpdir(), "talaria-bench-"));
  const worker = await bundleWorker(
    {
      name: "board-bench",
      main: resolve(import.meta.dirname, "board/worker.ts"),
      compatibility_date: "2026-10-01",
      compatibility_flags: ["nodejs_compat"],
      send_metrics: false,
      durable_objects: { bindings: [{ name: "BOARD_BENCH", class_name: "BoardBench" }] },
      migrations: [{ tag: "v1", new_sqlite_classes: ["BoardBench"] }],
    },
    join(folder, "worker"),
  );
  const running = await startWorkers([worker], { stateDir: join(folder, "state"), vars: {} });
  try {
    const url = await running.url("board-bench");
    const costs: Cost[] = [];
    for (const some of sizes) costs.push(...(await measureWorlds(url, some, REPEATS)));
    return costs;
  } finally {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await runCommand(USAGE, async () => {
  const rows = await measureOperations();
  console.table(rows);
  const idle = values.idle ? await measureIdle((line) => console.error(line)) : null;
  if (idle) console.table(idle);
  console.log(JSON.stringify({ rows, ...(idle && { idle }) }));
  return 0;
});
