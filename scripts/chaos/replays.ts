// Tries texts on an earlier turn again and again, and kills the experiments, the replays and their store together at every point: before and after
// each write and each call. In one process: node:sqlite, a clock that is moved, the rehearsal model. Called by chaos.ts and, in a short form, by a
// test.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Experiment } from "../../core/schemas/learning/experiment.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { toJudge } from "../../core/learning/evidence/verdict.ts";
import { ok } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { DAY_MS } from "../../core/schemas/ids.ts";
import { PROFILE, SESSION, createSessionHarness } from "../../test/support/session/session-harness.ts";
import { mulberry32 } from "../seeded.ts";
import { type MeasuredReplays, countReplays } from "./replay-measure.ts";
import { REPLAY_MODEL, type Source, createOutsideTools, createReplayObjects } from "./replay-objects.ts";
import { LOOK_UP, PROBE_READ, PROBE_SEND, QUESTION, writeText } from "./replay-script.ts";

export interface ReplaysOptions {
  /** At least so many. Every point is killed at once, and then random ones, two in an experiment. */
  kills: number;
  /** For a short form: only each such point, in order. */
  every?: number;
  seed: number;
  say(line: string): void;
}

export interface ReplaysRun extends MeasuredReplays {
  kills: number;
}

const FIGURES = ["kills", "lost", "duplicated", "outward", "stuck"] as const;
const TABLE = resolve(import.meta.dirname, "../../test/fixtures/chaos/river-gauges.csv");
/** Of the table: enough for its work, and little to read again hundreds of times. */
const LINES = 12;
const SKILL = "reading-gauges";
const TEXTS = [`${PROBE_SEND} 4`, `${PROBE_READ} 5`];
const TOKENS = 10_000_000;
/** An experiment takes a day at most here; a week later its runs are erased. */
const WORK_MS = DAY_MS;
const ERASED_MS = 9 * DAY_MS;

export async function runReplaysInProcess(options: ReplaysOptions): Promise<ReplaysRun> {
  const { kills, every = 1, seed, say } = options;
  const source = await recordTurn();
  const sum: ReplaysRun = { kills: 0, lost: 0, duplicated: 0, outward: 0, stuck: 0, remarks: [] };
  const add = (run: ReplaysRun, at: string) => {
    for (const figure of FIGURES) sum[figure] += run[figure];
    for (const remark of run.remarks) say(`Killed at ${at}: ${remark}`);
    sum.remarks.push(...run.remarks);
  };
  const random = mulberry32(seed);
  for (const text of TEXTS) {
    const calm = await tryText(source, text, []);
    add(calm.run, "no point");
    say(`An experiment passes ${calm.points} points (${calm.outcome}). Seed ${seed}.`);
    const plans = Array.from({ length: calm.points }, (_, i) => [i + 1]).filter((_, i) => i % every === 0);
    while (plans.flat().length < kills / TEXTS.length) {
      const first = 1 + Math.floor(random() * calm.points);
      plans.push([first, first + 1 + Math.floor(random() * calm.points)]);
    }
    for (const killAt of plans) add((await tryText(source, text, killAt)).run, killAt.join(" and "));
  }
  return sum;
}

/** A turn that works on a file and has looked something up outside. It is judged a success. */
async function recordTurn(): Promise<Source> {
  const harness = createSessionHarness({ model: REPLAY_MODEL, tools: createOutsideTools([]) });
  const { engine, host, settled } = harness.boot();
  await engine.create({ learning: "on", title: "" });
  const lines = readFileSync(TABLE, "utf8").split("\n").slice(0, LINES);
  engine.putFile("gauges.csv", new TextEncoder().encode(`${lines.join("\n")}\n`));
  await engine.post({ text: `${QUESTION} ${LOOK_UP} 1.` });
  await settled();
  await engine.rate(1, { rating: "up" });
  await settled();
  const described = engine.describeTurn({ turn: 1 });
  if (!described?.replayability.replayable)
    throw new Error(`The turn cannot be run again: ${JSON.stringify(described)}`);
  return { harness, host, engine };
}

async function tryText(
  source: Source,
  probe: string,
  killAt: readonly number[],
): Promise<{ points: number; outcome: string; run: ReplaysRun }> {
  const objects = createReplayObjects(source, killAt);
  const { bucket, clock } = objects;
  const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 });
  const files = { "SKILL.md": writeText(SKILL, probe) };
  const planted = { files, origin: "user" as const, state: "active" as const, description: "Reading gauges." };
  await skills.change({ name: SKILL, op: "plant", since: 0, decide: () => ok(planted) });
  const { text, rev } = (await skills.head(SKILL))!;
  const key = "asked:1";
  const wish = { skill: SKILL, occasion: "asked" as const, rev, text, parent: null, session: null, tokens: TOKENS };
  const asked = { ...wish, key, about: "", citations: [`${SESSION}/1#principal`] };
  const taken = await objects.call(({ experiments }) => experiments.take(asked));
  if (!taken.ok) throw new Error(taken.failure.message);
  const { id } = taken.value;
  const began = clock.now();
  const read = async (): Promise<Experiment[]> => {
    const lines = await objects.call(({ experiments }) => experiments.list({ limit: 100 }));
    const all = lines.map((line) => objects.call(({ experiments }) => experiments.read(line.id)));
    return (await Promise.all(all)).flatMap((one) => (one.ok ? [one.value] : []));
  };
  while (await objects.fireNext(began + WORK_MS));
  const [experiment] = await read();
  const evidence = createEvidenceStore({ bucket, profile: PROFILE, judge: toJudge(DEFAULTS.learning) });
  const turns: string[] = [];
  for await (const { judge, turn } of evidence.list(SKILL)) if (judge === "replay") turns.push(turn);
  const found = {
    ...{ experiments: await read(), accepted: new Set([id]), booked: objects.booked() },
    ...{ evidence: new Map([[text, turns]]), outward: objects.outward, traces: [] },
  };
  const measured = countReplays(found);
  while (await objects.fireNext(began + ERASED_MS));
  const left = objects.replays().filter(({ isErased }) => !isErased);
  const stuck = [
    ...left.map((replay) => `stuck: the replay ${replay.id} was not erased`),
    ...objects.faults.map((fault) => `lost: ${fault}`),
  ];
  const outcome = experiment?.outcome ?? "no outcome";
  const remarks = [...measured.remarks, ...stuck];
  return {
    ...{ points: objects.points(), outcome },
    run: { ...measured, kills: objects.kills(), stuck: measured.stuck + stuck.length, remarks },
  };
}
