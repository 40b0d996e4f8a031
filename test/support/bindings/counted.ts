// Ports that count requests as the platform does: each call to R2 or KV is one request of the invocation, for any number of keys or
// objects.
import type { Bucket, KeyValue } from "../../../core/ports.ts";

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

export function countCall(counter: Counter, kind: string): void {
  counter.calls += 1;
  counter.byKind[kind] = (counter.byKind[kind] ?? 0) + 1;
}

function count<Port extends object>(port: Port, store: string, counter: Counter, names: (keyof Port & string)[]): Port {
  const counted = names.map((name) => {
    const call = (...asked: unknown[]) => {
      countCall(counter, `${store} ${name}`);
      return (port[name] as (...asked: unknown[]) => unknown)(...asked);
    };
    return [name, call] as const;
  });
  return { ...port, ...(Object.fromEntries(counted) as Port) };
}
