// Plants lessons on finished work, without a review, and reads what experiments find: a right lesson, one that the work does not need, and
// a harmful one. Tests the experiments from outside the loop. Called by job-thread.ts.
import type { SessionId } from "../../../core/schemas/ids.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import type { ExperimentOutcome } from "../../../core/schemas/learning/experiment.ts";
import { hashFiles, textOfFiles } from "../../../core/schemas/learning/digest.ts";
import type { Arm } from "../arms/arms.ts";
import { createReviewerModel } from "../models/reviewer.ts";
import { chooseWords, writeSkillMd } from "../models/skill-writing.ts";
import { createWorkerModel } from "../models/worker.ts";
import { createPlatform } from "../platform/platform.ts";
import { readEntries } from "../platform/session-entries.ts";
import { pick } from "../world/draws.ts";
import type { Operation } from "../world/outputs.ts";
import { spellOption } from "../world/styles.ts";
import type { Task, World } from "../world/tasks.ts";
import { createBenchTools, newProgress } from "../world/tools.ts";

const PROFILE = "0123456789abcdefghjkmnpqrs";
const HOUR_MS = 60 * 60_000;
/** Enough that similar work is found too. */
const SESSIONS = 16;
/** Lessons of each kind. */
const PLANTED = 2;
/** For one lesson. More than four turns need, twice in each of two arms. */
const GRANT_TOKENS = 2_000_000;

export const PLANT_KINDS = ["right", "useless", "harmful"] as const;
export type PlantKind = (typeof PLANT_KINDS)[number];

/** `none`: the experiment ended without an outcome. */
export interface PlantsRecord {
  seed: number;
  outcomes: Record<PlantKind, Partial<Record<ExperimentOutcome | "none", number>>>;
}

/** A turn that found out by trying which option an operation takes. */
interface Finding {
  task: Task;
  operation: Operation;
  right: string;
  /** Of the call that worked. */
  citation: string;
}

export async function runPlants(arm: Arm, world: World): Promise<PlantsRecord> {
  const { parameters, surfaces } = world;
  const newTools = (progress = newProgress()) => createBenchTools(() => world, parameters, surfaces, progress);
  const platform = createPlatform({
    settings: arm.settings,
    worker: createWorkerModel(() => world),
    reviewer: createReviewerModel({ worldOf: () => world }),
    curates: false,
    newReplayTools: newTools,
  });
  const tools = newTools();
  const findings: Finding[] = [];
  for (const task of world.tasks.slice(0, SESSIONS)) {
    const id = `01J${String(task.n).padStart(23, "0")}`;
    const session = await platform.openSession(PROFILE, id, { tools, reviewed: false });
    await session.say(task.request);
    await platform.advanceTo(platform.clock.now() + HOUR_MS);
    findings.push(...findTried(world, task, id, readEntries(session)));
    session.close();
  }
  const record: PlantsRecord = { seed: world.seed, outcomes: { right: {}, useless: {}, harmful: {} } };
  for (const finding of findings.slice(0, PLANTED)) {
    for (const kind of PLANT_KINDS) {
      const outcome = await plant(platform, world, finding, kind);
      record.outcomes[kind][outcome] = (record.outcomes[kind][outcome] ?? 0) + 1;
    }
  }
  platform.end();
  return record;
}

function findTried(world: World, task: Task, session: SessionId, entries: readonly Entry[]): Finding[] {
  if (!task.family) return [];
  return task.operations.flatMap((operation) => {
    const { name, flag, style } = operation;
    const calls = entries.flatMap((entry) =>
      entry.kind === "tool" && entry.call.name === "service" && entry.call.args.operation === name ? [entry] : [],
    );
    const right = world.right(name, task.n);
    const worked = calls.findLast(({ failed }) => !failed);
    const isFound = calls.some(({ failed }) => failed) && worked?.call.args.option === spellOption(flag, style, right);
    return isFound && !world.isSilent(name)
      ? [{ task, operation, right, citation: `${session}/${worked.n}#outcome` }]
      : [];
  });
}

async function plant(
  platform: ReturnType<typeof createPlatform>,
  world: World,
  finding: Finding,
  kind: PlantKind,
): Promise<ExperimentOutcome | "none"> {
  const { task, citation } = finding;
  const family = task.family!;
  const { operation, option } = chooseStatement(world, finding, kind);
  const spelled = spellOption(operation.flag, operation.style, option);
  const words = chooseWords({ area: family.key, requests: family.wordings }, 0, false);
  const lesson = { operation: operation.name, option, spelled, citations: [citation], isWrong: kind === "harmful" };
  const files = { "SKILL.md": writeSkillMd(words, [lesson], `${task.job} ${kind}`) };
  const experiments = platform.experiments(PROFILE);
  if (!experiments) throw new Error("plants need an arm with a grant for experiments");
  const taken = await experiments.take({
    ...{ key: `asked:${task.job}-${operation.name}-${kind}`, skill: words.name, occasion: "try" },
    ...{ text: textOfFiles(hashFiles(files)), parent: null, citations: [citation], session: null },
    about: [words.description, ...family.wordings].join("\n"),
    ...{ given: files, tokens: GRANT_TOKENS },
  });
  if (!taken.ok) throw new Error(taken.failure.message);
  await platform.advanceTo(platform.clock.now() + 24 * HOUR_MS);
  const ended = await experiments.read(taken.value.id);
  if (!ended.ok) throw new Error(ended.failure.message);
  return ended.value.outcome ?? "none";
}

/** `useless`: true, but of work that the task does not need. */
function chooseStatement(
  world: World,
  { task, operation, right }: Finding,
  kind: PlantKind,
): { operation: Operation; option: string } {
  if (kind === "right") return { operation, option: right };
  if (kind === "harmful") {
    const others = operation.values.slice(1).filter((value) => value !== right);
    return { operation, option: pick(others, task.job, operation.name, "planted") };
  }
  const other = world.families.find(({ key }) => key !== task.family!.key) ?? task.family!;
  const unneeded = other.operations.find(({ name }) => task.operations.every((one) => one.name !== name));
  const strange = unneeded ?? operation;
  return { operation: strange, option: world.right(strange.name, task.n) };
}
