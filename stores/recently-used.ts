// A least-recently-used cache bounded by weight. The base of the caches in this folder. Knows nothing of its keys or values.

export interface RecentlyUsed<Value> {
  get(key: string): Value | undefined;
  /** A value heavier than the whole limit is not stored. */
  set(key: string, value: Value): void;
  delete(key: string): void;
}

export function createRecentlyUsed<Value>(options: {
  maxWeight: number;
  weigh(value: Value): number;
}): RecentlyUsed<Value> {
  const { maxWeight, weigh } = options;
  // A Map keeps insertion order, so its first key is the least recently used.
  const kept = new Map<string, { value: Value; weight: number }>();
  let total = 0;

  function drop(key: string): void {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  }

  return {
    get(key) {
      const found = kept.get(key);
      if (!found) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found.value;
    },
    set(key, value) {
      drop(key);
      const weight = weigh(value);
      if (weight > maxWeight) return;
      kept.set(key, { value, weight });
      total += weight;
      for (const oldest of kept.keys()) {
        if (total <= maxWeight) return;
        drop(oldest);
      }
    },
    delete: drop,
  };
}
