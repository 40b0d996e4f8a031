// Medians, quantiles and number formatting for benches. Pure.

export function quantile(values: number[], share: number): number {
  if (values.length === 0) throw new Error("no values");
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Two decimals: more would be noise on a shared machine. */
export function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The increase of each count. Unchanged counts are omitted. */
export function subtractCounts(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  const risen = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(risen.filter(([, count]) => count !== 0));
}

/** Such as `INSERT entry 32, DELETE job 3`, highest first. */
export function listCounts(counts: Record<string, number>): string {
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return sorted.map(([name, count]) => `${name} ${count}`).join(", ");
}
