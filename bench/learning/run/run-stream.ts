// Runs one arm in one seed's world: the sessions in order, the person's follow-ups and ratings, reviews and curation when they
// are due, and finally the held-out tasks. Everything that differs between arms is defined in arms.ts.
import type { SessionId } from "../../../core/schemas/ids.ts";
import { readSkillMd, toImport } from "../../../core/skills/exchange/import.ts";
import { seeds } from "../../../skills-seed/index.ts";
import type { Arm } from "../arms/arms.ts";
import { auditEffects } from "../report/audit.ts";
import { draw, happens } from "../world/draws.ts";
import { createHermes } from "../hermes/learner.ts";
import { countExperiments } from "../report/experiment-count.ts";
import { createLessonLedger } from "../report/lesson-ledger.ts";
import { isLearned } from "../../../core/skills/edit/protection.ts";
import { createLibraryWatch } from "../report/library-watch.ts";
import { type OpenSession, type Platform, type ProfileStores, createPlatform } from "../platform/platform.ts";
import { showPlacebo } from "../arms/placebo.ts";
import type { RunRecord, TaskRecord } from "../report/records.ts";
import type { Attempt } from "../models/lesson-keeping.ts";
import { createReviewerModel } from "../models/reviewer.ts";
import { readStatements } from "../models/statements.ts";
import { listLoaded, toRecord } from "../report/task-record.ts";
import { createWrongLessons } from "../report/wrong-lessons.ts";
import { createBriefing } from "../models/briefing.ts";
import { createBenchTools, newProgress } from "../world/tools.ts";
import type { World } from "../world/tasks.ts";
import { createWorkerModel } from "../models/worker.ts";

export const PROFILE = "0123456789abcdefghjkmnpqrs";
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface StreamHooks {
  /** Called when learning from the last session is complete, before the held-out tasks. */
  ended?(platform: Platform): Promise<void>;
}

export async function runStream(arm: Arm, world: World, hooks: StreamHooks = {}): Promise<RunRecord> {
  const began = process.threadCpuUsage();
  const { parameters } = world;
  const attempts = new Map<string, Attempt>();
  const progress = newProgress();
  const tools = createBenchTools(() => world, parameters, world.surfaces, progress);
  const reviewer = createReviewerModel({
    worldOf: () => world,
    note: (attempt) => void attempts.set(JSON.stringify(attempt), attempt),
  });
  const platform = createPlatform({
    settings: arm.settings,
    worker: createWorkerModel(() => world),
    reviewer,
    policy: arm.policy,
    curates: arm.curates,
    faultOf: ({ review }, delivery) => drawFault(world, review, delivery),
    newReplayTools: () => createBenchTools(() => world, parameters, world.surfaces, newProgress()),
    ...(arm.placebo && { wrapSkills: (skills) => showPlacebo(skills, world) }),
    onDelivered: async ({ review }) => {
      await watch.update(now);
      ledger.settleHeld();
      if (await stores.reviews.outcome(review)) ledger.settle(readSessionNumber(review.slice(0, 26)));
    },
  });
  const stores = platform.openStores(PROFILE);
  const marks = [...new Set(world.tasks.flatMap((task) => task.injection?.lines ?? []))];
  const wrong = createWrongLessons(world);
  const watch = createLibraryWatch(stores, { clock: platform.clock, marksOf: () => marks, onChange: wrong.noteChange });
  const ledger = createLessonLedger(attempts, watch);
  const briefing = createBriefing(arm, world, progress);
  const isReplaying = arm.settings.review.replayTokens > 0;
  let now = 0;
  const hermes =
    arm.learner === "hermes"
      ? createHermes({ platform, stores, profile: PROFILE, model: reviewer, settings: arm.settings })
      : null;

  if (arm.learner !== "none") await importSkills(world, stores);
  await watch.update(0);
  const startMs = platform.clock.now();
  const gapMs = DAY_MS / parameters.stream.sessionsPerDay;
  platform.scheduleCuration(Math.ceil(parameters.stream.sessions / parameters.stream.sessionsPerDay) + 1);
  const open = new Map<number, OpenSession>();
  const tasks: TaskRecord[] = [];
  const sizes: number[] = [];

  for (const task of world.tasks) {
    await platform.advanceTo(startMs + (task.n - 1) * gapMs);
    await rateEarlier(task.n);
    await hermes?.idle();
    if (isReplaying) {
      await watch.update(now);
      ledger.settleHeld();
    }
    now = task.n;
    const session = await platform.openSession(PROFILE, sessionId(task.n), { learning: arm.learner !== "none", tools });
    await session.say(`${briefing.before(task)}${task.request}`);
    const record = toRecord(world, task, session, progress);
    tasks.push(record);
    wrong.noteUse(task.n, listLoaded(session));
    if (arm.learner === "none") {
      briefing.after(task, world.followUp(task, record.solved));
      session.close();
      continue;
    }
    open.set(task.n, session);
    await hermes?.afterTurn(session);
    await platform.advanceTo(platform.clock.now() + 30 * SECOND_MS);
    const reply = world.followUp(task, record.solved);
    if (reply) {
      await platform.advanceTo(platform.clock.now() + 2 * MINUTE_MS);
      await session.say(reply.text);
      await hermes?.afterTurn(session);
      await platform.advanceTo(platform.clock.now() + 30 * MINUTE_MS);
    }
    await watch.update(task.n);
    ledger.settle(task.n);
    sizes.push(watch.offered().filter(isLearned).length);
  }
  const last = parameters.stream.sessions;
  if (arm.learner !== "none") {
    await platform.advanceTo(startMs + (last + parameters.labels.ratingDelaySessions + 1) * gapMs);
    await watch.update(last);
    ledger.settleHeld();
  }
  const tokens = { ...platform.tokens };
  const lostOrDoubled = arm.learner === "product" ? await auditEffects(platform, stores, PROFILE) : [];
  await hooks.ended?.(platform);
  const reviews = hermes ? hermes.reviews() : await countReviews(platform, stores);
  const library = watch.skills().map((skill) => toKept(world, skill, marks));
  const heldOut = await askHeldOut();
  const experiments = await countExperiments(platform.experiments(PROFILE));
  for (const session of open.values()) session.close();
  platform.end();
  return {
    arm: arm.name,
    seed: world.seed,
    tasks,
    heldOut,
    sizes,
    library,
    told: watch.told.map((one) => ({ ...one, wrongFrom: findFirstWrongSession(world, one, last) })),
    wrongLessons: wrong.lessons,
    tokens,
    experiments,
    reviews,
    lessons: ledger.counts(world),
    blocked: ledger.blocked(world),
    poison: [...watch.poison.values()],
    orders: [...attempts.values()].filter(({ kind }) => kind === "order").length,
    lostOrDoubled,
    reports: platform.reports,
    cpuMs: Math.round(process.threadCpuUsage(began).user / 1_000),
  };

  /** Rates and closes the session that is due for its rating before session `n`. */
  async function rateEarlier(n: number): Promise<void> {
    const rated = n - parameters.labels.ratingDelaySessions;
    const session = open.get(rated);
    if (!session) return;
    open.delete(rated);
    const task = world.tasks[rated - 1]!;
    const rating = world.rating(task, tasks[rated - 1]!.solved);
    if (rating && arm.learner === "product") {
      await rate(session, rating);
      await platform.advanceTo(platform.clock.now() + 30 * MINUTE_MS);
    }
    session.close();
  }

  async function askHeldOut(): Promise<TaskRecord[]> {
    const records: TaskRecord[] = [];
    for (const task of world.heldOut) {
      const on = arm.learner !== "none";
      const session = await platform.openSession(PROFILE, sessionId(task.n), { learning: on, tools, reviewed: false });
      await session.say(`${briefing.before(task)}${task.request}`);
      records.push(toRecord(world, task, session, progress));
      session.close();
    }
    return records;
  }
}

async function rate(session: OpenSession, rating: { rating: "up" | "down"; correction?: string }): Promise<void> {
  const rated = await session.engine.rate(1, rating);
  if (!rated.ok) throw new Error(rated.failure.message);
  await session.settled();
}

function sessionId(n: number): SessionId {
  return `01J${String(n).padStart(23, "0")}`;
}

export function readSessionNumber(session: string): number {
  return Number(session.slice(3));
}

/** Imports the person's own skills through the product's import code. */
async function importSkills(world: World, { skills }: Pick<ProfileStores, "skills">): Promise<void> {
  for (const { name, text } of world.imported) {
    const read = readSkillMd(new TextEncoder().encode(text), { folder: name });
    if (!read.ok) throw new Error(read.failure.message);
    const decide = toImport(read.value, { replace: false, seeds });
    const changed = await skills.change({ name, op: `api:import-${name}`, since: 0, decide });
    if (!changed.ok) throw new Error(changed.failure.message);
  }
}

function drawFault({ seed, parameters }: World, review: string, delivery: number) {
  const n = readSessionNumber(review.slice(0, 26));
  const range = review.slice(27);
  const { redelivered, killed } = parameters.faults;
  const dies = delivery <= 3 && happens(killed, seed, n, range, delivery, "killed");
  return {
    isRepeated: delivery === 1 && happens(redelivered, seed, n, range, "twice"),
    killAt: dies
      ? {
          atCall: 1 + Math.floor(draw(seed, n, range, delivery, "call") * CALLS_PER_DELIVERY),
          afterwards: happens(0.5, seed, n, range, delivery, "afterwards"),
        }
      : null,
  };
}

/** About the number of store calls that one delivery makes. */
const CALLS_PER_DELIVERY = 60;

async function countReviews(platform: Platform, { reviews }: ProfileStores): Promise<RunRecord["reviews"]> {
  const counts: RunRecord["reviews"] = { owed: 0, done: 0, dead: 0, tokens: 0, each: [], modelCalls: 0, byTrigger: {} };
  for (const review of new Set(platform.sent.map((message) => message.review))) {
    counts.owed += 1;
    const outcome = await reviews.outcome(review);
    if (outcome && "lessons" in outcome) {
      counts.done += 1;
      counts.modelCalls += outcome.modelCalls;
      const tokens = outcome.usage.input + outcome.usage.output;
      counts.tokens += tokens;
      counts.each.push(tokens);
      counts.byTrigger[outcome.trigger] = (counts.byTrigger[outcome.trigger] ?? 0) + 1;
    } else if (outcome) counts.dead += 1;
  }
  return counts;
}

function toKept(
  world: World,
  skill: ReturnType<ReturnType<typeof createLibraryWatch>["skills"]>[number],
  marks: readonly string[],
): RunRecord["library"][number] {
  const last = world.parameters.stream.sessions;
  const says = readStatements(skill.content);
  const family = world.families.find(({ operations }) =>
    operations.some(({ name }) => says.some((one) => one.operation === name)),
  );
  const isRight = says.every(({ operation, option }) => world.right(operation, last) === option);
  return {
    name: skill.name,
    state: skill.state,
    learned: isLearned(skill),
    right: says.length === 0 ? null : isRight,
    poisoned: marks.some((mark) => skill.content.includes(mark)),
    statements: says.map(
      ({ operation, option }) => `${operation}=${option}${world.right(operation, last) === option ? "" : "!"}`,
    ),
    family: family?.key ?? null,
  };
}

/** The first session in which an offered statement was wrong; `null` if it never was. */
function findFirstWrongSession(
  world: World,
  { operation, option, from, until }: { operation: string; option: string; from: number; until: number | null },
  last: number,
) {
  for (let n = Math.max(1, from); n <= (until ?? last); n++) if (world.right(operation, n) !== option) return n;
  return null;
}
