// How near two skills are to each other, by name and description. Called by the duplicate checks: of a write
// (operations.ts), and of a head that a crash kept out of the index (core/learning/curation/run-curation.ts). Pure. Texts are not compared: what a skill is for decides, not how it says it.
import type { SkillName } from "../schemas/ids.ts";
import { baseOf } from "./validate.ts";
import { overlapOf, wordsOf } from "./words.ts";

export interface SkillSummary {
  name: SkillName;
  description: string;
}

export interface Neighbour {
  name: SkillName;
  similarity: number;
}

/** Nearest first; `similarity` lies between 0 and 1, and what shares no word is left out. A skill and its companion are one: neither is the other's neighbour, and together they fill one place. */
export function nearestNeighbours(skills: SkillSummary[], candidate: SkillSummary, most = 10): Neighbour[] {
  const self = pairOf(candidate.name);
  const wanted = toTerms(candidate);
  const nearest = new Map<string, Neighbour>();
  for (const skill of skills) {
    const pair = pairOf(skill.name);
    if (pair === self) continue;
    const similarity = compare(toTerms(skill), wanted);
    if (similarity > (nearest.get(pair)?.similarity ?? 0)) nearest.set(pair, { name: skill.name, similarity });
  }
  return [...nearest.values()].sort((a, b) => b.similarity - a.similarity || (a.name < b.name ? -1 : 1)).slice(0, most);
}

interface Terms {
  name: Set<string>;
  description: Set<string>;
  all: Set<string>;
}

function toTerms(skill: SkillSummary): Terms {
  const name = wordsOf(pairOf(skill.name).replaceAll("-", " "));
  const description = wordsOf(skill.description);
  return { name, description, all: new Set([...name, ...description]) };
}

/** The same name in other words, with much the same description, counts as near whatever else is said. */
function compare(a: Terms, b: Terms): number {
  const byPart = (overlapOf(a.name, b.name) + overlapOf(a.description, b.description)) / 2;
  return Math.max(overlapOf(a.all, b.all), byPart);
}

function pairOf(name: string): string {
  return baseOf(name) ?? name;
}
