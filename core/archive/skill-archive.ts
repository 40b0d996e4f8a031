// Searches all skills of a profile by all their words. FTS5 over names, descriptions, headings, bodies and requests finds candidates,
// and core/skills/search/relevance.ts ranks them. Run by the Archive object, over any Sql. Keeps copies only: what is lost or wrong
// here is read again from the index and its skills, which it never writes to.
import type { Sql } from "../ports.ts";
import type { SkillLine } from "../schemas/api.ts";
import type { SkillName } from "../schemas/ids.ts";
import { isOffered } from "../skills/library.ts";
import { fuseRanks } from "../skills/search/ranking.ts";
import { FIELDS, type Query, scoreTerm, weightPerOccurrence, toQuery } from "../skills/search/relevance.ts";
import type { SkillWords, WordsCache } from "../skills/search/skill-words.ts";
import { type SkillBody, createSkillRows } from "./skill-rows.ts";
import type { SkillVectors } from "./skill-vectors.ts";

export interface SkillSource {
  /** All skills of the profile, bundled ones included, in any state. */
  lines(): Promise<SkillLine[]>;
  /** The skill as it is now. */
  read(line: SkillLine): Promise<SkillBody>;
}

export interface FoundSkills {
  /** Best first. */
  names: SkillName[];
  /** Skills whose body has not been read yet. They are found by their lines alone. */
  unread: number;
  /** Skills without a vector yet; absent if there are no vectors. */
  withoutVector?: number;
}

export interface FillProgress {
  read: number;
  unread: number;
}

export interface SkillArchive {
  /** Compares with the index, reads at most `reads` missing bodies, and searches. */
  search(query: string, reads: number): Promise<FoundSkills>;
  /**
   * Reads at most `reads` missing bodies, newest first, and computes a few hundred missing vectors. Returns the sums for both: how
   * many were added, and how many are still missing.
   */
  fill(reads: number): Promise<FillProgress>;
}

export interface SkillArchiveOptions {
  sql: Sql;
  source: SkillSource;
  /** Shared by the isolate. */
  memory: WordsCache;
  /** Absent: only words are searched. */
  vectors?: SkillVectors;
}

/** Maximum number of vectors that one `fill` computes, because an alarm must be short. */
const VECTORS_PER_FILL = 320;
/** The query has the most distinctive terms, and asks for enough skills to include the right one. */
const MAX_MATCH_TERMS = 32;
const MAX_CANDIDATES = 200;
/** Maximum number of results, which is more than a listing can show. */
const MAX_FOUND = 50;
/** Weights of `skill, name, description, headings, body, requests` when candidates are chosen. */
const MATCH_WEIGHTS = "0, 8, 4, 2, 1, 4";
const PARALLEL_READS = 8;

export function createSkillArchive({ sql, source, memory, vectors }: SkillArchiveOptions): SkillArchive {
  const rows = createSkillRows({ sql, memory, onRollback: () => vectors?.forget() });
  let filling: Promise<FillProgress> | null = null;

  /** Runs once at a time. Concurrent callers would read the same bodies, so they share the result. */
  function readMissing(lines: SkillLine[], most: number): Promise<FillProgress> {
    return (filling ??= readSome(lines, most).finally(() => (filling = null)));
  }

  async function readSome(lines: SkillLine[], most: number): Promise<FillProgress> {
    const byName = new Map(lines.map((line) => [line.name, line]));
    const missing = rows.unread().flatMap((name) => byName.get(name) ?? []);
    let count = 0;
    for (let at = 0; at < Math.min(most, missing.length); at += PARALLEL_READS) {
      const batch = missing.slice(at, Math.min(most, at + PARALLEL_READS));
      // A skill that cannot be read stays missing, and does not stop the others.
      const read = await Promise.allSettled(batch.map((line) => source.read(line)));
      count += rows.putBodies(
        read.flatMap((result, i) => (result.status === "fulfilled" ? [{ line: batch[i]!, body: result.value }] : [])),
      );
    }
    return { read: count, unread: rows.unread().length };
  }

  function findByWords(text: string): SkillName[] {
    const query = toQuery(text);
    const total = rows.countWords();
    const counted = [...query].flatMap(([term, inQuery]) => {
      const [row] = sql.run<{ cnt: number }>("SELECT cnt FROM skill_terms WHERE term = ?", term);
      return row ? [{ term, inQuery, count: row.cnt }] : [];
    });
    if (counted.length === 0) return [];
    const distinctive = counted
      .map(({ term, inQuery, count }) => ({ term, weight: inQuery * Math.log(total / count) }))
      .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
      .slice(0, MAX_MATCH_TERMS);
    const candidates = sql.run<SkillWords & { skill: SkillName }>(
      `SELECT skill, name, description, headings, body, requests FROM skill_words WHERE skill_words MATCH ?
        ORDER BY bm25(skill_words, ${MATCH_WEIGHTS}) LIMIT ${MAX_CANDIDATES}`,
      distinctive.map(({ term }) => `"${term}"`).join(" OR "),
    );
    const counts = new Map(counted.map(({ term, count }) => [term, count]));
    return candidates
      .map((words) => ({ name: words.skill, score: scoreSkill(words, query, counts, total) }))
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .slice(0, MAX_FOUND)
      .map(({ name }) => name);
  }

  return {
    async search(query, reads) {
      const lines = await source.lines();
      rows.sync(lines);
      const withoutVector = vectors?.sync(lines.filter(isOffered));
      const nearest = vectors?.find(query);
      if (reads > 0 && rows.unread().length > 0) await readMissing(lines, reads);
      const near = (await nearest) ?? [];
      const byWords = findByWords(query);
      const names = near.length > 0 ? fuseRanks([byWords, near], (name) => name).slice(0, MAX_FOUND) : byWords;
      return { names, unread: rows.unread().length, ...(withoutVector !== undefined && { withoutVector }) };
    },
    async fill(reads) {
      const lines = await source.lines();
      rows.sync(lines);
      const filled = await readMissing(lines, reads);
      const offered = lines.filter(isOffered);
      if (!vectors || vectors.sync(offered) === 0) return filled;
      const made = await vectors.fill(offered, VECTORS_PER_FILL);
      return { read: filled.read + made, unread: filled.unread + vectors.sync(offered) };
    },
  };
}

function scoreSkill(skill: SkillWords, query: Query, counts: Map<string, number>, total: number): number {
  const weights = new Map<string, number>();
  for (const field of FIELDS) {
    const terms = skill[field] === "" ? [] : skill[field].split(" ");
    const share = weightPerOccurrence(field, terms.length);
    for (const term of terms) if (query.has(term)) weights.set(term, (weights.get(term) ?? 0) + share);
  }
  let score = 0;
  for (const [term, weight] of weights) {
    score += scoreTerm(query.get(term)!, weight, { count: counts.get(term) ?? 1, total });
  }
  return score;
}
