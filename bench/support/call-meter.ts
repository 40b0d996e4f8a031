// Counts the calls an object makes to R2 and KV, and the bytes that pass, inside workerd. ours.ts puts it between a Session and
// its bindings before the object is built; the object does not know of it.

export interface CallCounts {
  calls: number;
  /** Of bodies put, and of bodies and values got. A listing counts as a call. */
  bytes: number;
}

/** The binding, counting into `counts`. */
export function meterCalls<Binding extends object>(binding: Binding, counts: CallCounts): Binding {
  return new Proxy(binding, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return async (...given: unknown[]) => {
        counts.calls += 1;
        if (name === "put") counts.bytes += sizeOf(given[1]);
        const answer: unknown = await (value as (...of: unknown[]) => unknown).apply(target, given);
        if (name === "get") counts.bytes += sizeOf(answer);
        return answer;
      };
    },
  });
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  const size = (value as { size?: unknown } | null | undefined)?.size; // an object of R2
  return typeof size === "number" ? size : 0;
}
