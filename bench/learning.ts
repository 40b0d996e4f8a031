// `npm run bench:learning [-- --seeds 100] [--from 1] [--params FILE] [--out DIR] [--no-stack]`: what the closed loop is worth in a simulated
// world, against other ways to learn. Writes a report with plots; the last line of standard output is one JSON object.
// Method, figures and limits: bench/README.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readFlags } from "../scripts/command-line.ts";
import { ABLATIONS, MAIN_ARMS, armsIn } from "./learning/arms.ts";
import { type ArmFigures, figuresOf } from "./learning/figures.ts";
import { PARAMETERS_FILE, readParameters } from "./learning/parameters.ts";
import { type Done, type Job, runJobs } from "./learning/pool.ts";
import { plotLines } from "./learning/plots.ts";
import type { RunRecord } from "./learning/records.ts";
import { type Measured, toLine, toMarkdown } from "./learning/report.ts";
import type { StackRun } from "./learning/stack.ts";

const MAX_SEEDS = 10_000;
const ABLATION_SEEDS = 20;
const STRESS_SEEDS = 5;
const STACK_SEEDS = 3;

const options = readArguments();
const read = readParameters(options.params);
const { hash, world, stress } = read.ok ? read.value : refuse(read.failure.message);
const began = performance.now();
const minutes = () => (performance.now() - began) / 60_000;
const say = (line: string) => console.error(`[${minutes().toFixed(1)} min] ${line}`);

const seeds = seedsUpTo(options.seeds);
const [ablationSeeds, stressSeeds] = [seedsUpTo(ABLATION_SEEDS), seedsUpTo(STRESS_SEEDS)];
const jobs: Job[] = [
  ...seeds.flatMap((seed) => MAIN_ARMS.map(({ name }) => toStream(name, seed, null))),
  ...seeds.map((seed): Job => ({ kind: "two-profiles", arm: "ours", seed })),
  ...ablationSeeds.flatMap((seed) => ABLATIONS.map(({ name }) => toStream(name, seed, null))),
  ...Object.keys(stress).flatMap((cell) =>
    stressSeeds.flatMap((seed) => armsIn(cell).map((name) => toStream(name, seed, cell))),
  ),
];
say(`${jobs.length} runs`);
const done = await runJobs(jobs, options.params, (count) => {
  if (count % 50 === 0 || count === jobs.length) say(`${count} of ${jobs.length} runs`);
});

const measured: Measured = {
  hash,
  firstSeed: options.from,
  seeds: options.seeds,
  minutes: 0,
  arms: MAIN_ARMS.map(({ name }) => figuresIn(name, null)),
  ablations: [
    figuresIn("ours", null, ablationSeeds),
    ...ABLATIONS.map(({ name }) => figuresIn(name, null, ablationSeeds)),
  ],
  ablationSeeds: ablationSeeds.length,
  stress: Object.keys(stress).map((cell) => ({ cell, arms: armsIn(cell).map((name) => figuresIn(name, cell)) })),
  stressSeeds: stressSeeds.length,
  twoProfiles: done.flatMap((one) => (one.kind === "two-profiles" ? [one.record] : [])),
  stack: options.stack ? await runStack() : null,
  ours: runsOf("ours", null),
};
writeReport({ ...measured, minutes: minutes() });
console.log(toLine(measured));
// What a Worker left behind must not hold up the end.
process.exit(0);

/** Loaded only now: a bundler and a runtime come with it. */
async function runStack(): Promise<StackRun> {
  const { compareWithStack } = await import("./learning/stack.ts");
  return compareWithStack(world, seedsUpTo(STACK_SEEDS), say);
}

function seedsUpTo(most: number): number[] {
  return Array.from({ length: Math.min(options.seeds, most) }, (_, at) => options.from + at);
}

function toStream(arm: string, seed: number, cell: string | null): Job {
  return { kind: "stream", arm, seed, cell };
}

function runsOf(arm: string, cell: string | null, of: readonly number[] | null = null): RunRecord[] {
  return done.flatMap((one: Done, at) => {
    const job = jobs[at]!;
    if (one.kind !== "stream" || job.kind !== "stream" || job.arm !== arm || job.cell !== cell) return [];
    return of === null || of.includes(job.seed) ? [one.record] : [];
  });
}

function figuresIn(arm: string, cell: string | null, of: readonly number[] | null = null): ArmFigures {
  const pairing = { off: runsOf("off", cell), ceiling: runsOf("ceiling", cell) };
  return figuresOf(arm, runsOf(arm, cell, of), pairing);
}

function writeReport(report: Measured): void {
  const { driftAt, reversalAt } = world.changes;
  mkdirSync(options.out, { recursive: true });
  const markdown = toMarkdown(report);
  writeFileSync(join(options.out, "report.md"), markdown);
  const curves = report.arms.map(({ arm: name, curve }) => ({ name, values: curve }));
  writeFileSync(
    join(options.out, "curve.svg"),
    plotLines("Success, mean of ten sessions", curves, "share", [driftAt, reversalAt]),
  );
  const sizes = report.arms
    .filter(({ sizes: all }) => all.some((size) => size > 0))
    .map(({ arm: name, sizes: values }) => ({ name, values }));
  writeFileSync(
    join(options.out, "library.svg"),
    plotLines("Learned skills that are offered", sizes, "count", [driftAt, reversalAt]),
  );
  console.log(markdown);
  say(`report and plots are in ${options.out}`);
}

function readArguments(): { seeds: number; from: number; params: string; out: string; stack: boolean } {
  const usage = `Usage: npm run bench:learning [-- --seeds N --from K --params FILE --out DIR --no-stack]

  --seeds N      worlds (else 100)
  --from K       the first of them (else 1)
  --params FILE  the simulation's parameters (else the frozen ones)
  --out DIR      where records and plots go (else dist/bench-learning)
  --no-stack     without the comparison on the real Workers
  -h, --help     this text; the method is in bench/README.md`;
  const values = readFlags(usage, {
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    params: { type: "string", default: PARAMETERS_FILE },
    out: { type: "string", default: "dist/bench-learning" },
    stack: { type: "boolean", default: true },
  });
  const [count, from] = [Number(values.seeds), Number(values.from)];
  const isWhole = (number: number) => Number.isInteger(number) && number >= 1 && number <= MAX_SEEDS;
  if (!isWhole(count)) refuse(`--seeds takes a whole number from 1 to ${MAX_SEEDS}.`);
  if (!isWhole(from)) refuse(`--from takes a whole number from 1 to ${MAX_SEEDS}.`);
  return { seeds: count, from, params: resolve(values.params), out: resolve(values.out), stack: values.stack };
}

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
