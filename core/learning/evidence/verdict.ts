// Computes the verdict on each text of a skill from its evidence: on trial, active, or withdrawn because it does harm. Called by
// the evidence store when it writes a summary, and by the ledger. settle.ts applies verdicts. Pure; ignores the order of evidence.
//
// A text is judged by the turns that used it. If a turn used two skills, both get its outcome: one turn cannot tell which of them
// helped, but other turns use only one of them, and a harmful one does harm in all of its turns.
// The baseline is the profile's similar turns without the skill, so that a text is not blamed for hard work.
import { type Day, type Sha256, fromTurnId } from "../../schemas/ids.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type Baseline, type Evidence, type Lineage, type TextVerdict, isUse, outranks } from "../../schemas/skill.ts";
import { type Beta, probabilityHigher, roundFigure } from "./beta.ts";

type Rules = Settings["learning"];

/** The judge for the evidence store. Its `rules` identify the version and settings, so that older verdicts are recognised as stale. */
export function toJudge(rules: Rules) {
  const judge = (evidence: Evidence[], lineage?: Lineage): Record<Sha256, TextVerdict> =>
    judgeTexts(evidence, lineage, rules);
  return Object.assign(judge, { rules: `${JUDGE_VERSION} ${JSON.stringify(rules)}` });
}

/** Raise it with every change that can alter a verdict for the same evidence and rules. */
const JUDGE_VERSION = 6;

/**
 * The verdict on each text with evidence. The current text (`lineage.text`) inherits a share of its parent's counts. If a person
 * restored it, it inherits the same share of its own past instead, and only later uses can withdraw it.
 */
export function judgeTexts(
  evidence: readonly Evidence[],
  lineage: Lineage | undefined,
  rules: Rules,
): Record<Sha256, TextVerdict> {
  const walks = walksOf(evidence, lineage, rules);
  return Object.fromEntries(walks.map((walk) => [walk.text, judgeUses(walk, rules)]));
}

/** A turn that used a text, and how the text stood after it. */
export interface TracedUse {
  text: Sha256;
  use: Use;
  /** `null`: a person has restored the text since, so this use only counts in part. */
  standing: {
    verdict: TextVerdict["verdict"];
    /** The two success rates that the verdict compares: of the text, and of similar turns without it. */
    success: Beta;
    without: Beta | null;
  } | null;
}

/** The walk behind `judgeTexts`, use by use, in the order in which the turns ended. */
export function traceTexts(evidence: readonly Evidence[], lineage: Lineage | undefined, rules: Rules): TracedUse[] {
  const traced = walksOf(evidence, lineage, rules).flatMap((walk) => {
    const { text } = walk;
    const uses: TracedUse[] = walk.past.map((use) => ({ text, use, standing: null }));
    judgeUses(walk, rules, (use, { ground, weights, baseline }) => {
      const without = baseline && toBeta(baseline, rules);
      uses.push({ text, use, standing: { verdict: verdictFor(ground), success: toBeta(weights, rules), without } });
    });
    return uses;
  });
  return traced.sort((a, b) => compareEnds(a.use, b.use) || (a.text < b.text ? -1 : 1));
}

/** The uses that judge a text. */
interface Walk {
  text: Sha256;
  /** Before a person restored it. */
  past: Use[];
  uses: Use[];
  inherited: WeightedCounts;
}

function walksOf(evidence: readonly Evidence[], lineage: Lineage | undefined, rules: Rules): Walk[] {
  const byText = groupUses(evidence);
  return [...byText]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([text, all]) => {
      const { parent, since } = lineage?.text === text ? lineage : {};
      const past = since === undefined ? [] : all.filter((use) => use.at < since);
      const ofParent = parent === undefined || parent === text ? [] : (byText.get(parent) ?? []);
      const inherited = inherit(since === undefined ? ofParent : past, rules);
      return { text, past, uses: all.slice(past.length), inherited };
    });
}

/** A turn that used a text, with the outcome of its strongest judge. */
export interface Use {
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
  /** Only an experiment ran the turn with the text. It counts as any judged use, and is not counted as a use. */
  isReplayed: boolean;
}

/** The uses of each text, in the order in which the turns ended. */
function groupUses(evidence: readonly Evidence[]): Map<Sha256, Use[]> {
  const byText = new Map<Sha256, Map<string, Evidence[]>>();
  for (const record of evidence) {
    const byTurn = byText.get(record.text) ?? new Map<string, Evidence[]>();
    byTurn.set(record.turn, [...(byTurn.get(record.turn) ?? []), record]);
    byText.set(record.text, byTurn);
  }
  return new Map([...byText].map(([text, byTurn]) => [text, [...byTurn.values()].map(toUse).sort(compareEnds)]));
}

/**
 * The outcome is the strongest judge's, even if that is `unknown`; the task, the baseline and the words come from any record that has
 * them. The earliest time is the turn's: a rating may come days later.
 */
function toUse(records: Evidence[]): Use {
  const [strongest, ...others] = records.toSorted((a, b) => (outranks(a, b) ? -1 : 1));
  const all = [strongest!, ...others];
  const { session, n } = fromTurnId(strongest!.turn);
  const times = all.map(({ at }) => at).filter((at) => at > 0);
  const days = all.map(({ day }) => Date.parse(day));
  return {
    at: Math.min(...(times.length > 0 ? times : days)),
    session,
    n,
    outcome: strongest!.outcome,
    contradicted: all.some((record) => record.contradicted),
    task: all.find((record) => record.task !== "")?.task ?? strongest!.turn,
    calls: strongest!.toolCalls,
    baseline: all.find((record) => record.baseline !== null)?.baseline ?? null,
    day: strongest!.day,
    failedWords: union(all.map((record) => record.failedWords)),
    refusedWords: union(all.map((record) => record.refusedWords)),
    workedWords: union(all.map((record) => record.workedWords)),
    isReplayed: !all.some(isUse),
  };
}

/** The words without duplicates: each record of a turn repeats the words of the turn. */
function union(lists: string[][]): string[] {
  return [...new Set(lists.flat())];
}

function compareEnds(a: Use, b: Use): number {
  if (a.at !== b.at) return a.at - b.at;
  if (a.session === b.session) return a.n - b.n;
  return a.session < b.session ? -1 : 1;
}

/** Counts in which older uses weigh less. */
interface WeightedCounts {
  successes: number;
  failures: number;
}

function inherit(uses: readonly Use[], rules: Rules): WeightedCounts {
  let weights: WeightedCounts = { successes: 0, failures: 0 };
  for (const use of uses) if (isCounted(use)) weights = addUse(weights, use, rules);
  return { successes: weights.successes * rules.parentShare, failures: weights.failures * rules.parentShare };
}

/**
 * Whether a use changes the counts. An `unknown` outcome does not. Neither does a success that contradicted the text: the work
 * succeeded without the wrong part, so it proves nothing about the rest. A review corrects the wrong part.
 */
function isCounted({ outcome, contradicted }: Use): boolean {
  return outcome === "failure" || (outcome === "success" && !contradicted);
}

function addUse({ successes, failures }: WeightedCounts, { outcome }: Use, { discount }: Rules): WeightedCounts {
  const [success, failure] = outcome === "success" ? [1, 0] : [0, 1];
  return { successes: successes * discount + success, failures: failures * discount + failure };
}

/** Maximum number of failed words of a text. The newest are kept. */
const MAX_FAILED_WORDS = 5;

/**
 * Words with which a call failed, and no later call worked. `later`: the uses after the first that failed with the word or did the
 * same work without it, plus one for each use in which a program refused the word.
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

/** The reason for a verdict. */
type VerdictGround = "worse" | "streak" | "better" | "cheaper" | "kept" | "none";

/** Running totals of a walk through the uses of a text. */
interface Tally {
  ground: VerdictGround;
  weights: WeightedCounts;
  successes: number;
  failures: number;
  /** Failures since the last success. */
  streak: number;
  tasks: Set<string>;
  /** Calls of each judged use, ascending. */
  calls: number[];
  baseline: Baseline | null;
  /** The moving success rate, as a weighted sum and the sum of the weights, so that the first uses are not overweighted. */
  rate: { sum: number; weight: number };
}

/** Judged uses of the text itself that a withdrawal needs. One failure may be chance, and a parent's uses do not count. */
const MIN_TO_WITHDRAW = 2;
/** Without any prior, the first use would decide everything. */
const MIN_PRIOR = 0.1;

/** Walks through the uses in order. An active text stays active until it is contradicted or withdrawn. */
function judgeUses(
  { uses, inherited }: Walk,
  rules: Rules,
  visit?: (use: Use, tally: Readonly<Tally>) => void,
): TextVerdict {
  const tally: Tally = {
    ground: "none",
    weights: inherited,
    successes: 0,
    failures: 0,
    streak: 0,
    tasks: new Set(),
    calls: [],
    baseline: null,
    rate: { sum: 0, weight: 0 },
  };
  for (const use of uses) {
    if (use.contradicted) contradict(tally);
    if (use.outcome !== "unknown") insert(tally.calls, use.calls);
    if (isCounted(use)) countUse(tally, use, rules);
    visit?.(use, tally);
  }
  return toVerdict(uses, tally, rules);
}

function countUse(tally: Tally, use: Use, rules: Rules): void {
  const isSuccess = use.outcome === "success";
  tally.weights = addUse(tally.weights, use, rules);
  tally.baseline = use.baseline ?? tally.baseline;
  tally.streak = isSuccess ? 0 : tally.streak + 1;
  if (isSuccess) tally.tasks.add(use.task);
  tally[isSuccess ? "successes" : "failures"] += 1;
  const keep = 1 - rules.rateAlpha;
  const { sum, weight } = tally.rate;
  tally.rate = { sum: sum * keep + (isSuccess ? 1 : 0), weight: weight * keep + 1 };
  tally.ground = groundOf(tally, rules);
}

/**
 * A part of the text was shown to be wrong, so earlier successes no longer count towards the required tasks. The text is on trial
 * until it has succeeded on as many tasks again. A withdrawn text stays withdrawn.
 */
function contradict(tally: Tally): void {
  tally.tasks.clear();
  if (isActive(tally.ground)) tally.ground = "none";
}

function groundOf(tally: Tally, rules: Rules): VerdictGround {
  const { pBetter, pWorse } = compare(tally, rules);
  if (tally.streak >= rules.withdrawStreak) return "streak";
  // Only a failure can withdraw a text; after a success it can at most stay withdrawn.
  const isHarm = tally.streak > 0 || isWithdrawn(tally.ground);
  const judged = tally.successes + tally.failures;
  if (isHarm && judged >= MIN_TO_WITHDRAW && pWorse >= rules.withdrawWorse) return "worse";
  if (tally.tasks.size >= rules.activeSuccesses) {
    if (pBetter >= rules.activeBetter) return "better";
    if (pWorse <= rules.activeWorse && isCheaper(tally, rules)) return "cheaper";
  }
  return isActive(tally.ground) ? "kept" : "none";
}

function isWithdrawn(ground: VerdictGround): boolean {
  return ground === "worse" || ground === "streak";
}

function isActive(ground: VerdictGround): boolean {
  return ground === "better" || ground === "cheaper" || ground === "kept";
}

function verdictFor(ground: VerdictGround): TextVerdict["verdict"] {
  if (isWithdrawn(ground)) return "withdrawn";
  return isActive(ground) ? "active" : "trial";
}

function compare({ weights, baseline }: Tally, rules: Rules): { pBetter: number; pWorse: number } {
  const pBetter = probabilityHigher(toBeta(weights, rules), toBeta(baseline ?? { successes: 0, failures: 0 }, rules));
  return { pBetter, pWorse: roundFigure(1 - pBetter) };
}

/** The prior: half of all turns succeed. */
function toBeta({ successes, failures }: WeightedCounts, { priorWeight }: Rules): Beta {
  const half = Math.max(priorWeight, MIN_PRIOR) / 2;
  return { successes: successes + half, failures: failures + half };
}

/** False for a baseline without calls: nothing is cheaper. */
function isCheaper({ calls, baseline }: Tally, { activeCalls }: Rules): boolean {
  const median = medianOf(calls);
  return median !== null && baseline?.calls != null && baseline.calls > 0 && median <= activeCalls * baseline.calls;
}

function toVerdict(uses: readonly Use[], tally: Tally, rules: Rules): TextVerdict {
  const { ground, successes, failures, baseline } = tally;
  const judged = successes + failures;
  const rate = judged === 0 ? null : roundFigure(tally.rate.sum / tally.rate.weight);
  const without = baseline && baseline.successes + baseline.failures;
  const lift = judged > 0 && without ? successes / judged - baseline!.successes / without : null;
  return {
    verdict: verdictFor(ground),
    why: explain(uses, tally, rules),
    uses: uses.filter(({ isReplayed }) => !isReplayed).length,
    successes,
    failures,
    contradicted: uses.filter((use) => use.contradicted).length,
    failedWords: failedWordsOf(uses),
    workedWords: [...new Set(uses.flatMap(({ workedWords }) => workedWords))].slice(-MAX_FAILED_WORDS),
    rate,
    ...compare(tally, rules),
    calls: medianOf(tally.calls),
    baselineCalls: baseline?.calls ?? null,
    lift: lift === null ? null : roundFigure(lift),
    rewrite: rate !== null && judged >= rules.rewriteUses && rate < rules.rewriteRate,
  };
}

/** One sentence for a person, with the figures behind the verdict. */
function explain(uses: readonly Use[], tally: Tally, rules: Rules): string {
  const { ground, successes, failures, streak, tasks, baseline, calls } = tally;
  const judged = successes + failures;
  const times = uses.length === 1 ? "once" : `${uses.length} times`;
  if (judged === 0) return uses.length === 0 ? "Not used since it was restored." : `Used ${times}, and not judged yet.`;
  const { pBetter, pWorse } = compare(tally, rules);
  const replayed = uses.filter((use) => use.isReplayed && isCounted(use)).length;
  const score = `${successes} of ${judged} judged uses${replayed > 0 ? ` (${replayed} by experiment)` : ""} succeeded`;
  const other = baseline ? "without it" : "an even chance";
  switch (ground) {
    case "streak":
      return `The last ${streak} judged uses failed; ${score}.`;
    case "worse":
      return `${score}: worse than ${other} (probability ${percent(pWorse)}).`;
    case "better":
      return `${score}: better than ${other} (probability ${percent(pBetter)}).`;
    case "cheaper":
      return `${score}, with ${medianOf(calls)} calls instead of ${baseline!.calls}; worse than ${other} (probability ${percent(pWorse)}).`;
    case "kept":
      return `${score}: it was found to help, and has done no harm since (probability of being worse than ${other}: ${percent(pWorse)}).`;
    case "none":
      return tasks.size < rules.activeSuccesses
        ? `${score}; still on trial: needs ${moreSuccesses(rules.activeSuccesses - tasks.size)}.`
        : `${score}: better than ${other} (probability ${percent(pBetter)}), which is not enough.`;
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
