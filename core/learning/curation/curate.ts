// The plan of a curation: which skills change their state, by age or because the evidence says so. Called by
// run-curation.ts. Pure: facts in, moves out; nothing is deleted by any of them, and each can be taken back.
import type { CurationMove, CurationPlan, Policy, VerdictMove } from "../../schemas/learning/curation.ts";
import { type CurationId, DAY_MS, type Day, type ProfileId, type SkillName, dayOf } from "../../schemas/ids.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { HeadMirror, SkillState, SkillStats } from "../../schemas/skill.ts";
import { isLearned } from "../../skills/edit/protection.ts";

const LIVING_STATES: SkillState[] = ["trial", "active", "stale"];
/** A skill that has helped twice is kept at hand, however long ago that was. */
const SUCCESSES_THAT_KEEP = 2;

export interface SkillFacts {
  name: SkillName;
  mirror: HeadMirror;
  stats: Pick<SkillStats, "uses" | "successes" | "lastUsedDay" | "texts">;
  /** When a curation first met it; `null`: this one does, and does not age it. */
  seen: Day | null;
}

export interface CurationFacts {
  run: CurationId;
  profile: ProfileId;
  now: number;
  skills: SkillFacts[];
  /** Days on which the profile was active, at least from the earliest day that counts (`earliestDay`) on. */
  activeDays: Day[];
  policy: Policy;
  settings: Settings;
  dryRun: boolean;
}

/**
 * Sorted by name, so that one library always makes one plan. What the evidence says comes first, and a skill moves once a
 * run; what is beyond `curation.maxChanges` is counted and left.
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
    ...{ v: 1, run, profile, at, dryRun, moves },
    ...(verdicts.length > 0 && { verdicts }),
    ...(left > 0 && { left }),
  };
}

/** Learned here, alive, and in nobody's hand: what a curation may change. */
export function isOwn({ mirror }: Pick<SkillFacts, "mirror">): boolean {
  return isLearned(mirror) && LIVING_STATES.includes(mirror.state) && mirror.pinned === "0";
}

/** Whether age can move a skill at all. */
function isAged(skill: Pick<SkillFacts, "name" | "mirror">, policy: Policy): boolean {
  return isOwn(skill) && !policy.keepSkills.includes(skill.name);
}

/** The first day whose activity can count for any of these skills; today when there is none. */
export function earliestDay(skills: Pick<SkillFacts, "mirror">[], now: number): Day {
  return dayOf(Math.min(now, ...skills.map((skill) => Number(skill.mirror.revisedAt))));
}

/** How long a skill is unused: days of the calendar, and those of them on which the profile was active. */
export interface Age {
  days: number;
  active: number;
}

/**
 * Since the skill was last used or revised, or first met by a curation. For a skill that is offered, any other change counts
 * as well: one that a person took out of the archive starts afresh.
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
 * Where the state is not what the evidence says of the present text. One that has become stale by age is not revived by
 * what was known then: only a use does that.
 */
function verdictOf(skill: SkillFacts, { settings, policy }: CurationFacts): VerdictMove | null {
  const { state, pinned, origin, text, rev, seq } = skill.mirror;
  if (!settings.learning.verdicts || pinned === "1" || origin === "bundled") return null;
  const said = Object.hasOwn(skill.stats.texts, text) ? skill.stats.texts[text] : undefined;
  if (!said || !LIVING_STATES.includes(state)) return null;
  const isWrong = {
    withdrawn: isLearned({ origin }) || state !== "stale",
    active: state === "trial" || (state === "stale" && !isAged(skill, policy)),
    trial: state === "active" && said.contradicted > 0 && isLearned({ origin }),
  }[said.verdict];
  if (!isWrong) return null;
  const from = { state, rev: Number(rev), text };
  return { skill: skill.name, seq: Number(seq), from, verdict: said.verdict, why: said.why };
}

function moveOf(skill: SkillFacts, facts: CurationFacts): CurationMove | null {
  const { staleDays, staleActiveDays, archiveDays, archiveActiveDays } = facts.settings.curation;
  const age = ageOf(skill, facts);
  const unused = `unused for ${age.days} days, ${age.active} of them active`;
  const isStale = age.days >= staleDays && age.active >= staleActiveDays;
  if (skill.mirror.state !== "stale") return isStale ? toMove(skill, "stale", unused) : null;
  if (!isStale) {
    if (!hasLife(skill)) return null;
    const to = isProven(skill, facts.settings) ? "active" : "trial";
    return toMove(skill, to, `${wasUsed(skill) ? "used" : "revised"} again, ${daysAgo(age.days)}`);
  }
  const keeps = skill.stats.successes >= SUCCESSES_THAT_KEEP;
  const isOver = age.days >= archiveDays && age.active >= archiveActiveDays;
  return isOver && !keeps ? toMove(skill, "archived", unused) : null;
}

/** Whether a stale skill was used or revised since it was made so; the day a curation first met it revives nothing. */
function hasLife({ mirror, stats, seen }: SkillFacts): boolean {
  const revised = dayOf(Number(mirror.revisedAt));
  const lived = stats.lastUsedDay !== null && stats.lastUsedDay > revised ? stats.lastUsedDay : revised;
  return seen !== null && lived >= seen;
}

/** Where verdicts move nothing, use is all the proof there is. */
function isProven({ mirror, stats }: SkillFacts, { learning }: Settings): boolean {
  if (!learning.verdicts) return true;
  return Object.hasOwn(stats.texts, mirror.text) && stats.texts[mirror.text]!.verdict === "active";
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
