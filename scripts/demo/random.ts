// A small seeded generator (mulberry32), so that a seed always draws the same conventions and tasks.

export interface RandomSource {
  /** From 0 up to 1. */
  next(): number;
  pick<T>(from: readonly T[]): T;
  shuffle<T>(list: readonly T[]): T[];
}

export function createDraw(seed: number): RandomSource {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  return {
    next,
    pick,
    shuffle(list) {
      const rest = [...list];
      for (let i = rest.length - 1; i > 0; i--) {
        const j = Math.floor(next() * (i + 1));
        [rest[i], rest[j]] = [rest[j]!, rest[i]!];
      }
      return rest;
    },
  };
}
