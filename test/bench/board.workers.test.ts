// The rows that each operation on cards and jobs reads and writes, counted by workerd: as many in a larger board or agenda as in a smaller one.
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { createWorld } from "../../bench/board/create-world.ts";
import type { WorldSize } from "../../bench/board/world.ts";
import { meterStorage } from "../../bench/support/storage-meter.ts";
import { toSql } from "../../durable-objects/sql.ts";
import { env } from "../api/api-calls.ts";

const REPEATS = 3;

async function countRows(size: WorldSize): Promise<{ op: string; rowsRead: number; rowsWritten: number }[]> {
  const name = String(size.cards + size.jobs).padStart(26, "0");
  return runInDurableObject(env.AGENDA.getByName(name), async (_object, { storage }) => {
    const meter = meterStorage(storage);
    const { ops } = await createWorld(toSql(storage), size);
    const counted = [];
    for (const { op, work } of ops) {
      const before = meter.counts();
      for (let n = 0; n < REPEATS; n++) await work(n);
      const { rowsRead, rowsWritten } = meter.counts();
      counted.push({ op, rowsRead: rowsRead - before.rowsRead, rowsWritten: rowsWritten - before.rowsWritten });
    }
    return counted;
  });
}

it.each([
  ["cards", 200, 600],
  ["jobs", 10, 150],
])("costs as many rows for more %s", async (what, few, many) => {
  const of = (n: number) => (what === "cards" ? { cards: n, jobs: 0 } : { cards: 0, jobs: n });
  const [small, large] = [await countRows(of(few)), await countRows(of(many))];
  expect(small.length).toBeGreaterThan(9);
  const isFlat = small.map(({ op, rowsRead, rowsWritten }, n) => ({
    op,
    read: large[n]!.rowsRead <= rowsRead * 1.2,
    written: large[n]!.rowsWritten <= rowsWritten * 1.2,
  }));
  expect(isFlat).toEqual(small.map(({ op }) => ({ op, read: true, written: true })));
});
