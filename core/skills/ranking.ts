// Orders skills by how well they fit a query, by words alone: what skills_list does with a query. Pure.
import type { SkillLine } from "../schemas/api.ts";
import { wordsOf } from "./words.ts";

/** A word of the name says more about a skill than one of its description. */
const WEIGHTS = { name: 3, category: 1.5, description: 1 };

/** Best first, without those that share no word; a word that many skills share counts for little. */
export function rankSkills(lines: SkillLine[], query: string): SkillLine[] {
  const wanted = [...wordsOf(query)];
  const entries = lines.map((line) => ({ line, weights: weightsOf(line) }));
  const rarity = new Map(
    wanted.map((word) => {
      const holders = entries.filter(({ weights }) => weights.has(word)).length;
      return [word, Math.log(1 + lines.length / Math.max(1, holders))];
    }),
  );
  return entries
    .map(({ line, weights }) => ({
      line,
      score: wanted.reduce((sum, word) => sum + (weights.get(word) ?? 0) * rarity.get(word)!, 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => staleness(a.line) - staleness(b.line) || b.score - a.score || (a.line.name < b.line.name ? -1 : 1))
    .map(({ line }) => line);
}

function weightsOf(line: SkillLine): Map<string, number> {
  const weights = new Map<string, number>();
  for (const field of ["description", "category", "name"] as const) {
    for (const word of wordsOf(line[field].replaceAll("-", " "))) weights.set(word, WEIGHTS[field]);
  }
  return weights;
}

function staleness(line: SkillLine): number {
  return line.state === "stale" ? 1 : 0;
}
