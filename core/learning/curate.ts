// The plan of a curation: which learned skills change their state by age. Called by run-curation.ts. Pure: facts in,
// moves out; nothing is deleted by any of them, and each can be taken back.
import type { CurationMove, CurationPlan, Policy } from "../schemas/curation.ts";
import { type CurationId, type Day, type ProfileId, type SkillName, dayOf } from "../schemas/ids.ts";
import type { Settings } from "../schemas/settings.ts";
import type { HeadMirror, Origin, SkillState, SkillStats } from "../schemas/skill.ts";

/** What the agent made for itself. A person's skills, and those that came with the product or a hub, are not aged. */
const AGED_ORIGINS: Origin[] = ["review", "foreground", "curator"];
const AGED_STATES: SkillState[] = ["trial", "active", "stale"];
/** A skill that has helped twice is kept at hand, however long ago that was. */
const SUCCESSES_THAT_KEEP = 2;

export interface SkillFacts {
  name: SkillName;
  mirror: HeadMirror;
  stats: Pick<SkillStats, "successes" | "lastUsedDay">;
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

/** Sorted by name, so that one library always makes one plan. */
export function planCuration(facts: CurationFacts): CurationPlan {
  const moves = facts.skills
    .filter((skill) => isAged(skill, facts.policy))
    .flatMap((skill) => moveOf(skill, facts) ?? [])
    .sort((a, b) => (a.skill < b.skill ? -1 : 1));
  return { v: 1, run: facts.run, profile: facts.profile, at: facts.now, dryRun: facts.dryRun, moves };
}

/** Whether age can move a skill at all. */
export function isAged(skill: Pick<SkillFacts, "name" | "mirror">, policy: Policy): boolean {
  return (
    AGED_ORIGINS.includes(skill.mirror.origin) &&
    AGED_STATES.includes(skill.mirror.state) &&
    skill.mirror.pinned === "0" &&
    !policy.keepSkills.includes(skill.name)
  );
}

/** The first day whose activity can count for any of these skills; today when there is none. */
export function earliestDay(skills: Pick<SkillFacts, "mirror">[], now: number): Day {
  return dayOf(Math.min(now, ...skills.map((skill) => Number(skill.mirror.revisedAt))));
}

/**
 * Days on which the profile was active since the skill was last used or revised. For a skill that is offered, any other
 * change counts as well: one that a person took out of the archive starts afresh.
 */
export function ageInActiveDays(skill: SkillFacts, activeDays: Day[]): number {
  const { mirror, stats } = skill;
  const changed = dayOf(Number(mirror.state === "stale" ? mirror.revisedAt : mirror.updatedAt));
  const since = stats.lastUsedDay !== null && stats.lastUsedDay > changed ? stats.lastUsedDay : changed;
  return activeDays.filter((day) => day > since).length;
}

function moveOf(skill: SkillFacts, facts: CurationFacts): CurationMove | null {
  const { staleDays, archiveDays } = facts.settings.curation;
  const { state } = skill.mirror;
  const age = ageInActiveDays(skill, facts.activeDays);
  if (state !== "stale") {
    return age >= staleDays ? toMove(skill, "stale", `unused on the last ${age} active days`) : null;
  }
  if (age < staleDays) {
    return toMove(skill, "active", `${wasUsed(skill) ? "used" : "revised"} again, ${daysAgo(age)}`);
  }
  const keeps = skill.stats.successes >= SUCCESSES_THAT_KEEP;
  return age >= archiveDays && !keeps ? toMove(skill, "archived", `unused on the last ${age} active days`) : null;
}

function toMove(skill: SkillFacts, to: SkillState, reason: string): CurationMove {
  return { skill: skill.name, seq: Number(skill.mirror.seq), from: skill.mirror.state, to, reason };
}

function wasUsed({ mirror, stats }: SkillFacts): boolean {
  return stats.lastUsedDay !== null && stats.lastUsedDay >= dayOf(Number(mirror.revisedAt));
}

function daysAgo(age: number): string {
  if (age === 0) return "on the last active day";
  return age === 1 ? "one active day ago" : `${age} active days ago`;
}
