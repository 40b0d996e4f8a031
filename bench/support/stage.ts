// Starts everything a bench needs, in one temporary folder: the scripted model, Talaria's Workers, the bare Worker and optionally
// the peer's. Used by turn.ts, growth.ts, skills.ts and their tests.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundleWorker } from "../../scripts/stack/bundle.ts";
import { readWorkerConfigs } from "../../scripts/stack/wrangler.ts";
import { type ScriptedModelServer, startScriptedModel } from "./model-server.ts";
import { OPERATOR_TOKEN } from "./subjects/talaria.ts";
import { type RunningWorkers, startWorkers } from "./workers.ts";

export interface Stage {
  server: ScriptedModelServer;
  oursUrl: string;
  bareUrl: string;
  /** `null` if the peer was not requested. */
  peerUrl: string | null;
  stop(): Promise<void>;
}

export const BENCH_MODEL = "openai-chat:bench";

const API = "talaria-api";
const BARE = "talaria-bench-bare";
const PEER = "talaria-bench-peer";
const bench = resolve(import.meta.dirname, "..");

/**
 * `settings`: the value of TALARIA_SETTINGS. The curator is omitted: nothing sends to its queue here, and its cron does not fire by
 * itself.
 */
export async function startStage(options: { peer: boolean; settings?: object }): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "talaria-bench-"));
  const stops: (() => Promise<void>)[] = [];
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeFolder); // Ctrl-C: Miniflare ends its workerd and then this process
  const stop = async () => {
    for (const end of stops.reverse()) await end();
    process.off("exit", removeFolder);
    removeFolder();
  };
  try {
    const server = await startScriptedModel();
    stops.push(server.close);
    const product = readWorkerConfigs().filter(({ worker }) => worker !== "curator");
    const workers = await Promise.all([
      ...product.map(({ worker, raw }) =>
        bundleWorker(
          worker === "api" ? { ...raw, main: join(bench, "support/subjects/ours.ts") } : raw,
          join(folder, worker),
        ),
      ),
      bundleWorker(withObject(BARE, "bare/worker.js", "BARE", "Bare"), join(folder, "bare")),
      ...(options.peer
        ? [bundleWorker(withObject(PEER, "peers/worker.js", "ChatAgent", "ChatAgent"), join(folder, "peer"))]
        : []),
    ]);
    const vars = {
      TALARIA_OPERATOR_TOKEN: OPERATOR_TOKEN,
      TALARIA_MODEL: BENCH_MODEL,
      OPENAI_BASE_URL: server.baseUrl,
      ...(options.settings ? { TALARIA_SETTINGS: JSON.stringify(options.settings) } : {}),
    };
    const running: RunningWorkers = await startWorkers(workers, { stateDir: join(folder, "state"), vars });
    stops.push(running.stop);
    return {
      server,
      oursUrl: await running.url(API),
      bareUrl: await running.url(BARE),
      peerUrl: options.peer ? await running.url(PEER) : null,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The config of a Worker with one Durable Object over SQLite. */
function withObject(name: string, main: string, binding: string, className: string) {
  return {
    name,
    main: join(bench, main),
    compatibility_date: "2026-10-01",
    compatibility_flags: ["nodejs_compat"],
    send_metrics: false,
    durable_objects: { bindings: [{ name: binding, class_name: className }] },
    migrations: [{ tag: "v1", new_sqlite_classes: [className] }],
  };
}
