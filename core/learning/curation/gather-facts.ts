// Reads what a curation knows about each skill of the profile: its head, its evidence, and since when. Called by make-plan.ts and
// carry-out.ts. Counting new evidence writes the skill's stats.
import type { Day, SkillName } from "../../schemas/ids.ts";
import type { CuratorNotes } from "../../schemas/learning/curation.ts";
import { type HeadMirror, type SkillStats, toLineage } from "../../schemas/skill.ts";
import { type SkillFacts, earliestDay } from "./curate.ts";
import { noteOf } from "./lookup.ts";
import type { CurationContext } from "./run-options.ts";

export type CountedSkill = SkillFacts & { stats: SkillStats };

export async function gatherFacts(
  options: CurationContext,
  notes: CuratorNotes,
): Promise<{ skills: CountedSkill[]; activeDays: Day[] }> {
  const { skills, evidence, clock } = options;
  const mirrors = new Map<SkillName, HeadMirror>();
  for await (const { name, mirror } of skills.scan()) mirrors.set(name, mirror);
  const counted = await evidence.counted(new Map([...mirrors].map(([name, mirror]) => [name, toLineage(mirror)])));
  const found: CountedSkill[] = [];
  for (const [name, mirror] of mirrors) {
    const known = counted.has(name) ? counted.get(name) : emptyStats(name);
    const stats = options.folded.get(name) ?? known ?? (await countEvidence(options, name, mirror));
    found.push({ name, mirror, stats, seen: noteOf(notes, name)?.seen ?? null });
  }
  return { skills: found, activeDays: await evidence.activeDays(earliestDay(found, clock.now())) };
}

async function countEvidence({ evidence, folded, assertRoom }: CurationContext, name: SkillName, mirror: HeadMirror) {
  assertRoom();
  const stats = await evidence.fold(name, toLineage(mirror));
  folded.set(name, stats);
  return stats;
}

function emptyStats(skill: SkillName): SkillStats {
  return { v: 2, skill, uses: 0, successes: 0, failures: 0, lastUsedDay: null, texts: {} };
}
