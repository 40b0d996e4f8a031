// Which point of its journal a turn is to be cut at next, so that a run hits them all, and what has been hit. Called by
// turns.ts. Knows the points only as names in the order in which a whole turn passes them. No I/O; chance is given.

export interface PointPool {
  /** Of the turn: the next point after `position` to cut it at, and how many cuts it has left, this one included. */
  take(turn: { position: number; restarted: boolean; cutsLeft: number }): string;
  /** A point that was taken: the turn was cut there, or went on past it. */
  settle(point: string, hit: boolean): void;
  /** Where a turn is that has written these things. */
  positionOf(written: ReadonlySet<string>): number;
  /** Up to the end of the turn; what comes after it is the outbox. */
  isWithinTurn(point: string): boolean;
  hits(): { point: string; hits: number; missed: number }[];
}

const END = "before settle";
/** A point that so many turns did not pass where it was looked for is left out. */
const MAX_MISSES = 4;

/** `whole` as a turn without a restart passes them, `restart` those that only a restart has. */
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
      // The first cut falls into the turn; the outbox is only reached by one that has been cut before.
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

/** The points of a turn that was cut once, as the life before and the one after passed them. */
export function mergeLives(first: string[], second: string[]): { whole: string[]; restart: string[] } {
  const before = new Set(first);
  // The new life begins with what only a restart does, up to the first thing that a whole turn would have done next.
  const resumed = second.findIndex((point) => /^(before|after) (answer|intent|result|running)/.test(point));
  const restart = [...new Set(second.slice(0, Math.max(0, resumed)))].filter((point) => !before.has(point));
  const later = second.slice(resumed).filter((point) => !restart.includes(point));
  return { whole: [...new Set([...first, ...later])], restart };
}
