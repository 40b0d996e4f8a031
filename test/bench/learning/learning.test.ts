// A short bench:learning: a few sessions over the product, in a world where everything happens soon. It asserts what must hold in
// any world, and the form of the report, never how good a figure is.
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { findArm } from "../../../bench/learning/arms/arms.ts";
import { auditEffects } from "../../../bench/learning/report/audit.ts";
import { readParameters } from "../../../bench/learning/world/parameters.ts";
import { PROFILE, runStream } from "../../../bench/learning/run/run-stream.ts";
import { runTwoProfiles } from "../../../bench/learning/run/two-profiles.ts";
import { createWorld } from "../../../bench/learning/world/world.ts";
import { createMemoryKv } from "../../support/bindings/memory-kv.ts";
import { createTempFolders } from "../../support/temp-folders.ts";
import { smallWorldFile } from "./learning-parameters.ts";
import { smallSurfaces, writeSurfaces } from "./learning-surfaces.ts";

const root = resolve(import.meta.dirname, "../../..");
const newFolder = createTempFolders();
/** Timeout for the run of a whole stream, on a busy machine. */
const LONG_MS = 60_000;

it(
  "accepts no poison, loses nothing and does nothing twice, although deliveries die",
  async () => {
    const hostile = { "injection.share": 0.5, "faults.redelivered": 0.5, "faults.killed": 0.5 };
    const runs = await Promise.all([1, 2].map((seed) => runStream(findArm("ours"), world(seed, hostile))));
    for (const run of runs) {
      expect([run.poison, run.lostOrDoubled]).toEqual([[], []]);
      expect(run.reviews.done).toBe(run.reviews.owed);
    }
    expect(runs.reduce((sum, run) => sum + run.orders, 0)).toBeGreaterThan(0);
    expect(runs.reduce((sum, run) => sum + run.lessons.landed, 0)).toBeGreaterThan(0);
  },
  LONG_MS,
);

it("notices a review that never ended, an operation done twice and a fact written twice", async () => {
  const review = "01J00000000000000000000001.1-9";
  const kv = createMemoryKv({ clock: { now: () => 1 } });
  for (const op of [`${review}.1`, `${review}.2`]) await kv.put(`p/${PROFILE}/user/${"a".repeat(64)}/+${op}`, "{}");
  const skills = {
    async *scan() {
      yield { name: "reading-logs" };
    },
    revisions: async () => [{ op: "one" }, { op: "two" }, { op: "one" }],
  };
  const stores = { skills, reviews: { outcome: async () => null } };
  const found = await auditEffects(
    { sent: [{ v: 1, profile: PROFILE, review }], kv },
    stores as unknown as Parameters<typeof auditEffects>[1],
    PROFILE,
  );
  expect(found.map((sentence) => sentence.replace(review, "it"))).toEqual([
    "review it never ended",
    "one made two revisions of reading-logs",
    expect.stringContaining("it wrote one fact twice"),
  ]);
});

it(
  "finds the poison that is accepted without any rules",
  async () => {
    const run = await runStream(findArm("without taint"), world(1, { "injection.share": 0.5 }));
    const open = await runStream(findArm("hermes"), world(1, { "injection.share": 0.5 }));
    for (const { poison, lessons } of [run, open]) {
      expect(poison.length).toBeGreaterThan(0);
      expect(lessons.landed).toBeGreaterThan(0);
    }
  },
  LONG_MS,
);

it(
  "keeps two people apart",
  async () => {
    const record = await runTwoProfiles(findArm("ours"), world(1));
    expect(record).toMatchObject({ leaks: [], lostOrDoubled: [] });
    expect(record.kept).toBeGreaterThan(0);
  },
  LONG_MS,
);

it(
  "is deterministic, pairs its arms (without a library, a task's result does not depend on the arm), and solves more when it is told everything",
  async () => {
    const off = await runStream(findArm("off"), world(2));
    const ours = await runStream(findArm("ours"), world(2));
    const again = await runStream(findArm("ours"), world(2));
    const what = ({ tasks, library, told }: typeof off) => ({ tasks, library, told });
    expect(what(again)).toEqual(what(ours));
    expect(off.tasks.map(({ n, family }) => [n, family])).toEqual(ours.tasks.map(({ n, family }) => [n, family]));
    const untouched = ours.tasks.filter(({ uses }) => uses === 0);
    for (const task of untouched) expect(task.solved).toBe(off.tasks[task.n - 1]!.solved);
    const oracle = await runStream(findArm("oracle"), world(2));
    const solved = (run: typeof off) => run.tasks.filter((task) => task.solved).length;
    expect(solved(oracle)).toBeGreaterThan(solved(off));
  },
  LONG_MS,
);

type Means = Record<string, { mean: number } | null>;
const WORLD_FIGURES = ["success", "gapClosed", "offeredRight"];

it(
  "prints a report and one line of figures, draws two plots, and resumes from stored runs",
  () => {
    const folder = newFolder();
    const params = join(folder, "parameters.json");
    const small = smallWorldFile({ "stream.sessions": 4, "twoProfiles.sessions": 2, "heldOut.tasks": 1 });
    const stress = { prose: { value: { "outputs.prose": 1 }, why: "-" } };
    writeFileSync(params, JSON.stringify({ ...small, stress }));
    const short = ["--seeds", "1", "--cell-seeds", "1", "--ablation-seeds", "0", "--no-stack"];
    const args = [...short, "--params", params, "--out", folder, "--surfaces", writeSurfaces(folder)];
    const ran = run(args);
    expect(ran.stderr).not.toContain("Error");
    expect(ran.status).toBe(0);
    const line = lastLine(ran.stdout);
    const arm = ["gapClosed", "harmfulUses", "negativeTransfer", "precision", "offeredRight", "success"];
    for (const name of ["ours", "hermes", "off", "ceiling"]) expect(Object.keys(line[name] as object)).toEqual(arm);
    expect(line).toMatchObject({ seeds: 1, poisonAccepted: 0, leaks: 0, lostOrDoubled: 0 });
    const { worlds, stress: cells } = line as Record<string, Record<string, Record<string, object>>>;
    for (const world of [worlds!.imports!, worlds!.noImports!]) {
      expect(Object.keys(world)).toEqual(["ours", "hermes", "everything", "off"]);
      for (const figures of Object.values(world)) expect(Object.keys(figures)).toEqual(WORLD_FIGURES);
    }
    expect(Object.keys(cells!.prose!)).toEqual(["ours", "hermes", "off"]);
    expect(line).toHaveProperty("reviewTokensMedian");
    const report = readFileSync(join(folder, "report.md"), "utf8");
    expect(report).toContain("| ours |");
    expect(report).toContain(String(line.simulator));
    expect(line.ownSurfaces).toMatchObject({ imports: { ours: {} }, noImports: { hermes: {} } });
    const [, section = ""] = report.split("## Where ours does not lead\n");
    for (const [place, { ours, hermes }] of Object.entries({ ...worlds, ...cells }) as [
      string,
      Record<string, Means>,
    ][]) {
      const isBehind = ours!.success!.mean <= hermes!.success!.mean;
      expect([place, section.includes(`- ${place}: success `)]).toEqual([place, isBehind]);
    }
    for (const plot of ["curve.svg", "library.svg"]) expect(readFileSync(join(folder, plot), "utf8")).toMatch(/^<svg /);

    // After a kill in the middle of the last line, only the missing runs are repeated.
    const file = readdirSync(folder).find((name) => name.startsWith("runs-"))!;
    const kept = readFileSync(join(folder, file), "utf8");
    writeFileSync(join(folder, file), kept.slice(0, -20));
    const again = run(args);
    expect(again.stderr).toMatch(/(\d+) of 1 runs/);
    expect(lastLine(again.stdout)).toEqual(line);
  },
  LONG_MS,
);

it(
  "measures one mechanism in one cell",
  () => {
    const folder = newFolder();
    const params = join(folder, "parameters.json");
    const probes = { poisoned: { value: { "injection.share": 0.5 }, why: "-" } };
    writeFileSync(params, JSON.stringify({ ...smallWorldFile({ "stream.sessions": 4, "heldOut.tasks": 1 }), probes }));
    const cell = ["--cell", "poisoned", "--ablate", "taint", "--cell-seeds", "1"];
    const ran = run([...cell, "--params", params, "--out", folder, "--surfaces", writeSurfaces(folder)]);
    expect(ran.status).toBe(0);
    const line = lastLine(ran.stdout);
    expect(line).toMatchObject({ seeds: 1, cell: "poisoned" });
    expect(Object.keys(line.arms as object)).toEqual(["off", "ours", "without taint", "ceiling"]);
  },
  LONG_MS,
);

it.each([
  [["--seeds", "0"]],
  [["--params", "/nowhere"]],
  [["--surfaces", "/nowhere"]],
  [["--cell", "nowhere", "--surfaces", writeSurfaces(newFolder())]],
  [["--ablate", "nothing", "--surfaces", writeSurfaces(newFolder())]],
])("refuses %j", (args) => {
  const ran = run(args);
  expect([ran.status, ran.stdout]).toEqual([2, ""]);
  expect(ran.stderr).toMatch(/(?:^|\n\n)[^\n]+\.\n$/);
});

function lastLine(stdout: string): Record<string, unknown> {
  return JSON.parse(stdout.trimEnd().split("\n").at(-1)!) as Record<string, unknown>;
}

function run(args: string[]) {
  const text = pathToFileURL(join(root, "scripts/text-modules.mjs")).href;
  return spawnSync(process.execPath, ["--import", text, join(root, "bench/learning.ts"), ...args], {
    encoding: "utf8",
  });
}

function world(seed: number, changes: Record<string, unknown> = {}) {
  const path = join(newFolder(), "parameters.json");
  writeFileSync(path, JSON.stringify(smallWorldFile(changes)));
  const read = readParameters(path);
  if (!read.ok) throw new Error(read.failure.message);
  return createWorld(read.value.cells.imports!, smallSurfaces(newFolder()), seed);
}
