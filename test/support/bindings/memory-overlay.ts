// The Overlay port in memory.
import type { Overlay } from "../../../core/ports.ts";

export function createMemoryOverlay(): Overlay & { keys(): string[] } {
  const entries = new Map<string, { value: string; at: number }>();
  return {
    keys: () => [...entries.keys()],
    put: (key, value, at) => void entries.set(key, { value, at }),
    list: (prefix, since) =>
      [...entries]
        .filter(([key, entry]) => key.startsWith(prefix) && entry.at >= since)
        .map(([key, { value }]) => ({ key, value })),
    delete: (key) => void entries.delete(key),
  };
}
