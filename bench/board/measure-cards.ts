// What each operation on a board's cards costs, at several numbers of cards: rows read and written, and time. Called by bench:board inside an
// object, whose storage counts rows, and in this process, whose clock runs. Pure but for what it is given.
import { BOARD_SCHEMA, createBoard } from "../../core/board/board.ts";
import type { Result } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { MeasureJobsDeps } from "./measure-jobs.ts";

export interface CardsCost {
  cards: number;
  jobs: 0;
  op: string;
  rowsRead: number;
  rowsWritten: number;
  ms: number;
}

/** How often each operation is done; its cost is the mean. */
const REPEATS = 20;
const START = Date.UTC(2026, 0, 5, 9);
const SESSION = "01ARZ3NDEKTSV4RRFFQ6000000";
const BY_OWNER = { author: { by: "owner" } } as const;
const ROLES = ["coder", "critic", "writer"];

/** `sizes` ascending. A tenth of the cards is ready, a tenth waits for one of these, the others are in triage, scheduled or done. */
export function measureCards({ sql, counts, elapsedMs }: MeasureJobsDeps, sizes: number[]): CardsCost[] {
  for (const query of BOARD_SCHEMA) sql.run(query);
  let [now, seed, made] = [START, 1, 0];
  const board = createBoard({
    ...{ sql, clock: { now: () => now } },
    // Another number each time: ids must differ, and nothing else depends on it.
    random: () => ((seed = (seed * 48_271) % 2_147_483_647) - 1) / 2_147_483_646,
    limits: { ...DEFAULTS.board, maxRunning: 50 },
  });
  const costs: CardsCost[] = [];
  const value = <T>(result: Result<T>): T => {
    if (!result.ok) throw new Error(result.failure.message);
    return result.value;
  };
  function measure(size: number, op: string, work: (n: number) => void): void {
    const [before, began] = [counts(), elapsedMs()];
    for (let n = 0; n < REPEATS; n++) work(n);
    const [after, ended] = [counts(), elapsedMs()];
    const mean = (total: number) => Math.round((total / REPEATS) * 100) / 100;
    costs.push({
      ...{ cards: size, jobs: 0, op, ms: mean(ended - began) },
      ...{
        rowsRead: mean(after.rowsRead - before.rowsRead),
        rowsWritten: mean(after.rowsWritten - before.rowsWritten),
      },
    });
  }
  const create = (n: number, more: object = {}) =>
    value(board.create(BY_OWNER, { title: `card ${n}`, assignee: { role: ROLES[n % 3]! }, ...more })).card.id;

  let lastReady: string | null = null;
  function grow(size: number): void {
    for (; made < size; made++) {
      const place = made % 10;
      if (place === 0) lastReady = create(made, { label: "bench" });
      else if (place === 1) create(made, { parents: [lastReady!] });
      else if (place === 2) create(made, { notBefore: START + 1e10 + made });
      else if (place < 6) create(made, { triage: true });
      else value(board.complete(BY_OWNER, create(made), { summary: "done" }));
    }
  }

  for (const size of sizes) {
    grow(size);
    now += 1_000;
    const probes: string[] = [];
    measure(size, "create", (n) => void probes.push(create(n, { priority: 100 })));
    const children: string[] = [];
    measure(size, "create with a parent", (n) => void children.push(create(n, { parents: [probes[n]!] })));
    measure(size, "next due", () => void board.nextDue());
    const runs: string[] = [];
    measure(size, "claim", () => void runs.push(board.claimNext(SESSION)!.run.id));
    const worker = (n: number) => ({ author: { by: "agent", session: SESSION, run: runs[n]! } }) as const;
    measure(size, "heartbeat", (n) => void value(board.heartbeat(worker(n), probes[n]!)));
    measure(size, "comment", (n) => void value(board.comment(worker(n), probes[n]!, "half of it")));
    const done = (n: number) => board.complete(worker(n), probes[n]!, { summary: "done", children: [children[n]!] });
    measure(size, "complete with a child", (n) => void value(done(n)));
    measure(size, "first page", () => void board.list({ limit: 50 }));
    measure(size, "first page of a status", () => void board.list({ status: "done", limit: 50 }));
    measure(size, "first page of a role", () => void board.list({ assignee: { role: "coder" }, limit: 50 }));
    measure(size, "show", (n) => void value(board.show(probes[n]!)));
    measure(size, "stats", () => void board.stats());
    for (const id of [...children, ...probes]) value(board.delete(BY_OWNER, id));
  }
  return costs;
}
