// Sums up the evidence of a skill and carries out the verdict on its present text. Called by the Session's outbox after a judged
// use, and by the curator's sweep. Changes a state, restores an earlier text or removes sentences; never deletes a revision. A
// decision is about the text that was judged: if the skill has changed since, it is left alone.
import { type Result, err, ok } from "../../errors.ts";
import type { EvidenceStore, SkillNext, SkillSnapshot, SkillStore } from "../../ports.ts";
import { type Sha256, type SkillName, dayOf } from "../../schemas/ids.ts";
import type { Settings } from "../../schemas/settings.ts";
import {
  type FailedWord,
  type SkillHead,
  type SkillState,
  type SkillStats,
  type SkillUse,
  type TextVerdict,
  isPurged,
  toLineage,
} from "../../schemas/skill.ts";
import { openRevision } from "../../skills/history.ts";
import { isLearned } from "../../skills/edit/protection.ts";
import { type RefutedSentences, removeRefutedSentences } from "./refuted.ts";

interface SettleOptions {
  skills: SkillStore;
  evidence: EvidenceStore;
  settings: Settings;
  skill: SkillName;
  /** The idempotency key of the decision: `verdict:<turn>.<judge>`, `curation:<run>:<skill>`. */
  op: string;
  /**
   * An experiment found that this text does harm. It is withdrawn whatever its verdict. `words`: calls failed with these, so of a learned text only
   * the sentences about them go where something else is left.
   */
  harmful?: { text: Sha256; why: string; words: string[] };
}

export interface SkillMove {
  skill: SkillName;
  from: SkillState;
  to: SkillState;
  /** One sentence with the figures. */
  reason: string;
  /** The present revision after the decision: a new one if the text changed. */
  rev: number;
  /** The previous text was found to do harm. */
  withdrew: boolean;
  /** Only some sentences of the previous text were removed. */
  inPart: boolean;
}

/** Maximum number of revisions that are searched for an earlier text. [own] Each is an object to read. */
const MAX_LOOKED_BACK = 100;
/** Maximum number of withdrawn texts that a head remembers. */
const MAX_WITHDRAWN = 20;

/**
 * `moved`: what this decision changed, even if an earlier attempt did it. Throws when a store does, or when others keep writing the
 * skill. Retry with the same `op`.
 */
export async function settleSkill(options: SettleOptions): Promise<{ stats: SkillStats; moved: SkillMove | null }> {
  const { skills, evidence, skill, op } = options;
  const head = await skills.head(skill);
  const stats = withHarm(await evidence.fold(skill, head ? toLineage(head) : undefined), options);
  if (!head) return { stats, moved: null };
  const settled = await carryOut(options, head, stats);
  const moved = settled && moveOf(settled, op);
  // The index has just been written, so its cached copies are stale anyway.
  if (moved) await skills.noteUse({ [skill]: useOf(stats) });
  return { stats, moved };
}

/** Of a text without evidence. */
const NO_USES: Omit<TextVerdict, "verdict" | "why"> = {
  ...{ uses: 0, successes: 0, failures: 0, contradicted: 0, failedWords: [], workedWords: [], rate: null, pBetter: 0 },
  ...{ pWorse: 0, calls: null, baselineCalls: null, lift: null, rewrite: false },
};

function withHarm(stats: SkillStats, { harmful }: SettleOptions): SkillStats {
  if (!harmful) return stats;
  const withdrawn = { ...NO_USES, ...stats.texts[harmful.text], verdict: "withdrawn" as const, why: harmful.why };
  return { ...stats, texts: { ...stats.texts, [harmful.text]: withdrawn } };
}

/** Of a harmful text, what is left without the sentences about its wrong words; `null`: it is withdrawn as a whole. */
function removeHarm(
  { harmful }: SettleOptions,
  current: SkillSnapshot,
  { learning }: Settings,
): RefutedSentences | null {
  if (!harmful || harmful.words.length === 0 || !learning.failedWords || !isLearned(current.head)) return null;
  const removed = removeRefutedSentences(current, harmful.words);
  const isWhole = removed !== null && harmful.words.every((word) => removed.words.includes(word));
  return isWhole && !removed.isEmpty ? removed : null;
}

/** The head after the change; `null` if nothing had to change. */
async function carryOut(options: SettleOptions, judged: SkillHead, stats: SkillStats): Promise<SkillHead | null> {
  const { skills, skill, op } = options;
  const isDone = (head: SkillHead) => head.settled?.op === op;
  const { settings } = options;
  const isSettled =
    !decideState(judged, stats, settings) &&
    !decideFailedWords(judged, stats, settings) &&
    refutedWords(judged, stats, settings).length === 0;
  if (!isDone(judged) && isSettled) return null;
  const changed = await skills.change({
    name: skill,
    op,
    since: judged.rev,
    async decide(current) {
      // Done by an earlier attempt, which may have died before it wrote the index.
      if (current && isDone(current.head)) return ok({});
      // The text was changed or restored after it was judged.
      if (current?.head.text !== judged.text || current.head.restoredAt !== judged.restoredAt)
        return refuseAsMoved(skill);
      const { head } = current;
      const to = decideState(head, stats, settings);
      const failedWords = decideFailedWords(head, stats, settings);
      const changedWords = failedWords ? { failedWords } : {};
      const why = stats.texts[head.text]?.why ?? "";
      const inPart = to === "withdrawn" && removeHarm(options, current, settings);
      if (inPart) return planRefutedRemoval(options, head, stats, inPart, why);
      if (to === "withdrawn") return toWithdrawn(options, head, stats, why);
      const refuted = removeRefutedSentences(current, refutedWords(head, stats, settings));
      if (refuted) return planRefutedRemoval(options, head, stats, refuted);
      if (!to) return ok(changedWords);
      const next = toStateChange(head, to, to === "stale" ? `${why} It is offered last.` : why, op);
      return ok({ ...(to === "stale" ? markWithdrawn(next) : next), ...changedWords });
    },
  });
  if (changed.ok) return changed.value.head;
  const { code, message } = changed.failure;
  if (code === "skill_moved" || code === "profile_gone") return null;
  throw new Error(`The verdict on the skill ${skill} could not be carried out: ${message}`);
}

/**
 * The state that the verdict demands; `null`: no change. Skills that a person pinned or archived, and bundled ones, do not change.
 * A person's own or imported skill is never withdrawn: it becomes stale and is offered last. A copy of a followed
 * profile's skill is another agent's lesson, and is withdrawn here as a learned one is.
 */
function decideState(
  head: SkillHead,
  stats: SkillStats,
  { learning }: Settings,
): "active" | "trial" | "stale" | "withdrawn" | null {
  if (!learning.verdicts) return null;
  const { state, origin } = head;
  const verdict = stats.texts[head.text]?.verdict;
  const isOffered = state === "trial" || state === "active" || state === "stale";
  if (!isOffered || head.pinned || origin === "bundled") return null;
  const isPersons = origin === "user" || origin === "hub";
  if (verdict === "withdrawn" && (!isPersons || isFollowed(head))) return "withdrawn";
  if (verdict === "withdrawn") return state === "stale" ? null : "stale";
  // A verdict can only take back an active state that a verdict gave.
  const wasActivatedByVerdict = head.settled?.to === "active" && head.settled.rev === head.rev;
  if (verdict === "trial" && state === "active") return wasActivatedByVerdict ? "trial" : null;
  if (verdict !== "active" || state === "active") return null;
  // Only a verdict makes a person's skill stale. A learned one also becomes stale by age, and needs a use to be revived.
  const isRevived = isPersons || (stats.lastUsedDay !== null && stats.lastUsedDay >= dayOf(head.updatedAt));
  return state === "trial" || isRevived ? "active" : null;
}

/** The failed words that the head should list; `null` if it already lists them. Pinned skills list them too, because they are facts. */
function decideFailedWords(head: SkillHead, stats: SkillStats, { learning }: Settings): FailedWord[] | null {
  if (!learning.failedWords) return null;
  const known = [...removedWords(head, stats, learning), ...failedIn(head.text, stats)];
  const wanted = [...new Map(known.map(({ word, day }) => [word, { word, day }])).values()];
  return JSON.stringify(wanted) === JSON.stringify(head.failedWords ?? []) ? null : wanted;
}

function failedIn(text: Sha256, stats: SkillStats) {
  return stats.texts[text]?.failedWords ?? [];
}

/** Words that a verdict removed from the previous text. They stay listed, so that no later text uses them again. */
function removedWords({ withdrawn, parent, text }: SkillHead, stats: SkillStats, learning: Settings["learning"]) {
  if (!parent || !withdrawn?.includes(parent)) return [];
  const worked = stats.texts[text]?.workedWords ?? [];
  return failedIn(parent, stats).filter(({ word, later }) => later >= learning.refutedUses && !worked.includes(word));
}

/** Words of a learned text that failed, confirmed by later uses or by the program itself. */
function refutedWords(head: SkillHead, stats: SkillStats, { learning }: Settings): string[] {
  const isOffered = head.state === "trial" || head.state === "active";
  if (!learning.verdicts || !learning.failedWords || !isOffered || head.pinned || !isLearned(head)) return [];
  return failedIn(head.text, stats)
    .filter(({ later }) => later >= learning.refutedUses)
    .map(({ word }) => word);
}

/** A new text on trial, or the withdrawal of the skill if nothing would be left of its text. */
function planRefutedRemoval(
  options: SettleOptions,
  head: SkillHead,
  stats: SkillStats,
  { files, words, isEmpty }: RefutedSentences,
  why = describeRefuted(words),
): Promise<Result<SkillNext>> | Result<SkillNext> {
  if (isEmpty) return toWithdrawn(options, head, stats, why);
  const next = markWithdrawn(toStateChange(head, "trial", `${why} The sentences about it were removed.`, options.op));
  const settled = { ...next.settled!, rev: head.rev + 1, inPart: true as const };
  const failedWords = failedIn(head.text, stats).flatMap(({ word, day }) =>
    words.includes(word) ? { word, day } : [],
  );
  return ok({ ...next, files, withdrawn: withdrawnWith(head), settled, failedWords });
}

function describeRefuted(words: readonly string[]): string {
  const named = words.map((word) => `"${word}"`).join(", ");
  return `Calls with ${named} failed: the program named it, or a later use confirmed it.`;
}

function withdrawnWith(head: SkillHead): Sha256[] {
  return [...(head.withdrawn ?? []).filter((text) => text !== head.text), head.text].slice(-MAX_WITHDRAWN);
}

/**
 * Restores the newest earlier text without evidence against it, else archives the skill. A text that somebody had replaced by
 * restoring an older one does not count: it was given up.
 */
async function toWithdrawn(
  options: SettleOptions,
  head: SkillHead,
  stats: SkillStats,
  why: string,
): Promise<Result<SkillNext>> {
  const { skills, op } = options;
  const withdrawn = withdrawnWith(head);
  if (isFollowed(head)) {
    // An earlier text may be one that its publisher has withdrawn.
    const reason = `${why} The copy is archived here only; its publisher is not told.`;
    return ok({ ...markWithdrawn(toStateChange(head, "archived", reason, op)), withdrawn });
  }
  const revisions = (await skills.revisions(head.name, { limit: MAX_LOOKED_BACK })).filter(
    ({ rev }) => rev >= (head.firstRev ?? 1),
  );
  const firstRevOf = (text: Sha256) => revisions.findLast((past) => past.text === text)?.rev ?? 0;
  // From a text, the search goes on before its first revision: what came between was given up for it.
  let before = firstRevOf(head.text);
  for (const past of revisions) {
    if (past.rev >= before) continue;
    before = firstRevOf(past.text);
    if (isPurged(past) || withdrawn.includes(past.text)) continue;
    const verdict = stats.texts[past.text]?.verdict;
    if (verdict === "withdrawn") continue;
    const opened = await openRevision(skills, head.name, past.rev);
    // The revision was purged after the list was read.
    if (!opened.ok) continue;
    const { description, category, citations, parent } = opened.value.revision;
    const state = verdict === "active" ? "active" : "trial";
    const next = markWithdrawn(toStateChange(head, state, `${why} Revision ${past.rev} is back.`, op));
    return ok({
      ...next,
      files: opened.value.files,
      description,
      category,
      citations,
      parent: parent ?? null,
      withdrawn,
      settled: { ...next.settled!, rev: head.rev + 1 },
    });
  }
  return ok({ ...markWithdrawn(toStateChange(head, "archived", `${why} No earlier text is left.`, op)), withdrawn });
}

/** A copy of a skill that another profile shares. A person's own edit makes it theirs. */
function isFollowed({ origin, from }: SkillHead): boolean {
  return origin === "hub" && from?.source === "library";
}

function toStateChange(head: SkillHead, to: SkillState, reason: string, op: string): SkillNext {
  return { state: to, reason, settled: { op, from: head.state, to, rev: head.rev } };
}

function markWithdrawn(next: SkillNext): SkillNext {
  return { ...next, settled: { ...next.settled!, withdrew: true } };
}

/** The change that the head records for the decision `op`. */
function moveOf({ name, settled, reason = "" }: SkillHead, op: string): SkillMove | null {
  if (settled?.op !== op) return null;
  const { from, to, rev, withdrew = false, inPart = false } = settled;
  return { skill: name, from, to, reason, rev, withdrew, inPart };
}

function refuseAsMoved(skill: SkillName): Result<never> {
  return err("skill_moved", `The skill ${skill} was changed while it was judged.`);
}

function useOf({ uses, successes, failures, lastUsedDay }: SkillStats): SkillUse {
  return { uses, successes, failures, lastUsedDay };
}
