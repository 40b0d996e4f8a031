// Which calls of one answer may run side by side. Used by step-calls.ts. Pure: the same calls give the same plan, also when
// a turn is resumed.

/** What a call touches; `null` for one that must run alone. */
export type Footprint = { reads: string[]; writes: string[] } | null;

/**
 * Places of the calls in their order, cut into segments of which each ends before the next begins. The calls of one may
 * run side by side: they touch nothing of each other's. Two that read the same do not touch.
 */
export function planCalls(footprints: Footprint[]): number[][] {
  const segments: number[][] = [];
  let open: number[] | null = null;
  for (const [index, footprint] of footprints.entries()) {
    const isApart = (other: number) => !doTouch(footprints[other]!, footprint!);
    if (footprint && open?.every(isApart)) {
      open.push(index);
      continue;
    }
    const calls = [index];
    segments.push(calls);
    open = footprint ? calls : null;
  }
  return segments;
}

function doTouch(a: NonNullable<Footprint>, b: NonNullable<Footprint>): boolean {
  return doOverlap(a.writes, [...b.reads, ...b.writes]) || doOverlap(b.writes, a.reads);
}

function doOverlap(some: string[], others: string[]): boolean {
  return some.some((path) => others.some((other) => holds(path, other) || holds(other, path)));
}

/** The root may be written as `/` or as nothing. */
function holds(folder: string, path: string): boolean {
  const base = folder.replace(/(?<!\/)\/+$/, "");
  return path === base || path.startsWith(`${base}/`) || base === "";
}
