// The resources that the three Workers are bound to, read from their configs. An account must have all of them. Pure.
import type { WorkerConfig } from "../stack/wrangler.ts";

export interface Resources {
  buckets: string[];
  /** KV namespaces by title: the placeholder id of the config. */
  namespaces: string[];
  queues: string[];
}

export function listResources(configs: WorkerConfig[]): Resources {
  const all = <T>(pick: (raw: WorkerConfig["raw"]) => (T | undefined)[]) =>
    [...new Set(configs.flatMap(({ raw }) => pick(raw)).filter((value) => value !== undefined))].sort();
  return {
    buckets: all((raw) => (raw.r2_buckets ?? []).map((bucket) => bucket.bucket_name)),
    namespaces: all((raw) => (raw.kv_namespaces ?? []).map((namespace) => namespace.id)),
    queues: all((raw) => [
      ...(raw.queues?.producers ?? []).map((producer) => producer.queue),
      ...(raw.queues?.consumers ?? []).flatMap((consumer) => [consumer.queue, consumer.dead_letter_queue]),
    ]),
  };
}
