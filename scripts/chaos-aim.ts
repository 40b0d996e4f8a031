// Tells chaos.ts when the skills bucket of a local stack is written, put by put, so that a kill can be aimed at any step of a
// review. Looks at the simulator's folder from outside; reads nothing in it, and is good for aiming only.
import { type FSWatcher, mkdirSync, watch } from "node:fs";
import { join } from "node:path";

export interface Puts {
  /** When each new object was first seen, oldest first. */
  times: number[];
  /** Resolves at the `n`-th put from the watch's beginning, n from 1. */
  reached(n: number): Promise<void>;
  close(): void;
}

export function watchPuts(stateDir: string, bucket: string): Puts {
  const folder = join(stateDir, "data", "v3", "r2", bucket, "blobs");
  mkdirSync(folder, { recursive: true });
  const times: number[] = [];
  const seen = new Set<string>();
  const waiting: { n: number; done: () => void }[] = [];
  const watcher: FSWatcher = watch(folder, (_, name) => {
    if (!name || seen.has(name)) return;
    seen.add(name);
    times.push(Date.now());
    for (const { n, done } of waiting) if (n === times.length) done();
  });
  return {
    times,
    reached: (n) => new Promise((done) => waiting.push({ n, done })),
    close: () => watcher.close(),
  };
}
