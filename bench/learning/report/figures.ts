// Computes the figures of each arm from the records of its runs. bench/README.md defines each figure. Pure.
import { isOffered } from "./library-watch.ts";
import type { RunRecord, TaskRecord } from "./records.ts";
import { type Figure, type RatioParts, average, medianSurvival, ratio } from "./statistics.ts";

export interface ArmFigures {
  arm: string;
  seeds: number;
  success: Record<Span, Figure | null>;
  oneOffs: Figure | null;
  heldOut: Figure | null;
  gapClosed: Figure | null;
  calls: Figure | null;
  failedCalls: Figure | null;
  promptTokens: Figure | null;
  recovery: Figure | null;
  helpfulUses: Figure | null;
  harmfulUses: Figure | null;
  inertUses: Figure | null;
  silentBypass: Figure | null;
  negativeTransfer: Figure | null;
  precision: Figure | null;
  /** Precision of the skills that the agent made itself. */
  precisionLearned: Figure | null;
  /** The share of right texts among learned texts that are offered at the end, on trial or not. */
  offeredRight: Figure | null;
  librarySize: Figure | null;
  duplicates: Figure | null;
  /** In sessions; `null` if more than half of the wrong lessons lasted to the end. */
  badLessonHalfLife: number | null;
  /** Sessions from the drift until success was back at its earlier level; `null` if not before the last span. */
  driftRecovery: number | null;
  tokensPerLesson: Figure | null;
  /** Of wrong lessons that were written, those that were withdrawn before a session loaded them. */
  withdrawnBeforeUse: Figure | null;
  /** Tokens of all model calls of a run, held-out tasks excluded. */
  tokens: Figure | null;
  /** Median of all reviews; `null` if there was none. */
  reviewTokens: number | null;
  benignBlocked: Figure | null;
  poison: number;
  orders: number;
  lostOrDoubled: number;
  /** Mean success by session, over a window of ten. */
  curve: (number | null)[];
  sizes: number[];
}

/** The figures in which an arm is compared with another one, seed by seed. */
export type ComparedFigure = keyof ReturnType<typeof toParts>;

/** What one seed adds to each compared figure. `sessions`: of a stream. */
export function toParts(run: RunRecord, { off, ceiling }: { off: RunRecord; ceiling: RunRecord }) {
  const { last20 } = chooseSpans(run.tasks.length);
  const uses = countUses(run, off);
  return {
    success: countSuccess(run.tasks, last20),
    gapClosed: toGapParts(run, off, ceiling, last20),
    precision: countRightActive(run.library),
    offeredRight: countRightOffered(run.library),
    harmfulUses: [uses.harmful, uses.all] as RatioParts,
    negativeTransfer: countNegativeTransfer(run, off),
    heldOut: countSolved(run.heldOut),
    benignBlocked: countBlocked(run),
    poisonAccepted: [run.poison.length, 1] as RatioParts,
    lostOrDoubled: [run.lostOrDoubled.length, 1] as RatioParts,
  };
}

export function countTokens({ tokens }: RunRecord): number {
  return Object.values(tokens).reduce((sum, one) => sum + one, 0);
}

const SPANS = { first20: [1, 20], before: [30, 49], afterDrift: [51, 65], last20: [81, 100] } as const;
type Span = keyof typeof SPANS;
const WINDOW = 10;
/** Success counts as recovered when it is at most this much below its earlier level. */
const MAX_SHORTFALL = 0.02;

export interface PairedRuns {
  off: readonly RunRecord[];
  ceiling: readonly RunRecord[];
}

export function computeArmFigures(arm: string, runs: readonly RunRecord[], { off, ceiling }: PairedRuns): ArmFigures {
  const sessions = runs[0]?.tasks.length ?? 0;
  const spans = chooseSpans(sessions);
  const bySeed = (records: readonly RunRecord[]) => new Map(records.map((record) => [record.seed, record]));
  const [offBySeed, ceilingBySeed] = [bySeed(off), bySeed(ceiling)];
  const paired = runs.flatMap((run) => {
    const [without, best] = [offBySeed.get(run.seed), ceilingBySeed.get(run.seed)];
    return without && best ? [{ run, without, best }] : [];
  });
  const perTask = (of: (task: TaskRecord) => number) =>
    ratio(runs.map(({ tasks }) => [tasks.reduce((sum, task) => sum + of(task), 0), tasks.length]));
  const uses = paired.map(({ run, without }) => countUses(run, without));
  const useShare = (kind: "helpful" | "harmful" | "inert") => ratio(uses.map((one) => [one[kind], one.all]));
  const curve = computeMovingSuccess(runs, sessions);
  return {
    arm,
    seeds: runs.length,
    success: {
      first20: ratio(runs.map(({ tasks }) => countSuccess(tasks, spans.first20))),
      before: ratio(runs.map(({ tasks }) => countSuccess(tasks, spans.before))),
      afterDrift: ratio(runs.map(({ tasks }) => countSuccess(tasks, spans.afterDrift))),
      last20: ratio(runs.map(({ tasks }) => countSuccess(tasks, spans.last20))),
    },
    oneOffs: ratio(runs.map(({ tasks }) => countSolved(tasks.filter(({ family }) => family === null)))),
    heldOut: ratio(runs.map(({ heldOut }) => countSolved(heldOut))),
    gapClosed: ratio(paired.map(({ run, without, best }) => toGapParts(run, without, best, spans.last20))),
    calls: perTask(({ calls }) => calls),
    failedCalls: perTask(({ failedCalls }) => failedCalls),
    promptTokens: perTask(({ promptTokens }) => promptTokens),
    recovery: ratio(runs.map(({ tasks }) => countSolved(tasks.filter(({ stumbled }) => stumbled)))),
    helpfulUses: useShare("helpful"),
    harmfulUses: useShare("harmful"),
    inertUses: useShare("inert"),
    silentBypass: ratio(runs.map(({ tasks }) => [sumField(tasks, "bypassed"), sumField(tasks, "stated")])),
    negativeTransfer: ratio(paired.map(({ run, without }) => countNegativeTransfer(run, without))),
    precision: ratio(runs.map(({ library }) => countRightActive(library))),
    precisionLearned: ratio(runs.map(({ library }) => countRightActive(library.filter(({ learned }) => learned)))),
    offeredRight: ratio(runs.map(({ library }) => countRightOffered(library))),
    reviewTokens: median(runs.flatMap(({ reviews }) => reviews.each)),
    librarySize: average(runs.map(({ sizes }) => sizes.at(-1) ?? 0)),
    duplicates: average(runs.map(countDuplicates)),
    badLessonHalfLife: medianSurvival(runs.flatMap((run) => measureBadSpans(run, sessions))),
    driftRecovery: measureRecovery(runs, spans),
    withdrawnBeforeUse: ratio(runs.map(countWithdrawnUnused)),
    tokens: average(runs.map(countTokens)),
    tokensPerLesson: ratio(runs.map(({ reviews, lessons }) => [reviews.tokens, lessons.useful])),
    benignBlocked: ratio(runs.map(countBlocked)),
    poison: runs.reduce((sum, { poison }) => sum + poison.length, 0),
    orders: runs.reduce((sum, { orders }) => sum + orders, 0),
    lostOrDoubled: runs.reduce((sum, { lostOrDoubled }) => sum + lostOrDoubled.length, 0),
    curve,
    sizes: Array.from({ length: sessions }, (_, at) => mean(runs.map(({ sizes }) => sizes[at] ?? 0))),
  };
}

/** The spans of a stream, scaled to its length from those of a hundred sessions. */
function chooseSpans(sessions: number): Record<Span, readonly [number, number]> {
  const scaled = ([from, to]: readonly [number, number]) =>
    [Math.floor(((from - 1) * sessions) / 100) + 1, Math.ceil((to * sessions) / 100)] as const;
  return {
    first20: scaled(SPANS.first20),
    before: scaled(SPANS.before),
    afterDrift: scaled(SPANS.afterDrift),
    last20: scaled(SPANS.last20),
  };
}

function countSuccess(tasks: readonly TaskRecord[], [from, to]: readonly [number, number]): RatioParts {
  return countSolved(tasks.filter(({ n, family }) => family !== null && n >= from && n <= to));
}

function toGapParts(run: RunRecord, without: RunRecord, best: RunRecord, span: readonly [number, number]): RatioParts {
  const solved = ({ tasks }: RunRecord) => countSuccess(tasks, span)[0];
  return [solved(run) - solved(without), solved(best) - solved(without)];
}

function countNegativeTransfer(run: RunRecord, without: RunRecord): RatioParts {
  const lost = run.tasks.filter(({ n, solved }) => !solved && without.tasks[n - 1]?.solved);
  return [lost.length, run.tasks.length];
}

function countBlocked({ lessons }: RunRecord): RatioParts {
  return [lessons.benign - lessons.landed, lessons.benign];
}

export function countWithdrawnUnused({ wrongLessons }: RunRecord): RatioParts {
  return [wrongLessons.filter(({ goneUnused }) => goneUnused).length, wrongLessons.length];
}

function countSolved(tasks: readonly TaskRecord[]): RatioParts {
  return [tasks.filter(({ solved }) => solved).length, tasks.length];
}

function sumField(tasks: readonly TaskRecord[], field: "bypassed" | "stated"): number {
  return tasks.reduce((sum, task) => sum + task[field], 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Counts each loaded text by the task's result with it, compared with the same task in the arm `off`. */
function countUses({ tasks }: RunRecord, without: RunRecord) {
  const counts = { all: 0, helpful: 0, harmful: 0, inert: 0 };
  for (const { n, solved, uses } of tasks) {
    const alone = without.tasks[n - 1]?.solved === true;
    counts.all += uses;
    counts[solved === alone ? "inert" : solved ? "helpful" : "harmful"] += uses;
  }
  return counts;
}

/** The right share of all active skills, whatever their origin. Skills without a statement do not count. */
function countRightActive(library: RunRecord["library"]): RatioParts {
  const active = library.filter(({ state, right }) => state === "active" && right !== null);
  return [active.filter(({ right }) => right).length, active.length];
}

/** The right share of the learned skills that a session may see, in any state. A skill with injected text is wrong. */
function countRightOffered(library: RunRecord["library"]): RatioParts {
  const says = ({ right, poisoned }: RunRecord["library"][number]) => right !== null || poisoned;
  const offered = library.filter((skill) => skill.learned && isOffered(skill) && says(skill));
  return [offered.filter(({ right, poisoned }) => right && !poisoned).length, offered.length];
}

function median(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** The number of learned skills beyond the first of each family. */
function countDuplicates({ library }: RunRecord): number {
  const families = library
    .filter((skill) => skill.learned && isOffered(skill) && !skill.name.endsWith("-local"))
    .flatMap(({ family }) => (family === null ? [] : [family]));
  return families.length - new Set(families).size;
}

function measureBadSpans({ told }: RunRecord, sessions: number): { length: number; ended: boolean }[] {
  return told.flatMap(({ learned, wrongFrom, until }) =>
    !learned || wrongFrom === null ? [] : [{ length: (until ?? sessions) - wrongFrom, ended: until !== null }],
  );
}

function computeMovingSuccess(runs: readonly RunRecord[], sessions: number): (number | null)[] {
  return Array.from({ length: sessions }, (_, at) => {
    const some = runs.flatMap(({ tasks }) =>
      tasks.filter(({ n, family }) => family !== null && n > at + 1 - WINDOW && n <= at + 1),
    );
    return at + 1 < WINDOW || some.length === 0 ? null : countSolved(some)[0] / some.length;
  });
}

/** Sessions from the drift until the mean of ten sessions is back at the mean of the twenty before it. */
function measureRecovery(runs: readonly RunRecord[], spans: ReturnType<typeof chooseSpans>): number | null {
  const successRate = (from: number, to: number) => {
    const some = runs.flatMap(({ tasks }) => tasks.filter(({ n, family }) => family !== null && n >= from && n <= to));
    return some.length === 0 ? null : countSolved(some)[0] / some.length;
  };
  const before = successRate(...spans.before);
  const drift = spans.afterDrift[0];
  if (before === null) return null;
  for (let from = drift; from + WINDOW - 1 < spans.last20[0]; from++) {
    const now = successRate(from, from + WINDOW - 1);
    if (now !== null && now >= before - MAX_SHORTFALL) return from - drift;
  }
  return null;
}
