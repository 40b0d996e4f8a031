// The memory entries that a review run has just written, so that the run reads its own writes while KV lags behind. Lives as
// long as the run. A later run recognises earlier writes by the ids in the script.
import type { Overlay } from "../../core/ports.ts";

export function createOverlay(): Overlay {
  const recent = new Map<string, { value: string; at: number }>();
  return {
    put: (key, value, at) => void recent.set(key, { value, at }),
    list: (prefix, since) =>
      [...recent]
        .filter(([key, { at }]) => key.startsWith(prefix) && at >= since)
        .map(([key, { value }]) => ({ key, value })),
    delete: (key) => void recent.delete(key),
  };
}
