// Measures each operation in worlds of several sizes, in turns: once in each world, then again, so that what else the machine does delays all
// alike. Called by bench:board.
import { median } from "../support/figures.ts";
import type { DoneWork } from "./worker.ts";
import type { WorldSize } from "./world.ts";

export interface Cost extends WorldSize {
  op: string;
  /** Means. */
  rowsRead: number;
  rowsWritten: number;
  /** Milliseconds from the request to the object until its answer: the median. */
  ms: number;
}

const WARM_UP = 200;

/** `url`: of bench/board/worker.ts. */
export async function measureWorlds(url: string, sizes: WorldSize[], repeats: number): Promise<Cost[]> {
  async function call<T>(size: WorldSize, path: string, body: object): Promise<T> {
    const headers = { "x-world": `${size.cards}-${size.jobs}` };
    const response = await fetch(`${url}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`The Worker answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  let ops: string[] = [];
  for (const size of sizes) ops = await call<string[]>(size, "build", size);
  const warm = sizes[0]!.cards > 0 ? { cards: 11, jobs: 0 } : { cards: 0, jobs: 11 };
  await call(warm, "build", warm);
  for (let n = 0; n < WARM_UP; n++) await call(warm, "do", { place: 0, n });
  const costs: Cost[] = [];
  for (const [place, op] of ops.entries()) {
    const figures = sizes.map((size) => ({ size, times: [] as number[], rowsRead: 0, rowsWritten: 0 }));
    for (let n = 0; n < repeats; n++) {
      // Each is the first of a round in its turn.
      for (let turn = 0; turn < figures.length; turn++) {
        const figure = figures[(turn + n) % figures.length]!;
        const began = performance.now();
        const done = await call<DoneWork>(figure.size, "do", { place, n });
        figure.times.push(performance.now() - began);
        figure.rowsRead += done.rowsRead;
        figure.rowsWritten += done.rowsWritten;
      }
    }
    const round = (value: number) => Math.round(value * 100) / 100;
    costs.push(
      ...figures.map(({ size, times, rowsRead, rowsWritten }) => ({
        ...{ ...size, op, ms: round(median(times)) },
        ...{ rowsRead: round(rowsRead / repeats), rowsWritten: round(rowsWritten / repeats) },
      })),
    );
  }
  return costs;
}
