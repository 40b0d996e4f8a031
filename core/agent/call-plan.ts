// Plans which calls of one answer may run in parallel. Used by step-calls.ts. Pure: the same calls give the same plan, also when a
// turn is resumed.

/** The paths a call touches; `null` for a call that must run alone. */
export type Footprint = { reads: string[]; writes: string[] } | null;

/**
 * Indexes of the calls in order, cut into segments. Each segment ends before the next begins. Calls of one segment do not conflict,
 * so they may run in parallel. Two calls that read the same path do not conflict.
 */
export function planCalls(footprints: Footprint[]): number[][] {
  const segments: number[][] = [];
  let open: number[] | null = null;
  for (const [index, footprint] of footprints.entries()) {
    const isIndependent = (other: number) => !doConflict(footprints[other]!, footprint!);
    if (footprint && open?.every(isIndependent)) {
      open.push(index);
      continue;
    }
    const calls = [index];
    segments.push(calls);
    open = footprint ? calls : null;
  }
  return segments;
}

function doConflict(a: NonNullable<Footprint>, b: NonNullable<Footprint>): boolean {
  return doOverlap(a.writes, [...b.reads, ...b.writes]) || doOverlap(b.writes, a.reads);
}

function doOverlap(some: string[], others: string[]): boolean {
  return some.some((path) => others.some((other) => holds(path, other) || holds(other, path)));
}

/** The root may be written as `/` or as an empty path. */
function holds(folder: string, path: string): boolean {
  const base = folder.replace(/(?<!\/)\/+$/, "");
  return path === base || path.startsWith(`${base}/`) || base === "";
}
