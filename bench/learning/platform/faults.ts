// Simulates a process that is killed at one of its store calls: that call and all later ones never return. Wraps the stores of
// one delivery.
import type { Bucket, KeyValue } from "../../../core/ports.ts";

export interface KillableStores {
  bucket: Bucket;
  kv: KeyValue;
  /** Resolves when the process is dead. */
  killed: Promise<"killed">;
}

/** `atCall`: the call at which the process dies, from 1. `afterwards`: the call takes effect and only its response is lost. */
export function createKillableStores(
  stores: { bucket: Bucket; kv: KeyValue },
  { atCall, afterwards }: { atCall: number; afterwards: boolean },
): KillableStores {
  const { promise: killed, resolve: die } = Promise.withResolvers<"killed">();
  const never = new Promise<never>(() => {});
  let calls = 0;
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls < atCall) return work();
    if (calls === atCall && afterwards) await work();
    die("killed");
    return never;
  };
  const { bucket, kv } = stores;
  return {
    killed,
    bucket: {
      get: (key) => guard(() => bucket.get(key)),
      getUnless: (key, unless) => guard(() => bucket.getUnless(key, unless)),
      put: (key, body, options) => guard(() => bucket.put(key, body, options)),
      list: (options) => guard(() => bucket.list(options)),
      delete: (keys) => guard(() => bucket.delete(keys)),
    },
    kv: {
      get: (key) => guard(() => kv.get(key)),
      getMany: (keys) => guard(() => kv.getMany(keys)),
      put: (key, value, options) => guard(() => kv.put(key, value, options)),
      delete: (key) => guard(() => kv.delete(key)),
      list: (options) => guard(() => kv.list(options)),
    },
  };
}
