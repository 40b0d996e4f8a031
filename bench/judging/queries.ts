// Whether the product's search finds the skill that a request calls for, and whether it offers one unasked where none fits.
import { pickRecalled } from "../../core/skills/search/recall.ts";
import type { BenchSkill } from "../skills/bench-skill.ts";
import { openSearch, toHelpful } from "../skills/search.ts";
import { share } from "./replies.ts";
import type { QueryRow } from "./rows.ts";

const FIRST = 5;

/** `null`: no query of that sort. */
export interface QueryFigures {
  /** The skill comes first; is among the first five. */
  at1: number | null;
  at5: number | null;
  /** Of the queries without a skill: the product would load one unasked, if all had helped before. */
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
