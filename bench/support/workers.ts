// Starts Workers in one workerd process over Miniflare's API. Each has a direct socket, so that nothing is between the client and
// the Worker, as in production. `wrangler dev` would add more time than a request takes.
import { Log, LogLevel, Miniflare, type V4MiniflareOptions, convertV4MiniflareOptions } from "miniflare";
import type { WorkerOptions } from "../../scripts/stack/bundle.ts";

export interface RunningWorkers {
  /** The URL of the named Worker. */
  url(worker: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startWorkers(
  workers: WorkerOptions[],
  options: { stateDir: string; vars: Record<string, string> },
): Promise<RunningWorkers> {
  const bindings = (worker: WorkerOptions) => ({ ...worker.bindings, ...options.vars });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      log: new Log(LogLevel.WARN),
      telemetry: { enabled: false },
      resourcePersistencePath: options.stateDir,
      workers: workers.map((worker) => ({
        ...worker,
        bindings: bindings(worker),
        unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      })),
    } as V4MiniflareOptions),
  );
  await miniflare.ready;
  return {
    url: async (worker) => String(await miniflare.unsafeGetDirectURL(worker)).replace(/\/$/, ""),
    stop: () => miniflare.dispose(),
  };
}
