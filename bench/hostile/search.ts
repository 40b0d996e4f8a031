// Searches for the text on which a function is slowest: many shapes at the small size, the slowest of them at the middle size, the
// slowest of those at the large size. The worst shape is then measured in several rounds. Runs in a thread (thread.ts).
import { join } from "node:path";
import { mulberry32 } from "../../scripts/seeded.ts";
import { readLiterals } from "../../scripts/check/expressions.ts";
import { median } from "../support/figures.ts";
import { sampleRegex } from "./regex-samples.ts";
import { type Shape, createShapes } from "./shapes.ts";
import type { Subject } from "./subjects.ts";

export interface WorstCase {
  name: string;
  shape: string;
  ms1KiB: number;
  ms10KiB: number;
  ms100KiB: number;
}

export interface Search {
  seed: number;
  /** Total input sizes in characters, ascending; two texts get half each. The bench uses 1, 10 and 100 KiB. */
  sizes: [number, number, number];
  /** How many shapes go on to the second and to the third size. */
  keep: [number, number];
  runs: number;
  now: () => number;
  /** Collects garbage. */
  collect?: () => void;
  /** Called before each run, so that the parent thread can name a run that hangs. */
  onRun?: (shape: string, chars: number) => void;
}

export async function findWorst(subject: Subject, search: Search): Promise<WorstCase> {
  const random = mulberry32(search.seed);
  const [small, middle, large] = search.sizes;
  const shapes = createShapes(readPieces(subject.sources, random), random);
  const time = async (shape: Shape, chars: number) => {
    const { text, other } = shape.make(Math.ceil(chars / subject.run.length));
    search.onRun?.(shape.name, chars);
    const began = search.now();
    await subject.run(text, other);
    return search.now() - began;
  };
  for (const shape of shapes.slice(0, 40)) await time(shape, small); // warm up the compiler
  let timed: { shape: Shape; ms: number; least: number }[] = [];
  for (const shape of shapes) {
    const ms = Math.min(await time(shape, small), await time(shape, small));
    timed.push({ shape, ms, least: ms });
  }
  const slowest = () => timed.toSorted((a, b) => b.ms - a.ms);
  const steepest = () => timed.toSorted((a, b) => b.ms / Math.max(b.least, 0.02) - a.ms / Math.max(a.least, 0.02));
  timed = slowest().slice(0, search.keep[0]);
  for (const row of timed) row.ms = await time(row.shape, middle);
  const half = Math.ceil(search.keep[1] / 2);
  timed = [...new Set([...slowest().slice(0, half), ...steepest().slice(0, half)])];
  for (const row of timed) row.ms = await time(row.shape, large);
  const { shape } = slowest()[0]!;
  const measure = async (chars: number, times: number) => {
    search.collect?.(); // do not charge this run for earlier garbage
    let least = Infinity; // the minimum, because other load only adds time
    for (let run = 0; run < times; run++) least = Math.min(least, await time(shape, chars));
    return least;
  };
  // Alternate the sizes, so that a temporary slowdown of the machine affects all of them.
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

/** Samples of the regular expressions, and the string literals, in the function's sources. */
function readPieces(sources: string[], random: () => number): string[] {
  const root = join(import.meta.dirname, "..", "..");
  return sources.flatMap((source) => {
    const { regexes, strings } = readLiterals(join(root, source));
    const patterns = regexes.map(({ pattern }) => pattern).concat(strings.filter((text) => /[\\([]/.test(text)));
    const words = strings.filter((text) => text.length > 0 && text.length <= 40);
    return [...patterns.flatMap((pattern) => sampleRegex(pattern, SAMPLES_A_REGEX, random)), ...words];
  });
}
