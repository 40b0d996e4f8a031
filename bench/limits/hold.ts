// Runs one case within an isolate's memory limit. It is a separate process, so that a crash cannot end the bench. The case runs in
// a thread (thread.ts) with V8's heap limit, while this process samples the thread's heap and external memory. If a sample of both
// together exceeds the limit, the case runs again with a smaller heap. Prints one JSON object, a `Held`. Started by bench/limits.ts.
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { CaseResult } from "./case-result.ts";

/** Cloudflare's limit for an isolate: heap and external buffers together. */
const LIMIT_MIB = 128;
/** V8's young generation, which has a limit of its own. */
const YOUNG_MIB = 8;
/** External memory that is not the case's: sources of modules, statements of SQLite. */
const FREE_EXTERNAL_MIB = 4;
const SAMPLE_MS = 1;
/** V8 delays garbage collection. With a smaller heap it collects sooner, and only live memory counts against the limit. */
const MAX_RUNS = 6;

export interface HeldMemory {
  result: CaseResult | null;
  /** Why there is no result. */
  died: string | null;
  heapLimitMiB: number;
  peakExternalMiB: number;
  peakHeapMiB: number;
  /** The highest sum of both in one sample. */
  peakMiB: number;
}

const [database = "", name = "", limit = String(LIMIT_MIB)] = process.argv.slice(2);
const fresh = `${database}.fresh`;
copyFileSync(database, fresh);
let measured = await run(Number(limit) - YOUNG_MIB - FREE_EXTERNAL_MIB);
for (let runs = 1; measured.died === null && measured.peakMiB > Number(limit) && runs < MAX_RUNS; runs++) {
  copyFileSync(fresh, database);
  measured = await run(Math.floor(measured.heapLimitMiB - (measured.peakMiB - Number(limit))));
}
if (measured.died === null && measured.peakMiB > Number(limit)) {
  measured = { ...measured, result: null, died: `held ${measured.peakMiB} MiB` };
}
console.log(JSON.stringify(measured));

async function run(heapLimitMiB: number): Promise<HeldMemory> {
  if (heapLimitMiB < 16) {
    return {
      result: null,
      died: "external buffers used all the memory",
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
      // Rejects after the thread has ended.
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
