// Medians and quantiles, and how figures are printed. Pure.

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

/** Two decimals: below that, a clock of a shared machine says nothing. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** What each count rose by; those that did not are left out. */
export function subtractCounts(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  const risen = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(risen.filter(([, count]) => count !== 0));
}

/** `INSERT entry 32, DELETE job 3`: the highest first. */
export function listCounts(counts: Record<string, number>): string {
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return sorted.map(([name, count]) => `${name} ${count}`).join(", ");
}
