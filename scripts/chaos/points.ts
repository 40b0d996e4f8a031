// Chooses at which point of its journal a turn is killed next, so that a run covers all points, and records the covered ones.
// Called by turns.ts. A point is a name, in the order in which a complete turn passes it. No I/O; the random source is injected.

export interface PointPool {
  /** The next point after `position` at which to kill the turn, and how many kills it has left, including this one. */
  take(turn: { position: number; restarted: boolean; cutsLeft: number }): string;
  /** Reports a planned point: the turn was killed there, or passed it. */
  settle(point: string, hit: boolean): void;
  /** The position of a turn that has written these entries. */
  positionOf(written: ReadonlySet<string>): number;
  /** Position of the turn's end. Later points belong to its outbox. */
  isWithinTurn(point: string): boolean;
  hits(): { point: string; hits: number; missed: number }[];
}

const END = "before settle";
/** A point is given up once this many turns have not passed it. */
const MAX_MISSES = 4;

/** `whole`: the points of a turn without a restart, in order; `restart`: points that only a restart passes. */
export function createPointPool(whole: string[], restart: string[], random: () => number): PointPool {
  const all = [...new Set([...whole, ...restart])];
  const places = new Map([...new Set(whole)].map((point, i) => [point, i]));
  const end = places.get(END) ?? whole.length;
  const count = new Map(all.map((point) => [point, { hits: 0, missed: 0, taken: false }]));
  const isWanted = (point: string) => {
    const state = count.get(point)!;
    return state.hits === 0 && !state.taken && state.missed < MAX_MISSES;
  };
  const isWithinTurn = (point: string) => (places.get(point) ?? -1) <= end;
  const pick = <T>(list: T[], share: number): T => list[Math.floor(random() * Math.max(1, list.length * share))]!;

  return {
    take({ position, restarted, cutsLeft }) {
      const ahead = [...places.keys()].filter((point) => places.get(point)! > position);
      // The first kill falls into the turn. Only a turn that was killed before is killed in its outbox.
      const allowed = restarted ? ahead : ahead.filter(isWithinTurn);
      const onlyHere = restarted ? restart.filter(isWanted) : [];
      const wanted = allowed.filter(isWanted);
      const point =
        onlyHere.length > 0 && cutsLeft > 1 && random() < 0.5
          ? pick(onlyHere, 1)
          : wanted.length > 0
            ? pick(wanted, 1 / cutsLeft)
            : pick(allowed.length > 0 ? allowed : [END], 1);
      count.get(point)!.taken = true;
      return point;
    },
    settle(point, hit) {
      const state = count.get(point)!;
      state.taken = false;
      if (hit) state.hits++;
      else state.missed++;
    },
    positionOf: (written) =>
      Math.max(-1, ...[...places].map(([point, i]) => (written.has(point.replace(/^after /, "")) ? i : -1))),
    isWithinTurn,
    hits: () => [...count].map(([point, { hits, missed }]) => ({ point, hits, missed })),
  };
}

/** The points of a turn that was killed once, from what passed before and after the restart. */
export function mergeLives(first: string[], second: string[]): { whole: string[]; restart: string[] } {
  const before = new Set(first);
  // After a restart, points of the restart come first, up to the first point that a whole turn would pass next.
  const resumed = second.findIndex((point) => /^(before|after) (answer|intent|result|running)/.test(point));
  const restart = [...new Set(second.slice(0, Math.max(0, resumed)))].filter((point) => !before.has(point));
  const later = second.slice(resumed).filter((point) => !restart.includes(point));
  return { whole: [...new Set([...first, ...later])], restart };
}
