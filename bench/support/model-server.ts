// Starts the scripted model in its thread and reads the calls that it recorded. Used by the benches that run Workers, and their
// tests.
import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { RecordedCall } from "./orders.ts";

export interface ScriptedModelServer {
  /** The base URL for a provider's SDK. */
  baseUrl: string;
  /** Returns and deletes the recorded calls of a turn, in order. */
  take(run: string): Promise<{ calls: RecordedCall[]; sideCalls: number }>;
  close(): Promise<void>;
}

export async function startScriptedModel(): Promise<ScriptedModelServer> {
  const thread = new Worker(join(import.meta.dirname, "model-thread.ts"));
  const [port] = (await once(thread, "message")) as [number];
  const url = `http://127.0.0.1:${port}`;
  return {
    baseUrl: `${url}/v1`,
    take: async (run) => (await (await fetch(`${url}/runs/${run}`)).json()) as never,
    close: async () => void (await thread.terminate()),
  };
}
