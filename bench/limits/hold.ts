// Holds one case to an isolate's memory. Run as a process of its own, so that no way of dying ends the bench: it starts the
// case in a thread whose heap V8 limits, watches what the thread keeps outside its heap, and takes that off the heap's limit
// in another run; and again, while heap and buffers of one moment are over the limit. Prints one JSON object, a `Held`. Started by bench/limits.ts; the case itself runs in thread.ts.
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { CaseResult } from "./case-result.ts";

/** What Cloudflare gives an isolate: heap and buffers outside it together. */
const LIMIT_MIB = 128;
/** V8's young generation, which it counts apart. */
const YOUNG_MIB = 8;
/** Outside the heap without asking: sources of modules, statements of SQLite. */
const FREE_EXTERNAL_MIB = 4;
const SAMPLE_MS = 2;
/** V8 lets one large string through beyond its limit, so a run may need less heap to stay within all there is. */
const MAX_RUNS = 5;

export interface Held {
  result: CaseResult | null;
  /** Why there is no result. */
  died: string | null;
  heapLimitMiB: number;
  peakExternalMiB: number;
  peakHeapMiB: number;
  /** The most of both at one moment. */
  peakMiB: number;
}

const [database = "", name = "", limit = String(LIMIT_MIB)] = process.argv.slice(2);
const fresh = `${database}.fresh`;
copyFileSync(database, fresh);
let held = await run(Number(limit) - YOUNG_MIB - FREE_EXTERNAL_MIB);
for (let runs = 1; held.died === null && runs < MAX_RUNS; runs++) {
  const outside = Math.max(held.peakExternalMiB, FREE_EXTERNAL_MIB);
  const over = Math.max(0, held.peakMiB - Number(limit));
  const heapLimitMiB = Math.floor(Math.min(Number(limit) - YOUNG_MIB - outside, held.heapLimitMiB - over));
  // Buffers that are garbage come and go a little differently each time.
  if (over === 0 && (runs > 1 || heapLimitMiB >= held.heapLimitMiB)) break;
  copyFileSync(fresh, database);
  held = await run(heapLimitMiB);
}
if (held.died === null && held.peakMiB > Number(limit)) {
  held = { ...held, result: null, died: `held ${held.peakMiB} MiB` };
}
console.log(JSON.stringify(held));

async function run(heapLimitMiB: number): Promise<Held> {
  if (heapLimitMiB < 16) {
    return {
      result: null,
      died: "buffers outside the heap took it all",
      heapLimitMiB,
      peakExternalMiB: 0,
      peakHeapMiB: 0,
      peakMiB: 0,
    };
  }
  const peaks = { peakExternalMiB: 0, peakHeapMiB: 0, peakMiB: 0 };
  const worker = new Worker(join(import.meta.dirname, "thread.ts"), {
    workerData: { database, name },
    resourceLimits: { maxOldGenerationSizeMb: heapLimitMiB, maxYoungGenerationSizeMb: YOUNG_MIB, stackSizeMb: 1 },
  });
  let result: CaseResult | null = null;
  let died: string | null = null;
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  worker.on("message", (message: CaseResult) => (result = message));
  worker.on("error", (error: Error & { code?: string }) => (died = error.code ?? error.message));
  let open = true;
  void ended.then(() => (open = false));
  const sample = async () => {
    while (open) {
      // Rejected once the thread is gone.
      const heap = await Promise.race([worker.getHeapStatistics().catch(() => null), ended.then(() => null)]);
      if (heap) {
        peaks.peakExternalMiB = Math.max(peaks.peakExternalMiB, toMiB(heap.external_memory));
        peaks.peakHeapMiB = Math.max(peaks.peakHeapMiB, toMiB(heap.used_heap_size));
        peaks.peakMiB = Math.max(peaks.peakMiB, toMiB(heap.used_heap_size + heap.external_memory));
      }
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  };
  await Promise.all([ended, sample()]);
  if (result === null) died ??= "ended without a result";
  return { result, died, heapLimitMiB, ...peaks };
}

function toMiB(bytes: number): number {
  return Math.round((bytes / (1 << 20)) * 10) / 10;
}
