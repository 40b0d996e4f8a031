// The rows that each operation on jobs reads and writes, counted by workerd: as many for a few hundred jobs as for some dozens.
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { measureJobs } from "../../bench/board/measure-jobs.ts";
import { meterStorage } from "../../bench/support/storage-meter.ts";
import { toSql } from "../../durable-objects/sql.ts";
import { env } from "../api/api-calls.ts";

it("costs as many rows for 200 jobs as for 50", async () => {
  const costs = await runInDurableObject(env.AGENDA.getByName("0".repeat(26)), (_object, state) => {
    const meter = meterStorage(state.storage);
    return measureJobs({ sql: toSql(state.storage), counts: () => meter.counts(), elapsedMs: () => 0 }, [50, 200]);
  });
  const [few, many] = [50, 200].map((size) => costs.filter(({ jobs }) => jobs === size));
  expect(few!.map(({ op }) => op)).toEqual([
    ...["job create", "job next due", "job first page", "job run now", "job settle", "job claim nothing", "job claim"],
  ]);
  for (const [n, { op, rowsRead, rowsWritten }] of many!.entries()) {
    expect({ op, rowsRead: rowsRead <= few![n]!.rowsRead * 1.2 + 0.1 }).toEqual({ op, rowsRead: true });
    expect({ op, rowsWritten: rowsWritten <= few![n]!.rowsWritten * 1.2 + 0.1 }).toEqual({ op, rowsWritten: true });
  }
});
