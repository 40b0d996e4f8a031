// How much of a large set of cases a run of the tests tries. With TALARIA_THOROUGH=1 it tries all, which takes a minute more; without, a
// fixed part, in which each kind of case is met.

export const IS_THOROUGH = process.env.TALARIA_THOROUGH === "1";
const SHARE = 4;

/** How often a property is tried with new data, of `all` times. */
export function runs(all: number): number {
  return IS_THOROUGH ? all : Math.ceil(all / SHARE);
}

/**
 * The distance between the writes at which a crash is tried. Where a crash at every write is tried in several `ways`, each way takes its share
 * of the writes: together they take all.
 */
export function stepOfCrashes(ways: number): number {
  return IS_THOROUGH ? 1 : ways;
}

/** Whether case `n` of a table is tried. For a table of two dimensions, `n` is the sum of both places, so that every row and column is met. */
export function isTried(n: number): boolean {
  return IS_THOROUGH || n % SHARE === 0;
}
