// Groups skills that may be about one thing, as candidates for a merge. Called by make-plan.ts, remember.ts and request.ts. Pure.
import type { SkillName } from "../../../schemas/ids.ts";
import type { CuratorNotes } from "../../../schemas/learning/curation.ts";
import { type IndexLine, type SkillIndex, lineOf } from "../../../schemas/skill.ts";
import { baseOf } from "../../../skills/format/validate.ts";
import { type Neighbourhood, createNeighbourhood } from "../../../skills/search/similarity.ts";
import { type SkillFacts, mayCurate } from "../curate.ts";
import { noteOf } from "../lookup.ts";

const MAX_CLUSTERS = 5;
const MAX_MEMBERS = 8;
/** Minimum similarity of two skills that may be about one thing. */
const NEAR = 0.5;
/** Minimum similarity when both names begin with the same word. */
const NEAR_BY_NAME = 0.2;

type SkillSummary = IndexLine & { name: SkillName };

/**
 * Groups by overlaps that reviews noted, and by similar names and descriptions. Leaves out companions, which belong to their bases, and
 * skills that a curation may not change. Largest cluster first.
 */
export function clustersOf(skills: Pick<SkillFacts, "name" | "mirror">[], index: SkillIndex): SkillName[][] {
  return groupsOf(skills, index, (lines) => {
    const hood = createNeighbourhood(lines);
    return (line) => [...overlapsOf(line.name, index), ...findSimilarSkills(line, hood)];
  }).slice(0, MAX_CLUSTERS);
}

/** Groups by noted overlaps alone. Only clusters with an overlap that no model was shown yet; `null` when there is none. */
export function notedClusters(skills: SkillFacts[], index: SkillIndex, notes: CuratorNotes): SkillName[][] | null {
  const isNew = (name: SkillName, group: SkillName[]) =>
    overlapsOf(name, index).some(
      (other) => group.includes(other) && !noteOf(notes, name)?.consolidated?.includes(other),
    );
  const groups = groupsOf(skills, index, () => (line) => overlapsOf(line.name, index))
    .filter((group) => group.some((name) => isNew(name, group)))
    .slice(0, MAX_CLUSTERS);
  return groups.length > 0 ? groups : null;
}

/** The skills that overlap with one, as reviews noted. */
export function overlapsOf(name: SkillName, index: SkillIndex): SkillName[] {
  return (lineOf(index, name)?.overlaps ?? []).filter((other) => other !== name);
}

/** Union-find. `relate`: given all lines, returns a function that names the skills related to one, most related first. */
function groupsOf(
  skills: Pick<SkillFacts, "name" | "mirror">[],
  index: SkillIndex,
  relate: (lines: SkillSummary[]) => (line: SkillSummary) => SkillName[],
): SkillName[][] {
  const own = skills.filter((skill) => mayCurate(skill) && baseOf(skill.name) === null);
  const lines = own.flatMap(({ name }) => {
    const line = lineOf(index, name);
    return line ? [{ ...line, name }] : [];
  });
  const leader = new Map(lines.map(({ name }) => [name, name]));
  const sizes = new Map(lines.map(({ name }) => [name, 1]));
  const find = (name: SkillName): SkillName => {
    const next = leader.get(name)!;
    return next === name ? name : find(next);
  };
  const relatedTo = relate(lines);
  for (const line of lines) {
    for (const near of relatedTo(line).filter((name) => leader.has(name))) {
      const [a, b] = [find(line.name), find(near)];
      const size = sizes.get(a)! + sizes.get(b)!;
      if (a === b || size > MAX_MEMBERS) continue;
      leader.set(b, a);
      sizes.set(a, size);
    }
  }
  const groups = [...Map.groupBy(lines, ({ name }) => find(name)).values()].map((group) =>
    group.map(({ name }) => name).sort(),
  );
  return groups.filter((group) => group.length > 1).sort((a, b) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1));
}

function findSimilarSkills(line: SkillSummary, hood: Neighbourhood): SkillName[] {
  const isNear = ({ name, similarity }: { name: SkillName; similarity: number }) =>
    similarity >= NEAR || (similarity >= NEAR_BY_NAME && firstWord(name) === firstWord(line.name));
  return hood
    .nearest(line, MAX_MEMBERS)
    .filter(isNear)
    .map(({ name }) => name);
}

function firstWord(name: SkillName): string {
  return name.split("-")[0]!;
}
