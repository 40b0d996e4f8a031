// What the evidence of a skill says of each of its texts: on trial, active, or withdrawn because it does harm. Called by the
// evidence store when it counts, and carried out by settle.ts. Pure: evidence in any order, the same verdicts out.
//
// A text is judged by the turns that used it. Two skills that one turn used both get its outcome: which of them helped
// cannot be told from one turn, and they part over others, while the harm of either is seen at once in all of its turns.
// The baseline is the same profile's similar turns without the skill, so a hard kind of work is not held against a text.
import type { Day, Sha256 } from "../../schemas/ids.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type Baseline, type Evidence, type Lineage, type TextVerdict, outranks } from "../../schemas/skill.ts";
import { type Beta, probabilityHigher, roundFigure } from "./beta.ts";

type Rules = Settings["learning"];

/** What the evidence store is given. `rules` names the rules it judges by, so that what was judged by others is known to be. */
export function toJudge(rules: Rules) {
  const judge = (evidence: Evidence[], lineage?: Lineage): Record<Sha256, TextVerdict> =>
    judgeTexts(evidence, lineage, rules);
  return Object.assign(judge, { rules: `${JUDGE_VERSION} ${JSON.stringify(rules)}` });
}

/** Raised when the same evidence and rules give other verdicts than they did. */
const JUDGE_VERSION = 5;

/**
 * By text: those that have evidence. The present one (of `lineage`) begins with a part of what is known of its parent. Where
 * a person put it back, it begins with the same part of its own past instead, and only what came since can withdraw it.
 */
export function judgeTexts(
  evidence: readonly Evidence[],
  lineage: Lineage | undefined,
  rules: Rules,
): Record<Sha256, TextVerdict> {
  const byText = toUses(evidence);
  const texts: Record<Sha256, TextVerdict> = {};
  for (const [text, uses] of [...byText].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { parent, since } = lineage?.text === text ? lineage : {};
    if (since !== undefined) {
      const past = uses.filter((use) => use.at < since);
      texts[text] = judgeUses(uses.slice(past.length), inherit(past, rules), rules);
    } else {
      const ofParent = parent === undefined || parent === text ? [] : (byText.get(parent) ?? []);
      texts[text] = judgeUses(uses, inherit(ofParent, rules), rules);
    }
  }
  return texts;
}

/** A turn that used a text, as its strongest judge saw it. */
interface Use {
  at: number;
  session: string;
  n: number;
  outcome: Evidence["outcome"];
  contradicted: boolean;
  task: string;
  calls: number;
  baseline: Baseline | null;
  day: Day;
  failedWords: string[];
  refusedWords: string[];
  workedWords: string[];
}

/** By text, in the order in which the turns ended. */
function toUses(evidence: readonly Evidence[]): Map<Sha256, Use[]> {
  const words = new Map<Sha256, Map<string, Evidence[]>>();
  for (const word of evidence) {
    const turns = words.get(word.text) ?? new Map<string, Evidence[]>();
    turns.set(word.turn, [...(turns.get(word.turn) ?? []), word]);
    words.set(word.text, turns);
  }
  const sorted = [...words].map(([text, turns]) => [text, [...turns.values()].map(toUse).sort(inTime)] as const);
  return new Map(sorted);
}

/**
 * The strongest judge says how it ended, even where that is `unknown`; what nobody can have an opinion on comes from whoever
 * recorded it. The earliest time is the turn's: a rating of days later replaces the word of the exit where that stood.
 */
function toUse(words: Evidence[]): Use {
  const [strongest, ...others] = words.toSorted((a, b) => (outranks(a, b) ? -1 : 1));
  const all = [strongest!, ...others];
  const [session = "", n = "0"] = strongest!.turn.split("-");
  const times = all.map(({ at }) => at).filter((at) => at > 0);
  const days = all.map(({ day }) => Date.parse(day));
  return {
    at: Math.min(...(times.length > 0 ? times : days)),
    session,
    n: Number(n),
    outcome: strongest!.outcome,
    contradicted: all.some((word) => word.contradicted),
    task: all.find((word) => word.task !== "")?.task ?? strongest!.turn,
    calls: strongest!.toolCalls,
    baseline: all.find((word) => word.baseline !== null)?.baseline ?? null,
    day: strongest!.day,
    failedWords: union(all.map((word) => word.failedWords)),
    refusedWords: union(all.map((word) => word.refusedWords)),
    workedWords: union(all.map((word) => word.workedWords)),
  };
}

/** Each judge of a turn brings the words of the turn along. */
function union(lists: string[][]): string[] {
  return [...new Set(lists.flat())];
}

function inTime(a: Use, b: Use): number {
  if (a.at !== b.at) return a.at - b.at;
  return a.session === b.session ? a.n - b.n : a.session < b.session ? -1 : 1;
}

/** Discounted counts. */
interface Weights {
  successes: number;
  failures: number;
}

function inherit(uses: readonly Use[], rules: Rules): Weights {
  let weights: Weights = { successes: 0, failures: 0 };
  for (const use of uses) if (counts(use)) weights = add(weights, use, rules);
  return { successes: weights.successes * rules.parentShare, failures: weights.failures * rules.parentShare };
}

/**
 * Whether a use moves the figures. An `unknown` one does not: nobody said anything. Neither does a success in which the text
 * was contradicted: the work was done without what the text had wrong, so it speaks neither for the text nor against the
 * rest of it. What is wrong is for a review to put right.
 */
function counts({ outcome, contradicted }: Use): boolean {
  return outcome === "failure" || (outcome === "success" && !contradicted);
}

function add({ successes, failures }: Weights, { outcome }: Use, { discount }: Rules): Weights {
  const [success, failure] = outcome === "success" ? [1, 0] : [0, 1];
  return { successes: successes * discount + success, failures: failures * discount + failure };
}

/** Of a text whose words fail in many ways the newest say enough. */
const MAX_FAILED_WORDS = 5;

/**
 * Those that no call has worked with since. `later`: the uses after the first in which the work failed with the word, or
 * did the same without it, and one for what was proved in a use.
 */
function failedWordsOf(uses: readonly Use[]): TextVerdict["failedWords"] {
  const words = new Map<string, { day: Day; later: number }>();
  for (const { day, failedWords, refusedWords, workedWords } of uses) {
    for (const word of workedWords) words.delete(word);
    for (const word of failedWords) {
      const known = words.get(word);
      const later = (known ? known.later + 1 : 0) + (refusedWords.includes(word) ? 1 : 0);
      words.delete(word);
      words.set(word, { day: known?.day ?? day, later });
    }
  }
  return [...words].slice(-MAX_FAILED_WORDS).map(([word, known]) => ({ word, ...known }));
}

/** Why a verdict is what it is. */
type Ground = "worse" | "streak" | "better" | "cheaper" | "kept" | "none";

/** Of a walk through the uses of a text, where it stands. */
interface Standing {
  ground: Ground;
  weights: Weights;
  successes: number;
  failures: number;
  /** Failures since the last success. */
  streak: number;
  tasks: Set<string>;
  /** Of judged uses, ascending. */
  calls: number[];
  baseline: Baseline | null;
  /** The moving success rate as a weighted sum, and the sum of the weights: the first uses count alike. */
  rate: { sum: number; weight: number };
}

/** Judged uses of the very text that it takes to withdraw it: one failure may be anything, and a parent's are not its own. */
const MIN_TO_WITHDRAW = 2;
/** With no prior at all a first use would settle everything. */
const MIN_PRIOR = 0.1;

/** The verdict is where the walk ends: a text that was active stays so until it is contradicted or withdrawn. */
function judgeUses(uses: readonly Use[], inherited: Weights, rules: Rules): TextVerdict {
  const standing: Standing = {
    ...{ ground: "none", weights: inherited, successes: 0, failures: 0, streak: 0, tasks: new Set(), calls: [] },
    ...{ baseline: null, rate: { sum: 0, weight: 0 } },
  };
  for (const use of uses) {
    if (use.contradicted) contradict(standing);
    if (use.outcome === "unknown") continue;
    insert(standing.calls, use.calls);
    if (counts(use)) step(standing, use, rules);
  }
  return toVerdict(uses, standing, rules);
}

function step(standing: Standing, use: Use, rules: Rules): void {
  const isSuccess = use.outcome === "success";
  standing.weights = add(standing.weights, use, rules);
  standing.baseline = use.baseline ?? standing.baseline;
  standing.streak = isSuccess ? 0 : standing.streak + 1;
  if (isSuccess) standing.tasks.add(use.task);
  standing[isSuccess ? "successes" : "failures"] += 1;
  const keep = 1 - rules.rateAlpha;
  const { sum, weight } = standing.rate;
  standing.rate = { sum: sum * keep + (isSuccess ? 1 : 0), weight: weight * keep + 1 };
  standing.ground = groundOf(standing, rules);
}

/**
 * Something it says was seen to be wrong. Successes before that were owed to the rest of it, or to luck: it is on trial again
 * until it has helped again on as many tasks. What was withdrawn stays so.
 */
function contradict(standing: Standing): void {
  standing.tasks.clear();
  if (isActive(standing.ground)) standing.ground = "none";
}

function groundOf(standing: Standing, rules: Rules): Ground {
  const { pBetter, pWorse } = compare(standing, rules);
  if (standing.streak >= rules.withdrawStreak) return "streak";
  // What withdraws a text is a failure of its own; a success at most leaves it withdrawn.
  const isHarm = standing.streak > 0 || isWithdrawn(standing.ground);
  const judged = standing.successes + standing.failures;
  if (isHarm && judged >= MIN_TO_WITHDRAW && pWorse >= rules.withdrawWorse) return "worse";
  if (standing.tasks.size >= rules.activeSuccesses) {
    if (pBetter >= rules.activeBetter) return "better";
    if (pWorse <= rules.activeWorse && isCheaper(standing, rules)) return "cheaper";
  }
  return isActive(standing.ground) ? "kept" : "none";
}

function isWithdrawn(ground: Ground): boolean {
  return ground === "worse" || ground === "streak";
}

function isActive(ground: Ground): boolean {
  return ground === "better" || ground === "cheaper" || ground === "kept";
}

function compare({ weights, baseline }: Standing, rules: Rules): { pBetter: number; pWorse: number } {
  const pBetter = probabilityHigher(toBeta(weights, rules), toBeta(baseline ?? { successes: 0, failures: 0 }, rules));
  return { pBetter, pWorse: roundFigure(1 - pBetter) };
}

/** The prior: every second turn succeeds. */
function toBeta({ successes, failures }: Weights, { priorWeight }: Rules): Beta {
  const half = Math.max(priorWeight, MIN_PRIOR) / 2;
  return { successes: successes + half, failures: failures + half };
}

/** A baseline that makes no calls cannot be undercut. */
function isCheaper({ calls, baseline }: Standing, { activeCalls }: Rules): boolean {
  const median = medianOf(calls);
  return median !== null && baseline?.calls != null && baseline.calls > 0 && median <= activeCalls * baseline.calls;
}

function toVerdict(uses: readonly Use[], standing: Standing, rules: Rules): TextVerdict {
  const { ground, successes, failures, baseline } = standing;
  const judged = successes + failures;
  const rate = judged === 0 ? null : roundFigure(standing.rate.sum / standing.rate.weight);
  const without = baseline && baseline.successes + baseline.failures;
  const known = judged > 0 && without ? successes / judged - baseline!.successes / without : null;
  return {
    verdict: isWithdrawn(ground) ? "withdrawn" : isActive(ground) ? "active" : "trial",
    why: explain(uses.length, standing, rules),
    uses: uses.length,
    successes,
    failures,
    contradicted: uses.filter((use) => use.contradicted).length,
    failedWords: failedWordsOf(uses),
    workedWords: [...new Set(uses.flatMap(({ workedWords }) => workedWords))].slice(-MAX_FAILED_WORDS),
    rate,
    ...compare(standing, rules),
    calls: medianOf(standing.calls),
    baselineCalls: baseline?.calls ?? null,
    lift: known === null ? null : roundFigure(known),
    rewrite: rate !== null && judged >= rules.rewriteUses && rate < rules.rewriteRate,
  };
}

/** One sentence for a person, with the figures that decided. */
function explain(uses: number, standing: Standing, rules: Rules): string {
  const { ground, successes, failures, streak, tasks, baseline, calls } = standing;
  const judged = successes + failures;
  const times = uses === 1 ? "once" : `${uses} times`;
  if (judged === 0) return uses === 0 ? "Not used since it was put back." : `Used ${times}, and not judged yet.`;
  const { pBetter, pWorse } = compare(standing, rules);
  const tally = `${successes} of ${judged} judged uses succeeded`;
  const other = baseline ? "without it" : "an even chance";
  switch (ground) {
    case "streak":
      return `The last ${streak} judged uses failed; ${tally}.`;
    case "worse":
      return `${tally}: worse than ${other} at ${percent(pWorse)}.`;
    case "better":
      return `${tally}: better than ${other} at ${percent(pBetter)}.`;
    case "cheaper":
      return `${tally}, with ${medianOf(calls)} calls where ${baseline!.calls} were needed; worse at ${percent(pWorse)}.`;
    case "kept":
      return `${tally}: it was found to help, and not to do harm since (worse than ${other} at ${percent(pWorse)}).`;
    case "none":
      return tasks.size < rules.activeSuccesses
        ? `${tally}; still on trial: needs ${moreSuccesses(rules.activeSuccesses - tasks.size)}.`
        : `${tally}: better than ${other} at ${percent(pBetter)}, which is not enough.`;
  }
}

function moreSuccesses(count: number): string {
  return count === 1 ? "one more success, on another task" : `${count} more successes, on different tasks`;
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}

function insert(ascending: number[], value: number): void {
  ascending.splice(ascending.findLastIndex((other) => other <= value) + 1, 0, value);
}

function medianOf(ascending: readonly number[]): number | null {
  if (ascending.length === 0) return null;
  const middle = Math.floor(ascending.length / 2);
  return ascending.length % 2 === 1 ? ascending[middle]! : (ascending[middle - 1]! + ascending[middle]!) / 2;
}
