// Keyed random draws: the same key always gives the same value, in any order of calls. So all arms of a seed meet the same world,
// and the draws of a worker or reviewer for a task depend only on the task. Pure.

type Key = string | number;

/** Uniform in [0, 1). */
export function draw(...key: Key[]): number {
  let hash = 0x811c9dc5;
  const text = key.join("\u0000");
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

export function happens(share: number, ...key: Key[]): boolean {
  return draw(...key) < share;
}

export function pick<T>(items: readonly T[], ...key: Key[]): T {
  if (items.length === 0) throw new Error(`nothing to pick from: ${key.join(" ")}`);
  return items[Math.floor(draw(...key) * items.length)]!;
}

/** An index into `weights`, which need not add up to one. */
export function pickWeighted(weights: readonly number[], ...key: Key[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = draw(...key) * total;
  const place = weights.findIndex((weight) => (left -= weight) < 0);
  return place < 0 ? weights.length - 1 : place;
}

export function shuffled<T>(items: readonly T[], ...key: Key[]): T[] {
  return items
    .map((item, at) => ({ item, order: draw(...key, at) }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
