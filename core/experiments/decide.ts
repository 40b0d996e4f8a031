// Decides after every run of an experiment: which run comes next, or how it ends. Called by pump.ts. Pure.
//
// The rule, in its order. A run with the text whose call failed with a word that only this text has is harm. Else the arms' rates of right answers are
// compared, as distributions that every run narrows. Where neither arm is ahead, the cost decides. The recorded turn is a free run of the other
// arm, but a turn is often cited because it went wrong or well, so it weighs less, and no verdict rests on recorded turns alone: one new run of
// the other arm must agree. test/experiments/decide.test.ts measures how often the rule errs.
import type { TurnId } from "../schemas/ids.ts";
import type { Arm, ExperimentOutcome, ReplayEnd, RunJudge, RunVerdict } from "../schemas/learning/experiment.ts";
import { probabilityHigher } from "../learning/evidence/beta.ts";

/** A run that has ended. */
export interface JudgedRun {
  turn: TurnId;
  arm: Arm;
  /** The recorded turn itself. */
  isRecorded: boolean;
  end: ReplayEnd;
  verdict: RunVerdict;
  judge: RunJudge;
  /** Nobody has judged its answer, and it has nothing of what the runs of the other arm have found. */
  givesNothing?: true;
  calls: number;
  failedCalls: number;
  tokens: number;
}

export interface ExperimentFacts {
  /** In the order in which they are tried. */
  turns: { turn: TurnId; cited: boolean }[];
  /** The text replaces another one, which it must surpass. */
  hasParent: boolean;
  runs: JudgedRun[];
}

export type Decision = { run: { turn: TurnId; arm: Arm } } | Ending;

/** `because`: what decided. `outcome`: `null` if no run can be compared with another. */
export interface Ending {
  outcome: ExperimentOutcome | null;
  because: "words" | "answers" | "cost" | "level" | "nothing";
  /** The arm that the text was compared with. */
  against: Arm;
}

/** Runs of one turn in one arm, the recorded one not counted. */
const MAX_RUNS = 2;
/** The probability that one arm is right more often than the other, from which on it is certain. [own] See the measured rates of error. */
const SURE = 0.982;
/** The same where two runs of one turn in one arm ended differently: chance is at work. [own] */
const SURE_IN_NOISE = 0.99;
/** Below it neither arm is ahead. [own] */
const AHEAD = 0.8;
/** Of nothing known: half of all runs are right. Jeffreys' prior. */
const PRIOR = 0.5;
/** What a recorded turn counts, since it is chosen and not drawn. [own] */
const RECORDED_WEIGHT = 0.6;
/** A text that saves less has not been shown to help. The same share as `learning.activeCalls`. */
const CHEAPER = 0.8;
/** The share at which two turns are enough, where there are more. [own] */
const MUCH_CHEAPER = 0.67;
/** Calls with the text, divided by those without it, from which on it does harm. [own] */
const DEARER = 1.5;
/** Calls with the text, divided by those without it, and the difference, from which on it does harm though none of them fails. [own] */
const MUCH_DEARER = 2;
const MORE_CALLS = 3;
/** Of as many calls as without the text, how many more must fail, so that it does harm. [own] */
const MORE_FAILED = 2;
/** Two runs that happen to fail in the same way are not chance. [own] */
const MIN_WORD_RUNS = 2;
const MIN_TURNS = 2;

export function decideNext(facts: ExperimentFacts): Decision {
  return decideAgainst(facts, facts.hasParent ? "parent" : "without");
}

function decideAgainst(facts: ExperimentFacts, against: Arm): Decision {
  if (isHarmByWords(facts)) return { outcome: "harms", because: "words", against };
  const doubtful = findDoubtful(facts);
  if (doubtful) return { run: { turn: doubtful, arm: "with" } };
  const pairs = pairsOf(facts, against);
  const compared = pairs.filter(({ own, other }) => own.length > 0 && other.length > 0);
  const isEnough = compared.length >= MIN_TURNS || pairs.every((pair) => isTried(pair, against));
  const ahead = probabilityBetter(compared);
  const costs = compareCosts(compared, pairs.length);
  const isLevel = ahead < AHEAD && ahead > 1 - AHEAD;
  const isConfirmed = compared.some(({ other }) => other.some(({ isRecorded }) => !isRecorded));
  if (isEnough && isConfirmed) {
    const sure = compared.some(isNoisy) ? SURE_IN_NOISE : SURE;
    if (ahead >= sure) return { outcome: "helps", because: "answers", against };
    if (ahead <= 1 - sure) return { outcome: "harms", because: "answers", against };
    if (isLevel && (costs === "helps" || costs === "harms")) return { outcome: costs, because: "cost", against };
  }
  const isDoubtful = compared.some(({ own, other }) => own.some((run) => other.some((one) => failsMore(run, one))));
  if (isEnough && isLevel && costs === "level" && compared.length > 0 && (isConfirmed || !isDoubtful)) {
    return { outcome: "no_difference", because: "level", against };
  }
  if (isLevelAtHome(facts)) return { outcome: "no_difference", because: "level", against };
  const next = nextRun(pairs, against, isEnough && !isConfirmed);
  if (next) return { run: next };
  if (compared.length === 0) return { outcome: null, because: "nothing", against };
  return { outcome: "no_difference", because: "level", against };
}

/** The ending where no further run may be made: what is clear so far, or nothing. */
export function decideNow(facts: ExperimentFacts): Ending {
  const decision = decideNext(facts);
  if ("outcome" in decision) return decision;
  return { outcome: null, because: "nothing", against: facts.hasParent ? "parent" : "without" };
}

/** On a cited turn one run is enough: the turn itself shows what works instead. */
function isHarmByWords({ turns, runs }: ExperimentFacts): boolean {
  const failed = runs.filter(({ arm, judge }) => arm === "with" && judge === "words");
  if (failed.length >= MIN_WORD_RUNS) return true;
  return failed.some(({ turn }) => {
    const isCited = turns.some((one) => one.turn === turn && one.cited);
    return isCited && runs.some((run) => run.turn === turn && run.arm !== "with" && run.verdict === "right");
  });
}

/**
 * The first run with the text was on a turn that the text cites, and it was neither better nor cheaper than the turn was without the text, whatever
 * the turn had read instead. A text that does nothing for the work that it comes from helps nowhere else.
 */
function isLevelAtHome({ turns, runs }: ExperimentFacts): boolean {
  const [own, ...more] = runs.filter(({ arm }) => arm === "with");
  if (!own || more.length > 0 || own.end !== "answered") return false;
  if (!turns.some(({ turn, cited }) => cited && turn === own.turn)) return false;
  const others = runs.filter(({ turn, arm, end }) => turn === own.turn && arm !== "with" && end === "answered");
  const isLevel = (other: JudgedRun) =>
    other.verdict === own.verdict && !isCheaper(own, other, CHEAPER) && !isDearer(own, other) && !failsMore(own, other);
  return others.length > 0 && own.verdict !== "wrong" && others.every(isLevel);
}

/** A cited turn of which the only run with the text failed with a word of it: whether by chance is asked at once. */
function findDoubtful({ turns, runs }: ExperimentFacts): TurnId | null {
  const own = runs.filter(({ arm, isRecorded }) => arm === "with" && !isRecorded);
  const isDoubtful = ({ turn, judge }: JudgedRun) =>
    judge === "words" &&
    turns.some((one) => one.turn === turn && one.cited) &&
    own.filter((run) => run.turn === turn).length < MAX_RUNS;
  return own.find(isDoubtful)?.turn ?? null;
}

/** The runs of one turn that can be compared: those that ended with an answer, or are judged. */
interface Pair {
  turn: TurnId;
  own: JudgedRun[];
  other: JudgedRun[];
  /** How many were made in each arm, the recorded one not counted; whatever came of them. */
  made: Partial<Record<Arm, number>>;
  /** Arms in which the turn cannot be run to its end. */
  stuck: Arm[];
}

function pairsOf({ turns, runs }: ExperimentFacts, against: Arm): Pair[] {
  return turns.map(({ turn }) => {
    const all = runs.filter((run) => run.turn === turn);
    const usable = all.filter((run) => run.end === "answered" || run.verdict !== "unknown");
    const made = (arm: Arm) => all.filter((run) => run.arm === arm && !run.isRecorded).length;
    const of = (arm: Arm) => usable.filter((run) => run.arm === arm);
    const stuck = (["with", against] as const).filter(
      (arm) => made(arm) > 0 && of(arm).every(({ isRecorded }) => isRecorded),
    );
    return {
      turn,
      own: of("with"),
      other: of(against),
      made: { with: made("with"), [against]: made(against) },
      stuck,
    };
  });
}

function isTried({ made, other, stuck }: Pair, against: Arm): boolean {
  return stuck.length > 0 || ((made.with ?? 0) > 0 && ((made[against] ?? 0) > 0 || other.length > 0));
}

function probabilityBetter(compared: Pair[]): number {
  const own = weigh(compared.flatMap((pair) => pair.own));
  const other = weigh(compared.flatMap((pair) => pair.other));
  return probabilityHigher(own, other);
}

function weigh(runs: JudgedRun[]): { successes: number; failures: number } {
  let [successes, failures] = [PRIOR, PRIOR];
  for (const { verdict, isRecorded } of runs) {
    const weight = isRecorded ? RECORDED_WEIGHT : 1;
    if (verdict === "right") successes += weight;
    if (verdict === "wrong") failures += weight;
  }
  return { successes, failures };
}

/** A turn of which one arm had both a right and a wrong answer. */
function isNoisy({ own, other }: Pair): boolean {
  return [own, other].some((runs) => {
    const verdicts = new Set(runs.map(({ verdict }) => verdict));
    return verdicts.has("right") && verdicts.has("wrong");
  });
}

/**
 * On every turn, every run with the text must be cheaper than every other one. The calls of two runs differ by chance, but seldom all in one
 * direction. A single turn must have been run twice.
 */
function compareCosts(compared: Pair[], turns: number): "helps" | "harms" | "open" | "level" {
  if (compared.length === 0) return "level";
  const isEverywhere = (isSo: (own: Costs, other: Costs) => boolean) =>
    compared.every((pair) => pair.own.every((own) => pair.other.every((other) => isSo(own, other))));
  const isDear = isEverywhere(isDearer);
  if (!isDear && !isEverywhere((own, other) => isCheaper(own, other, CHEAPER))) return "level";
  if (!isDear && compared.some(isWorthLess)) return "level";
  const isTwice = ({ own, other }: Pair) => own.length >= MAX_RUNS && other.length >= MAX_RUNS;
  if (compared.length < MIN_TURNS && !compared.some(isTwice)) return "open";
  if (isDear) return "harms";
  const isMuch = isCheaper(sumCosts(compared, "own"), sumCosts(compared, "other"), MUCH_CHEAPER);
  return isMuch || compared.length >= Math.min(turns, MIN_TURNS + 1) ? "helps" : "open";
}

/** A wrong answer is worth nothing, however cheap; nor is one that nobody calls right where another one is. */
function isWorthLess({ own, other }: Pair): boolean {
  const isOtherRight = other.some(({ verdict }) => verdict === "right");
  return own.some(
    ({ verdict, givesNothing }) =>
      verdict === "wrong" || givesNothing === true || (isOtherRight && verdict === "unknown"),
  );
}

type Costs = Pick<JudgedRun, "calls" | "failedCalls" | "tokens">;

/** A larger share of its calls. A text that saves calls that work, such as a look at the file, and makes others fail, saves nothing. */
function failsMore(own: Costs, other: Costs): boolean {
  return own.failedCalls * other.calls > other.failedCalls * own.calls;
}

function isCheaper(own: Costs, other: Costs, share: number): boolean {
  if (failsMore(own, other)) return false;
  const savesCalls = other.calls > 0 && own.calls <= share * other.calls;
  return savesCalls || (own.calls <= other.calls && own.tokens <= share * other.tokens);
}

/** Needless work: twice the calls. Else some of the calls must fail that would not without the text. */
function isDearer(own: Costs, other: Costs): boolean {
  const [more, moreFailed] = [own.calls - other.calls, own.failedCalls - other.failedCalls];
  if (own.calls >= MUCH_DEARER * other.calls && more >= MORE_CALLS) return true;
  if (own.calls >= DEARER * Math.max(other.calls, 1)) return moreFailed >= 1;
  return more >= 0 && moreFailed >= MORE_FAILED;
}

/** Over all turns, each with the means of its runs. */
function sumCosts(compared: Pair[], side: "own" | "other"): Costs {
  const sum = (read: (run: JudgedRun) => number) =>
    compared.reduce((all, pair) => all + pair[side].reduce((of, run) => of + read(run), 0) / pair[side].length, 0);
  return {
    calls: sum(({ calls }) => calls),
    failedCalls: sum(({ failedCalls }) => failedCalls),
    tokens: sum(({ tokens }) => tokens),
  };
}

/**
 * `confirms`: a new run of the other arm is due. Otherwise every turn is tried once in both arms before any is tried again, in the order of
 * the turns.
 */
function nextRun(pairs: Pair[], against: Arm, confirms: boolean): { turn: TurnId; arm: Arm } | null {
  const open = pairs.filter(({ stuck }) => stuck.length === 0);
  if (confirms) {
    const unconfirmed = open.find((pair) => pair.own.length > 0 && (pair.made[against] ?? 0) === 0);
    if (unconfirmed) return { turn: unconfirmed.turn, arm: against };
  }
  for (const pair of open) {
    if ((pair.made.with ?? 0) === 0) return { turn: pair.turn, arm: "with" };
    if (pair.other.length === 0) return { turn: pair.turn, arm: against };
  }
  for (let times = 1; times <= MAX_RUNS; times++) {
    for (const pair of open) {
      const arms: Arm[] = pair.own.length < pair.other.length ? ["with", against] : [against, "with"];
      const due = arms.find((arm) => (pair.made[arm] ?? 0) < times);
      if (due) return { turn: pair.turn, arm: due };
    }
  }
  return null;
}
