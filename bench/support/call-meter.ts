// Counts an object's calls to R2 and KV and the bytes transferred, inside workerd. ours.ts wraps a Session's bindings with it
// before the object is built, so the object does not notice.

export interface CallCounts {
  calls: number;
  /** Bytes of bodies written, and of bodies and values read. A listing counts only as a call. */
  bytes: number;
}

/** Wraps a binding so that its calls are added to `counts`. */
export function meterCalls<Binding extends object>(binding: Binding, counts: CallCounts): Binding {
  return new Proxy(binding, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return async (...given: unknown[]) => {
        counts.calls += 1;
        if (name === "put") counts.bytes += measureSize(given[1]);
        const answer: unknown = await (value as (...of: unknown[]) => unknown).apply(target, given);
        if (name === "get") counts.bytes += measureSize(answer);
        return answer;
      };
    },
  });
}

function measureSize(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  const size = (value as { size?: unknown } | null | undefined)?.size; // an object of R2
  return typeof size === "number" ? size : 0;
}
