// Ports that count what the platform counts: each call to R2 or KV is one request of the invocation, however many keys or
// objects it names.
import type { Bucket, KeyValue } from "../../core/ports.ts";

export interface Counter {
  calls: number;
  byKind: Record<string, number>;
}

export function createCounter(): Counter {
  return { calls: 0, byKind: {} };
}

export function countBucket(bucket: Bucket, counter: Counter): Bucket {
  return count(bucket, "r2", counter, ["get", "getUnless", "put", "list", "delete"]);
}

export function countKv(kv: KeyValue, counter: Counter): KeyValue {
  return count(kv, "kv", counter, ["get", "getMany", "put", "list", "delete"]);
}

function count<Port extends object>(port: Port, store: string, counter: Counter, names: (keyof Port & string)[]): Port {
  return new Proxy(port, {
    get(target, key) {
      if (names.includes(key as keyof Port & string)) {
        const kind = `${store} ${String(key)}`;
        counter.calls += 1;
        counter.byKind[kind] = (counter.byKind[kind] ?? 0) + 1;
      }
      return Reflect.get(target, key) as unknown;
    },
  });
}
