// Ranks index lines by how well they fit a text. Used by skills_list when no Archive can be asked, and by the prompt's
// index. Reads names, categories and descriptions. Also merges several rankings. Pure.
import type { SkillLine } from "../../schemas/api.ts";
import { type Field, type Query, scoreTerm, weightPerOccurrence, toQuery } from "./relevance.ts";
import { termsOf } from "./words.ts";

/** Best first, stale skills last, without skills that share no word. A word that many skills share counts little. */
export function rankSkills(lines: SkillLine[], query: string): SkillLine[] {
  const scores = scoreSkills(lines, query);
  return [...scores.keys()].sort(
    (a, b) => staleness(a) - staleness(b) || scores.get(b)! - scores.get(a)! || (a.name < b.name ? -1 : 1),
  );
}

/** The lines that share a word with the text, with a score above 0. Makes two passes over the words of all lines. */
export function scoreSkills(lines: SkillLine[], text: string): Map<SkillLine, number> {
  const query = toQuery(text);
  const scores = new Map<SkillLine, number>();
  if (query.size === 0) return scores;
  const { hits, counts, total } = findHits(lines, query);
  for (const { line, term, weight } of hits) {
    const score = scoreTerm(query.get(term)!, weight, { count: counts.get(term)!, total });
    scores.set(line, (scores.get(line) ?? 0) + score);
  }
  return scores;
}

function findHits(lines: SkillLine[], query: Query) {
  const hits: { line: SkillLine; term: string; weight: number }[] = [];
  const counts = new Map<string, number>();
  let total = 0;
  for (const line of lines) {
    const { terms, weights, times, words } = wordsOfLine(line);
    total += words;
    for (let i = 0; i < terms.length; i++) {
      const term = terms[i]!;
      if (!query.has(term)) continue;
      hits.push({ line, term, weight: weights[i]! });
      counts.set(term, (counts.get(term) ?? 0) + times[i]!);
    }
  }
  return { hits, counts, total };
}

/** Parallel arrays save memory: ten thousand lines are cached. */
interface LineWords {
  terms: string[];
  weights: number[];
  times: number[];
  words: number;
}

/** Cache by line object. */
const knownLines = new WeakMap<SkillLine, LineWords>();

function wordsOfLine(line: SkillLine): LineWords {
  const known = knownLines.get(line);
  if (known) return known;
  const parts: [Field, string[]][] = [
    ["name", termsOf(line.name.replaceAll("-", " "))],
    ["description", termsOf(line.description)],
    ["headings", termsOf(line.category.replaceAll("-", " "))],
  ];
  const read: LineWords = { terms: [], weights: [], times: [], words: 0 };
  const places = new Map<string, number>();
  for (const [field, terms] of parts) {
    const share = weightPerOccurrence(field, terms.length);
    for (const term of terms) {
      const place = places.get(term) ?? read.terms.push(term) - 1;
      places.set(term, place);
      read.weights[place] = (read.weights[place] ?? 0) + share;
      read.times[place] = (read.times[place] ?? 0) + 1;
    }
    read.words += terms.length;
  }
  knownLines.set(line, read);
  return read;
}

/** The usual constant of reciprocal rank fusion: a place near the top of any list counts. */
const RANK_OFFSET = 60;

/** Merges rankings, best first. Equal scores are ordered by `nameOf`. */
export function fuseRanks<Item>(lists: Item[][], nameOf: (item: Item) => string): Item[] {
  const scores = new Map<Item, number>();
  for (const list of lists) {
    list.forEach((item, at) => scores.set(item, (scores.get(item) ?? 0) + 1 / (RANK_OFFSET + at)));
  }
  return [...scores].sort(([a, x], [b, y]) => y - x || (nameOf(a) < nameOf(b) ? -1 : 1)).map(([item]) => item);
}

function staleness(line: SkillLine): number {
  return line.state === "stale" ? 1 : 0;
}
