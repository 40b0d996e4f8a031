// `npm run bench:board [-- --cards 10000 --jobs 1000]`: what each operation on cards and on jobs costs, from a hundred to these numbers. Rows are
// counted in workerd, by the object's own storage; times are this process's, over node:sqlite. The last line is one JSON object.
// Method and limits: bench/README.md.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseWholeNumber, readFlags, runCommand } from "../scripts/command-line.ts";
import { bundleWorker } from "../scripts/stack/bundle.ts";
import { type CardsCost, measureCards } from "./board/measure-cards.ts";
import { type JobsCost, measureJobs } from "./board/measure-jobs.ts";
import { createBenchSql } from "./learning/platform/sql.ts";
import { startWorkers } from "./support/workers.ts";

const USAGE = `Usage: npm run bench:board [-- --cards N --jobs N]

  --cards N   the most cards (default 10000)
  --jobs N    the most jobs (default 1000)
  -h, --help  this text; the method is in bench/README.md`;

const values = readFlags(USAGE, {
  cards: { type: "string", default: "10000" },
  jobs: { type: "string", default: "1000" },
});
const upTo = (name: "cards" | "jobs") => {
  const most = parseWholeNumber(USAGE, `--${name}`, values[name], 100);
  return [100, 1_000, 10_000, 100_000].filter((size) => size < most).concat(most);
};
const [cards, jobs] = [upTo("cards"), upTo("jobs")];

await runCommand(USAGE, async () => {
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
    const count = async <Cost>(what: string, sizes: number[]): Promise<Cost[]> => {
      const response = await fetch(`${url}/${what}`, { method: "POST", body: JSON.stringify({ what, sizes }) });
      if (!response.ok) throw new Error(`The Worker answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as Cost[];
    };
    const timed = () => ({
      ...{ sql: createBenchSql(), counts: () => ({ rowsRead: 0, rowsWritten: 0 }), elapsedMs: () => performance.now() },
    });
    const counted = [...(await count<CardsCost>("cards", cards)), ...(await count<JobsCost>("jobs", jobs))];
    const times = [...measureCards(timed(), cards), ...measureJobs(timed(), jobs)];
    const rows = counted.map((row, n) => ({ ...row, ms: times[n]!.ms }));
    console.table(rows);
    console.log(JSON.stringify({ rows }));
    return 0;
  } finally {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
