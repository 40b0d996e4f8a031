// The ledger of learning: what a profile has learned, whether it helps, what it cost and what it saved. Called by
// workers/api/learning/learning.ts, which gathers the facts. Pure. Each function documents how its figure is computed.
import type { SkillName } from "../../schemas/ids.ts";
import type { TurnSignature } from "../../schemas/learning/learning.ts";
import type { ExperimentSum } from "../../schemas/learning/experiment.ts";
import type { LearningLedger, LedgerSkill, Lift } from "../../schemas/learning/ledger.ts";
import type { PendingInfo } from "../../schemas/approvals/pending.ts";
import type { ReviewDead, ReviewResult, ReviewState } from "../../schemas/learning/review.ts";
import type { Settings } from "../../schemas/settings.ts";
import {
  type Evidence,
  type HeadMirror,
  type PastRevision,
  type SkillHead,
  SkillState,
  isPurged,
  isUse,
  outranks,
  toLineage,
} from "../../schemas/skill.ts";
import { isLearned } from "../../skills/edit/protection.ts";
import { toCurves, describeTurns, kindsOf, meanOf, countReuse, periodOf } from "./ledger-turns.ts";
import { describeTexts, timeOf } from "../evidence/describe.ts";

export interface LedgerFacts {
  /** The newest turns, in any order. */
  turns: TurnSignature[];
  /** There are older turns. */
  moreTurns: boolean;
  /** Absent: by day up to eight weeks, then by week. */
  by?: "day" | "week";
  /** Every skill of the profile. */
  skills: { name: SkillName; mirror: HeadMirror }[];
  /** Evidence of the most recently used learned skills, and of the skills on the page. */
  evidence: ReadonlyMap<SkillName, Evidence[]>;
  page: { head: SkillHead; lift: Pick<Lift, "before" | "after"> | null; revisions?: PastRevision[] }[];
  next?: SkillName;
  /** The newest reviews, newest first; `null`: no outcome yet. */
  reviews: { state: ReviewState; outcome: ReviewResult | ReviewDead | null }[];
  moreReviews: boolean;
  pending: PendingInfo[];
  cost: LearningLedger["cost"];
  /** `null`: not known at the moment. */
  experiments: ExperimentSum | null;
  rules: Settings["learning"];
}

const LAST_REFUSED = 5;

export function toLedger(facts: LedgerFacts): LearningLedger {
  const turns = facts.turns.toSorted((a, b) => a.at - b.at || (a.turn < b.turn ? -1 : 1));
  const learned = facts.skills.filter(({ mirror }) => isLearned(mirror));
  const described = describeTurns(turns, learned, facts);
  return {
    turns: described,
    curves: toCurves(turns),
    kinds: kindsOf(turns),
    reuse: countReuse(turns, learned),
    skills: facts.page.map((skill) => describeSkill(skill, facts)),
    ...(facts.next !== undefined && { next: facts.next }),
    byState: countStates(facts.skills),
    reviews: describeReviews(facts, described.by),
    waits: facts.pending
      .filter(({ state }) => state === "waiting")
      .map(({ id, tool, origin, reason, summary, askedAt }) => ({ id, tool, origin, reason, summary, askedAt })),
    cost: facts.cost,
    experiments: facts.experiments && describeExperiments(facts.experiments),
    bought: computeSavings(turns, learned, facts.evidence),
  };
}

function describeExperiments(sum: ExperimentSum): NonNullable<LearningLedger["experiments"]> {
  const { waiting, running, helps, no_difference, harms, not_replayable, none } = sum;
  const { withdrawnBeforeOffer, replays, tokens } = sum;
  const open = waiting + running;
  const ended = { helps, noDifference: no_difference, harms, notReplayable: not_replayable, noOutcome: none };
  const count = open + Object.values(ended).reduce((all, one) => all + one, 0);
  return { count, open, ...ended, withdrawnBeforeOffer, replays, tokens };
}

// ---- skills ----

function describeSkill({ head, lift, revisions }: LedgerFacts["page"][number], facts: LedgerFacts): LedgerSkill {
  const evidence = facts.evidence.get(head.name) ?? [];
  const uses = usesOf(evidence);
  const times = evidence.filter(isUse).map(timeOf);
  return {
    name: head.name,
    description: head.description,
    state: head.state,
    reason: head.reason ?? null,
    origin: head.origin,
    pinned: head.pinned,
    text: head.text,
    revisions: head.rev,
    createdAt: head.createdAt,
    revisedAt: head.revisedAt,
    firstUsedAt: times.length > 0 ? Math.min(...times) : null,
    lastUsedAt: times.length > 0 ? Math.max(...times) : null,
    ...(head.health && { health: head.health }),
    withdrawn: head.withdrawn ?? [],
    uses: uses.length,
    successes: uses.filter(({ outcome }) => outcome === "success").length,
    failures: uses.filter(({ outcome }) => outcome === "failure").length,
    texts: describeTexts(evidence, toLineage(head), facts.rules),
    lift: lift && { ...lift, lift: liftBetween(lift) },
    ...(revisions && { history: revisions.map(describeRevision) }),
  };
}

function describeRevision(revision: PastRevision): NonNullable<LedgerSkill["history"]>[number] {
  const { rev, text } = revision;
  if (isPurged(revision)) return { rev, text, origin: null, at: revision.purgedAt, purged: true };
  return { rev, text, origin: revision.origin, at: revision.revisedAt, purged: false };
}

/** The success rate of judged turns after the skill existed, minus the rate before; `null` if either has no judged turn. */
function liftBetween({ before, after }: Pick<Lift, "before" | "after">): number | null {
  if (before.judged === 0 || after.judged === 0) return null;
  return after.successes / after.judged - before.successes / before.judged;
}

/** The record of each turn's strongest judge: one use a turn. */
function usesOf(evidence: Evidence[]): Evidence[] {
  const byTurn = new Map<string, Evidence>();
  for (const record of evidence.filter(isUse)) {
    const strongest = byTurn.get(record.turn);
    if (!strongest || outranks(record, strongest)) byTurn.set(record.turn, record);
  }
  return [...byTurn.values()];
}

function countStates(skills: LedgerFacts["skills"]): LearningLedger["byState"] {
  const counts = Object.fromEntries(SkillState.options.map((state) => [state, 0])) as LearningLedger["byState"];
  for (const { mirror } of skills) counts[mirror.state] += 1;
  return counts;
}

// ---- reviews ----

function describeReviews({ reviews, moreReviews }: LedgerFacts, by: "day" | "week"): LearningLedger["reviews"] {
  const results = reviews.flatMap(({ outcome }) => (outcome && "lessons" in outcome ? [outcome] : []));
  const dead = reviews.flatMap(({ outcome }) => (outcome && "code" in outcome ? [outcome.code] : []));
  const refused = results.flatMap((result) => result.refused.map((call) => ({ review: result.review, ...call })));
  return {
    seen: reviews.length,
    more: moreReviews,
    lessons: results.reduce((sum, { lessons }) => sum + lessons.length, 0),
    byTrigger: countBy(results.map(({ trigger }) => trigger)),
    waiting: reviews.filter(({ state }) => state === "waiting").length,
    superseded: reviews.filter(({ state }) => state === "superseded").length,
    dead: countBy(dead),
    refused: countBy(refused.map(({ code }) => code)),
    periods: [...Map.groupBy(results, ({ finishedAt }) => periodOf(finishedAt, by))]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, ended]) => ({
        ...{ key, reviews: ended.length, lessons: ended.reduce((sum, { lessons }) => sum + lessons.length, 0) },
        refused: countBy(ended.flatMap((result) => result.refused.map(({ code }) => code))),
      })),
    lastRefused: refused.slice(0, LAST_REFUSED),
  };
}

function countBy<Word extends string>(words: Word[]): Record<Word, number> {
  const counts = [...Map.groupBy(words, (word) => word)].map(([word, same]) => [word, same.length] as const);
  return Object.fromEntries(counts.toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))) as Record<Word, number>;
}

// ---- savings ----

/**
 * Calls: the sum over successful uses of learned skills with a baseline. Each use saves the baseline's calls (the median of the
 * judged turns without the skill, as known when the use ended) minus its own calls, which may be negative. A turn that used several
 * skills counts once, with the mean of their baselines.
 * Tokens: these calls times the tokens of a call in the profile's turns without a learned skill.
 * Leaves out turns that would have failed without the skill, although they save the person more than calls.
 */
function computeSavings(
  turns: TurnSignature[],
  learned: LedgerFacts["skills"],
  evidence: LedgerFacts["evidence"],
): LearningLedger["bought"] {
  const names = new Set(learned.map(({ name }) => name));
  const known = [...evidence].filter(([name]) => names.has(name));
  const saved = known.flatMap(([, records]) => {
    // A turn may have several records, and only the first may have the baseline.
    const baselines = new Map(
      records.flatMap(({ turn, baseline }) => (baseline?.calls == null ? [] : [[turn, baseline.calls] as const])),
    );
    return usesOf(records).flatMap(({ turn, outcome, toolCalls }) => {
      const baseline = baselines.get(turn);
      return outcome === "success" && baseline !== undefined ? [{ turn, calls: baseline - toolCalls }] : [];
    });
  });
  if (saved.length === 0) return null;
  const byTurn = [...Map.groupBy(saved, ({ turn }) => turn).values()];
  const calls = byTurn.reduce((sum, same) => sum + meanOf(same.map((use) => use.calls))!, 0);
  const without = turns.filter(({ loaded }) => !loaded.some(({ skill }) => names.has(skill)));
  const [allCalls, allTokens] = [
    without.reduce((sum, { effort }) => sum + effort.calls, 0),
    without.reduce((sum, { effort }) => sum + (effort.calls > 0 ? effort.tokens : 0), 0),
  ];
  const tokens = allCalls > 0 ? Math.round((calls * allTokens) / allCalls) : null;
  return { uses: byTurn.length, calls, tokens, skills: known.length };
}
