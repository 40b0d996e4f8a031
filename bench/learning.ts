// `npm run bench:learning`: compares the learning loop with other ways to learn, in simulated worlds. Writes a report with plots.
// The last line of standard output is one JSON object. Method, figures and limits: bench/README.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readFlags, refuseFlags, parseWholeNumber } from "../scripts/command-line.ts";
import { RIVAL_ARMS, STRESS_ARMS } from "./learning/arms/arms.ts";
import { PARAMETERS_FILE, WORLDS, readParameters } from "./learning/world/parameters.ts";
import {
  ABLATION_NAMES,
  MAIN_NAMES,
  OWN,
  type Plan,
  computeFigures,
  listJobs,
  withBaselines,
} from "./learning/run/plan.ts";
import { plotLines } from "./learning/report/plots.ts";
import { type JobResult, runJobs } from "./learning/run/pool.ts";
import { type Measurement, toCellLine, toCellMarkdown, toLine, toMarkdown } from "./learning/report/report.ts";
import { openRuns } from "./learning/run/runs.ts";
import { readSource } from "./learning/run/source.ts";
import type { StackRun } from "./learning/run/stack.ts";
import { SURFACES_FOLDER, readSurfaces } from "./learning/world/surfaces.ts";

const MAX_SEEDS = 10_000;
const STACK_SEEDS = 3;
/** Seeds of each world in our own surfaces, when `--surfaces` names others. */
const OWN_SEEDS = 30;

const USAGE = `Usage: npm run bench:learning [-- --surfaces FOLDER --seeds N --out DIR …]

  --surfaces FOLDER     what people, files and programs say (default bench/surfaces); another folder: the report shows both
  --seeds N             seeds of each of the two worlds (default 100)
  --cell-seeds N        seeds of each stress cell (default 30); 0: no cells
  --ablation-seeds N    seeds of each ablation: ours without one mechanism (default 20); 0: none
  --from K              the first seed (default 1)
  --cell CELL           only this cell, with --cell-seeds: a world, a stress cell or a probe of the parameters
  --ablate NAME         only ours and ours without this mechanism, in --cell (default imports); repeatable, or all
  --params FILE         the simulation's parameters (default bench/learning/world/parameters.json)
  --out DIR             folder for runs, report and plots (default dist/bench-learning); finished runs there are reused
  --no-stack            skip the comparison on the real Workers
  -h, --help            this text; the method is in bench/README.md`;

const options = readArguments();
const { cells, text, stress, probes } = unwrap(readParameters(options.params));
const folders = options.surfaces === SURFACES_FOLDER ? [SURFACES_FOLDER] : [options.surfaces, SURFACES_FOLDER];
const surfaces = folders.map((folder) => unwrap(readSurfaces(folder)));
const only = readOnly();
const source = readSource(text);
const began = performance.now();
const minutes = () => (performance.now() - began) / 60_000;
const say = (line: string) => console.error(`[${minutes().toFixed(1)} min] ${line}`);

const plan: Plan = {
  ...options,
  ...{ stress: options.cellSeeds > 0 ? stress : [], only },
  ownSeeds: folders.length > OWN ? Math.min(options.seeds, OWN_SEEDS) : 0,
};
const done = await runAll();
const figures = computeFigures(plan, listJobs(plan), done);
const heading = { source, surfaces: surfaces[0]!, firstSeed: options.from, seeds: options.seeds };
if (only) finishCell(only);
else await finishWorlds();
// Handles that a Worker left open must not keep the process alive.
process.exit(0);

/** Runs every job that has no stored result. Results are in the order of the jobs. */
async function runAll(): Promise<JobResult[]> {
  const jobs = listJobs(plan);
  const storedRuns = openRuns(options.out, [source.simulator, source.product, ...surfaces.map(({ hash }) => hash)]);
  const open = jobs.filter((job) => storedRuns.find(job) === undefined);
  say(`${jobs.length} runs, ${jobs.length - open.length} of them reused`);
  let count = 0;
  await runJobs(open, { parameters: options.params, surfaces: folders }, (job, run) => {
    storedRuns.add(job, run);
    if (++count % 50 === 0 || count === open.length) say(`${count} of ${open.length} runs`);
  });
  return jobs.map((job) => storedRuns.find(job)!);
}

function finishCell({ cell, arms }: NonNullable<Plan["only"]>): void {
  const measured = {
    ...heading,
    seeds: options.cellSeeds,
    cell,
    arms: figures.all(withBaselines(arms), cell),
    replay: figures.replay(cell),
  };
  mkdirSync(options.out, { recursive: true });
  const markdown = toCellMarkdown(measured);
  writeFileSync(join(options.out, `report-${cell}.md`), markdown);
  console.log(markdown);
  console.log(toCellLine(measured));
}

async function finishWorlds(): Promise<void> {
  const [imports, noImports] = WORLDS;
  const measured: Measurement = {
    ...heading,
    minutes: 0,
    worlds: { imports: figures.all(MAIN_NAMES, imports), noImports: figures.all(RIVAL_ARMS, noImports) },
    own:
      plan.ownSeeds === 0
        ? null
        : {
            surfaces: surfaces[OWN]!,
            seeds: plan.ownSeeds,
            worlds: {
              imports: figures.all(RIVAL_ARMS, imports, { surfaces: OWN }),
              noImports: figures.all(RIVAL_ARMS, noImports, { surfaces: OWN }),
            },
          },
    stress: plan.stress.map((cell) => ({ cell, arms: figures.all(STRESS_ARMS, cell) })),
    stressSeeds: plan.cellSeeds,
    ablations:
      plan.ablationSeeds === 0 ? [] : figures.all(["ours", ...ABLATION_NAMES], imports, { seeds: plan.ablationSeeds }),
    ablationSeeds: plan.ablationSeeds,
    twoProfiles: figures.twoProfiles(),
    replay: {
      cells: Object.fromEntries([...WORLDS, ...plan.stress].map((cell) => [cell, figures.replay(cell)])),
      own:
        plan.ownSeeds === 0
          ? null
          : Object.fromEntries(WORLDS.map((cell) => [cell, figures.replay(cell, { surfaces: OWN })])),
      plants: figures.plants(),
    },
    stack: options.stack ? await runStack() : null,
    ours: figures.runs("ours", imports),
  };
  writeReport({ ...measured, minutes: minutes() });
  console.log(toLine(measured));
}

/** Imported on demand, because it loads a bundler and a runtime. */
async function runStack(): Promise<StackRun> {
  const { compareWithStack } = await import("./learning/run/stack.ts");
  const seeds = Array.from({ length: Math.min(options.seeds, STACK_SEEDS) }, (_, at) => options.from + at);
  return compareWithStack(cells.imports!, surfaces[0]!, seeds, say);
}

function writeReport(report: Measurement): void {
  const { driftAt, reversalAt } = cells.imports!.changes;
  const markdown = toMarkdown(report);
  writeFileSync(join(options.out, "report.md"), markdown);
  const arms = report.worlds.imports;
  const curves = arms.map(({ arm: name, curve }) => ({ name, values: curve }));
  writeFileSync(
    join(options.out, "curve.svg"),
    plotLines("Success, mean of ten sessions", curves, "share", [driftAt, reversalAt]),
  );
  const sizes = arms
    .filter(({ sizes: all }) => all.some((size) => size > 0))
    .map(({ arm: name, sizes: values }) => ({ name, values }));
  writeFileSync(
    join(options.out, "library.svg"),
    plotLines("Learned skills that are offered", sizes, "count", [driftAt, reversalAt]),
  );
  console.log(markdown);
  say(`report and plots are in ${options.out}`);
}

function readArguments() {
  const values = readFlags(USAGE, {
    surfaces: { type: "string", default: SURFACES_FOLDER },
    seeds: { type: "string", default: "100" },
    "cell-seeds": { type: "string", default: "30" },
    "ablation-seeds": { type: "string", default: "20" },
    from: { type: "string", default: "1" },
    cell: { type: "string" },
    ablate: { type: "string", multiple: true },
    params: { type: "string", default: PARAMETERS_FILE },
    out: { type: "string", default: "dist/bench-learning" },
    stack: { type: "boolean", default: true },
  });
  const seeds = parseWholeNumber(USAGE, "--seeds", values.seeds, 1, MAX_SEEDS);
  return {
    seeds,
    cellSeeds: parseWholeNumber(USAGE, "--cell-seeds", values["cell-seeds"], 0, MAX_SEEDS),
    ablationSeeds: Math.min(seeds, parseWholeNumber(USAGE, "--ablation-seeds", values["ablation-seeds"], 0, MAX_SEEDS)),
    from: parseWholeNumber(USAGE, "--from", values.from, 1, MAX_SEEDS),
    cell: values.cell ?? null,
    ablate: values.ablate ?? [],
    surfaces: resolve(values.surfaces),
    params: resolve(values.params),
    out: resolve(values.out),
    stack: values.stack,
  };
}

/** One cell with all rival arms, or with ours and some ablations. `null`: the whole bench. */
function readOnly(): Plan["only"] {
  const { cell, ablate } = options;
  if (cell === null && ablate.length === 0) return null;
  const name = cell ?? WORLDS[0];
  if (!cells[name]) refuseFlags(`--cell takes one of ${[...WORLDS, ...stress, ...probes].join(", ")}.`, USAGE);
  const requestedArms = ablate.includes("all") ? ABLATION_NAMES : ablate.map((one) => `without ${one}`);
  const unknown = requestedArms.find((one) => !ABLATION_NAMES.includes(one));
  const known = ABLATION_NAMES.map((one) => one.replace("without ", "")).join(", ");
  if (unknown !== undefined) refuseFlags(`--ablate takes all, or one of ${known}.`, USAGE);
  return { cell: name, arms: requestedArms.length > 0 ? ["ours", ...requestedArms] : RIVAL_ARMS };
}

function unwrap<T>(read: { ok: true; value: T } | { ok: false; failure: { message: string } }): T {
  if (read.ok) return read.value;
  console.error(read.failure.message);
  return process.exit(2);
}
