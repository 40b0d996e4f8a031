// Looks for the text on which a function is slowest: many shapes at 1 KB, the slowest of them at 10 KB, the slowest of those at
// 100 KB, and the worst one measured five times. Runs in a thread that the bench may end (thread.ts).
import { join } from "node:path";
import { mulberry32 } from "../../scripts/seeded.ts";
import { readLiterals } from "../../scripts/check/expressions.ts";
import { median } from "../support/figures.ts";
import { sampleRegex } from "./regex-samples.ts";
import { type Shape, createShapes } from "./shapes.ts";
import type { Subject } from "./subjects.ts";

export interface Worst {
  name: string;
  shape: string;
  ms1KiB: number;
  ms10KiB: number;
  ms100KiB: number;
}

export interface Search {
  seed: number;
  /** Sizes in characters, from small to large, of all that a function is given: two texts have half each. The bench takes 1, 10 and 100 KiB. */
  sizes: [number, number, number];
  /** How many shapes go on to the second and to the third size. */
  keep: [number, number];
  runs: number;
  now: () => number;
  /** Collects garbage. */
  collect?: () => void;
  /** Told before each run, so that who waits knows what takes so long. */
  tell?: (shape: string, chars: number) => void;
}

export async function findWorst(subject: Subject, search: Search): Promise<Worst> {
  const random = mulberry32(search.seed);
  const [small, middle, large] = search.sizes;
  const shapes = createShapes(piecesOf(subject.sources, random), random);
  const time = async (shape: Shape, chars: number) => {
    const { text, other } = shape.make(Math.ceil(chars / subject.run.length));
    search.tell?.(shape.name, chars);
    const began = search.now();
    await subject.run(text, other);
    return search.now() - began;
  };
  for (const shape of shapes.slice(0, 40)) await time(shape, small); // compiles what is called
  let timed: { shape: Shape; ms: number; least: number }[] = [];
  for (const shape of shapes) {
    const ms = Math.min(await time(shape, small), await time(shape, small));
    timed.push({ shape, ms, least: ms });
  }
  const slowest = () => timed.toSorted((a, b) => b.ms - a.ms);
  const rising = () => timed.toSorted((a, b) => b.ms / Math.max(b.least, 0.02) - a.ms / Math.max(a.least, 0.02));
  timed = slowest().slice(0, search.keep[0]);
  for (const row of timed) row.ms = await time(row.shape, middle);
  const half = Math.ceil(search.keep[1] / 2);
  timed = [...new Set([...slowest().slice(0, half), ...rising().slice(0, half)])];
  for (const row of timed) row.ms = await time(row.shape, large);
  const { shape } = slowest()[0]!;
  const measure = async (chars: number, times: number) => {
    search.collect?.(); // garbage of the run before is not this one's
    let least = Infinity; // what else the machine does only adds
    for (let run = 0; run < times; run++) least = Math.min(least, await time(shape, chars));
    return least;
  };
  // Sizes in turn, so that what slows the machine for a while slows all.
  const rounds: { ms1KiB: number[]; ms10KiB: number[]; ms100KiB: number[] } = { ms1KiB: [], ms10KiB: [], ms100KiB: [] };
  for (let round = 0; round < search.runs; round++) {
    rounds.ms100KiB.push(await measure(large, 3));
    rounds.ms10KiB.push(await measure(middle, 10));
    rounds.ms1KiB.push(await measure(small, 10));
  }
  const [ms1KiB, ms10KiB, ms100KiB] = [median(rounds.ms1KiB), median(rounds.ms10KiB), median(rounds.ms100KiB)];
  return { name: subject.name, shape: shape.name, ms1KiB, ms10KiB, ms100KiB };
}

const SAMPLES_A_REGEX = 4;

/** What the function's own expressions and words look for. */
function piecesOf(sources: string[], random: () => number): string[] {
  const root = join(import.meta.dirname, "..", "..");
  return sources.flatMap((source) => {
    const { regexes, strings } = readLiterals(join(root, source));
    const patterns = regexes.map(({ pattern }) => pattern).concat(strings.filter((text) => /[\\([]/.test(text)));
    const words = strings.filter((text) => text.length > 0 && text.length <= 40);
    return [...patterns.flatMap((pattern) => sampleRegex(pattern, SAMPLES_A_REGEX, random)), ...words];
  });
}
