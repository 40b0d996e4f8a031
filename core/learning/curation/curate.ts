// Decides which skills change their state in a curation: by their evidence, or by age. Called by make-plan.ts. Pure: facts in, moves
// out. No move deletes anything, and each can be taken back.
import type { CurationMove, CurationPlan, Policy, VerdictMove } from "../../schemas/learning/curation.ts";
import { type CurationId, DAY_MS, type Day, type ProfileId, type SkillName, dayOf } from "../../schemas/ids.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { HeadMirror, SkillState, SkillStats } from "../../schemas/skill.ts";
import { isLearned } from "../../skills/edit/protection.ts";
import { verdictOn } from "./lookup.ts";

const LIVING_STATES: SkillState[] = ["trial", "active", "stale"];
/** A skill with at least this many successes is never archived by age. */
const SUCCESSES_THAT_KEEP = 2;

export interface SkillFacts {
  name: SkillName;
  mirror: HeadMirror;
  stats: Pick<SkillStats, "uses" | "successes" | "lastUsedDay" | "texts">;
  /** When a curation first saw the skill. `null`: the present curation is the first to see it, and does not age it. */
  seen: Day | null;
}

export interface CurationFacts {
  run: CurationId;
  profile: ProfileId;
  now: number;
  skills: SkillFacts[];
  /** Days on which the profile was active, starting at `earliestDay` or earlier. */
  activeDays: Day[];
  policy: Policy;
  settings: Settings;
  dryRun: boolean;
}

/**
 * Deterministic: sorted by name. Verdicts come before moves by age, and a skill moves once a run. Moves beyond
 * `curation.maxChanges` are counted in `left` and wait for the next run.
 */
export function planCuration(facts: CurationFacts): CurationPlan {
  const { run, profile, now: at, dryRun, settings } = facts;
  const skills = facts.skills.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const judged = skills.flatMap((skill) => verdictOf(skill, facts) ?? []);
  const names = new Set(judged.map((move) => move.skill));
  const aged = skills
    .filter((skill) => isAged(skill, facts.policy) && !names.has(skill.name))
    .flatMap((skill) => moveOf(skill, facts) ?? []);
  const { maxChanges } = settings.curation;
  const verdicts = judged.slice(0, maxChanges);
  const moves = aged.slice(0, maxChanges - verdicts.length);
  const left = judged.length + aged.length - verdicts.length - moves.length;
  return {
    v: 1,
    run,
    profile,
    at,
    dryRun,
    moves,
    ...(verdicts.length > 0 && { verdicts }),
    ...(left > 0 && { left }),
  };
}

/** Whether a curation may change the skill: it was learned here, and is not archived, pending or pinned. */
export function mayCurate({ mirror }: Pick<SkillFacts, "mirror">): boolean {
  return isLearned(mirror) && LIVING_STATES.includes(mirror.state) && mirror.pinned === "0";
}

/** Whether a skill ages at all. */
function isAged(skill: Pick<SkillFacts, "name" | "mirror">, policy: Policy): boolean {
  return mayCurate(skill) && !policy.keepSkills.includes(skill.name);
}

/** The first day whose activity can count for any of these skills; today when there is none. */
export function earliestDay(skills: Pick<SkillFacts, "mirror">[], now: number): Day {
  return dayOf(Math.min(now, ...skills.map((skill) => Number(skill.mirror.revisedAt))));
}

/** How long a skill is unused: in calendar days, and in days on which the profile was active. */
export interface Age {
  days: number;
  active: number;
}

/**
 * The age is counted from the skill's last use or revision, or from the first curation that saw it. Unless the skill is stale, any
 * other change resets the age too, such as a person's restore from the archive.
 */
export function ageOf(
  { mirror, stats, seen }: SkillFacts,
  { activeDays, now }: { activeDays: Day[]; now: number },
): Age {
  if (seen === null) return { days: 0, active: 0 };
  const changed = dayOf(Number(mirror.state === "stale" ? mirror.revisedAt : mirror.updatedAt));
  const since = [changed, seen, stats.lastUsedDay ?? ""].sort().at(-1)!;
  return {
    days: Math.max(0, Math.round((Date.parse(dayOf(now)) - Date.parse(since)) / DAY_MS)),
    active: activeDays.filter((day) => day > since).length,
  };
}

/**
 * A move where the state contradicts the evidence on the present text. A skill that became stale by age is not revived by its old
 * evidence: only a use revives it.
 */
function verdictOf(skill: SkillFacts, { settings, policy }: CurationFacts): VerdictMove | null {
  const { state, pinned, origin, text, rev, seq } = skill.mirror;
  if (!settings.learning.verdicts || pinned === "1" || origin === "bundled") return null;
  const found = verdictOn(skill.stats, text);
  if (!found || !LIVING_STATES.includes(state)) return null;
  const isDue = {
    withdrawn: isLearned({ origin }) || state !== "stale",
    active: state === "trial" || (state === "stale" && !isAged(skill, policy)),
    trial: state === "active" && found.contradicted > 0 && isLearned({ origin }),
  }[found.verdict];
  if (!isDue) return null;
  const from = { state, rev: Number(rev), text };
  return { skill: skill.name, seq: Number(seq), from, verdict: found.verdict, why: found.why };
}

/** A move by age: an unused skill becomes stale and later archived; a stale one that was used or revised is revived. */
function moveOf(skill: SkillFacts, facts: CurationFacts): CurationMove | null {
  const { staleDays, staleActiveDays, archiveDays, archiveActiveDays } = facts.settings.curation;
  const age = ageOf(skill, facts);
  const unused = `unused for ${age.days} days, ${age.active} of them active`;
  const isOldEnough = age.days >= staleDays && age.active >= staleActiveDays;
  if (skill.mirror.state !== "stale") return isOldEnough ? toMove(skill, "stale", unused) : null;
  if (!isOldEnough) return isRevived(skill) ? toRevival(skill, age, facts.settings) : null;
  const keeps = skill.stats.successes >= SUCCESSES_THAT_KEEP;
  const isOver = age.days >= archiveDays && age.active >= archiveActiveDays;
  return isOver && !keeps ? toMove(skill, "archived", unused) : null;
}

function toRevival(skill: SkillFacts, age: Age, settings: Settings): CurationMove {
  const to = isProven(skill, settings) ? "active" : "trial";
  return toMove(skill, to, `${wasUsed(skill) ? "used" : "revised"} again, ${daysAgo(age.days)}`);
}

/** A stale skill was used or revised since. The day on which a curation first saw it does not count as a revival. */
function isRevived({ mirror, stats, seen }: SkillFacts): boolean {
  const revised = dayOf(Number(mirror.revisedAt));
  const latest = stats.lastUsedDay !== null && stats.lastUsedDay > revised ? stats.lastUsedDay : revised;
  return seen !== null && latest >= seen;
}

/** Whether the evidence supports the present text. If verdicts are switched off, a use is enough. */
function isProven({ mirror, stats }: SkillFacts, { learning }: Settings): boolean {
  if (!learning.verdicts) return true;
  return verdictOn(stats, mirror.text)?.verdict === "active";
}

function toMove(skill: SkillFacts, to: SkillState, reason: string): CurationMove {
  return { skill: skill.name, seq: Number(skill.mirror.seq), from: skill.mirror.state, to, reason };
}

function wasUsed({ mirror, stats }: SkillFacts): boolean {
  return stats.lastUsedDay !== null && stats.lastUsedDay >= dayOf(Number(mirror.revisedAt));
}

function daysAgo(days: number): string {
  if (days === 0) return "today";
  return days === 1 ? "one day ago" : `${days} days ago`;
}
