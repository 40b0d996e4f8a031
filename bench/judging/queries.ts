// Measures whether the product's search finds the skill for a request, and whether recall loads a skill where none fits.
import { pickRecalled } from "../../core/skills/search/recall.ts";
import type { BenchSkill } from "../skills/bench-skill.ts";
import { openSearch, toHelpful } from "../skills/search.ts";
import { share } from "./replies.ts";
import type { QueryRow } from "./rows.ts";

const FIRST = 5;

/** Shares of queries; `null` if there are no such queries. */
export interface QueryFigures {
  /** The skill is the first result, or among the first five. */
  at1: number | null;
  at5: number | null;
  /** Among queries without a skill: recall would load one, if all skills had helped before. */
  falseOnNull: number | null;
}

export async function measureQueries(queries: readonly QueryRow[], skills: BenchSkill[]): Promise<QueryFigures> {
  const search = await openSearch(skills);
  const fitting = queries.filter(({ name }) => name !== null);
  const places = await Promise.all(fitting.map(async ({ query, name }) => (await search(query)).indexOf(name!)));
  const lines = skills.map(toHelpful);
  const unfit = queries.filter(({ name }) => name === null);
  return {
    at1: share(places.filter((place) => place === 0).length, fitting.length),
    at5: share(places.filter((place) => place >= 0 && place < FIRST).length, fitting.length),
    falseOnNull: share(unfit.filter(({ query }) => pickRecalled(lines, query) !== null).length, unfit.length),
  };
}
