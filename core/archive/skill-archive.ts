// The skills of a profile, found by all their words: FTS5 over names, descriptions, headings, bodies and requests names candidates,
// core/skills/search/relevance.ts puts them in order. Run by the Archive object, over any Sql. It holds copies only: whatever is lost
// or wrong here is read again from the index and its skills, and it never writes to those.
import type { Sql } from "../ports.ts";
import type { SkillLine } from "../schemas/api.ts";
import type { SkillName } from "../schemas/ids.ts";
import { isOffered } from "../skills/library.ts";
import { fuseRanks } from "../skills/search/ranking.ts";
import { FIELDS, type Query, scoreOfTerm, shareOfOne, toQuery } from "../skills/search/relevance.ts";
import {
  type BodyWords,
  type SkillWords,
  type WordsMemory,
  readBodyWords,
  wordsKeyOf,
  wordsOfSkill,
} from "../skills/search/skill-words.ts";
import type { Meanings } from "./meanings.ts";
import { openSkillTables } from "./schema.ts";

export interface SkillSource {
  /** All skills of the profile, bundled ones included, in any state. */
  lines(): Promise<SkillLine[]>;
  /**
   * SKILL.md and the file of requests ("" for none) as they are now, with the `wordsKeyOf` them; null when there is no SKILL.md any
   * more, or it is no text.
   */
  read(line: SkillLine): Promise<{ key: string; skillMd: string; requests: string } | null>;
}

export interface FoundSkills {
  /** Best first. */
  names: SkillName[];
  /** Skills whose body has not been read yet; they are found by their lines. */
  unread: number;
  /** Skills that have no vector yet; absent where meanings are not searched. */
  unmeant?: number;
}

export interface Filled {
  read: number;
  unread: number;
}

/** Vectors that one `fill` has made: an alarm is short. */
const MEANINGS_A_FILL = 320;

export interface SkillArchive {
  /** Compares with the index, reads a few missing bodies, and looks. Costs at most `reads` reads of skills. */
  search(query: string, reads: number): Promise<FoundSkills>;
  /**
   * Reads at most so many missing bodies, newest first, and has a few hundred missing vectors made. Returns how many of both it did,
   * and how many are still missing.
   */
  fill(reads: number): Promise<Filled>;
}

/** FTS5 is asked for the terms that tell most, and for so many skills that the right one is among them. */
const MAX_MATCH_TERMS = 32;
const MAX_CANDIDATES = 200;
/** What a listing can show, and some more to choose from. */
const MAX_FOUND = 50;
/** Weights of `skill, name, description, headings, body, requests` for the candidates. */
const MATCH_WEIGHTS = "0, 8, 4, 2, 1, 4";
/** Bodies that are read at the same time, and the lines that one transaction takes. */
const PARALLEL_READS = 8;
const LINES_AT_ONCE = 500;

const NO_BODY: BodyWords = { headings: "", body: "", requests: "" };

/** What is held of a skill. `id` names its row in `skill_words`. */
interface Held {
  id: number;
  /** As `wordsKeyOf` names it. */
  text: string;
  category: string;
  isRead: boolean;
  words: number;
}

export interface SkillArchiveOptions {
  sql: Sql;
  source: SkillSource;
  /** Of the isolate. */
  memory: WordsMemory;
  /** Absent: words alone are searched. */
  meanings?: Meanings;
}

export function createSkillArchive({ sql, source, memory, meanings }: SkillArchiveOptions): SkillArchive {
  let opened: Map<SkillName, Held> | null = null;
  let filling: Promise<Filled> | null = null;

  function held(): Map<SkillName, Held> {
    if (opened) return opened;
    openSkillTables(sql);
    const rows = sql.run<Omit<Held, "isRead"> & { name: SkillName; read: number }>(
      "SELECT name, id, text, category, read, words FROM skill_text",
    );
    opened = new Map(rows.map(({ name, read, ...row }) => [name, { ...row, isRead: read === 1 }]));
    return opened;
  }

  /** Makes the rows those of the index: what is gone goes, what is new or has another text is there by its line. */
  function compare(lines: SkillLine[]): void {
    const offered = lines.filter(isOffered);
    const wanted = new Set(offered.map((line) => line.name));
    const gone = [...held().keys()].filter((name) => !wanted.has(name));
    for (let at = 0; at < gone.length; at += LINES_AT_ONCE) {
      atOnce(() => gone.slice(at, at + LINES_AT_ONCE).forEach(remove));
    }
    const changed = offered.filter((line) => {
      const row = held().get(line.name);
      return row?.text !== wordsKeyOf(line) || row.category !== line.category;
    });
    for (let at = 0; at < changed.length; at += LINES_AT_ONCE) {
      atOnce(() =>
        changed.slice(at, at + LINES_AT_ONCE).forEach((line) => put(line, memory.get(wordsKeyOf(line)) ?? null)),
      );
    }
  }

  /** What the rows are is known by `held`; a transaction that failed leaves the two apart, so it is read again. */
  function atOnce(work: () => void): void {
    try {
      sql.transaction(work);
    } catch (error) {
      opened = null;
      meanings?.forget();
      throw error;
    }
  }

  /** `read`: null when the body is still to be read. */
  function put(line: SkillLine, read: BodyWords | null): void {
    remove(line.name);
    const { name, category } = line;
    const text = wordsKeyOf(line);
    const words = wordsOfSkill(line, read);
    const count = FIELDS.reduce((sum, field) => sum + countOf(words[field]), 0);
    const id = nextId();
    sql.run(
      "INSERT INTO skill_words(rowid, skill, name, description, headings, body, requests) VALUES (?, ?, ?, ?, ?, ?, ?)",
      ...[id, name, words.name, words.description, words.headings, words.body, words.requests],
    );
    sql.run("INSERT INTO skill_text VALUES (?, ?, ?, ?, ?, ?)", name, id, text, category, read ? 1 : 0, count);
    held().set(name, { id, text, category, isRead: read !== null, words: count });
  }

  function remove(name: SkillName): void {
    const row = held().get(name);
    if (!row) return;
    sql.run("DELETE FROM skill_words WHERE rowid = ?", row.id);
    sql.run("DELETE FROM skill_text WHERE name = ?", name);
    held().delete(name);
  }

  let lastId = 0;
  function nextId(): number {
    if (lastId === 0) for (const row of held().values()) lastId = Math.max(lastId, row.id);
    return ++lastId;
  }

  function unread(): SkillName[] {
    const missing = [...held()].filter(([, row]) => !row.isRead);
    return missing.sort(([, a], [, b]) => b.id - a.id).map(([name]) => name);
  }

  /** Several callers would read the same: one at a time, and the others take what it found. */
  function readMissing(lines: SkillLine[], most: number): Promise<Filled> {
    return (filling ??= readSome(lines, most).finally(() => (filling = null)));
  }

  async function readSome(lines: SkillLine[], most: number): Promise<Filled> {
    const byName = new Map(lines.map((line) => [line.name, line]));
    const missing = unread().flatMap((name) => byName.get(name) ?? []);
    let count = 0;
    for (let at = 0; at < Math.min(most, missing.length); at += PARALLEL_READS) {
      const some = missing.slice(at, Math.min(most, at + PARALLEL_READS));
      // One that cannot be read must not keep the others from being: it stays missing.
      const read = await Promise.allSettled(some.map((line) => source.read(line)));
      atOnce(() => {
        read.forEach((result, i) => {
          if (result.status === "fulfilled" && accept(some[i]!, result.value)) count += 1;
        });
      });
    }
    return { read: count, unread: unread().length };
  }

  /** False when the skill has become another while it was read, or is gone: that is for the next comparison. */
  function accept(line: SkillLine, read: Awaited<ReturnType<SkillSource["read"]>>): boolean {
    const key = wordsKeyOf(line);
    if (held().get(line.name)?.text !== key) return false;
    const words = read ? readBodyWords(read.skillMd, read.requests) : NO_BODY;
    if (read?.key === key) memory.set(key, words);
    put(line, words);
    return true;
  }

  function find(text: string): SkillName[] {
    const query = toQuery(text);
    const total = [...held().values()].reduce((sum, row) => sum + row.words, 0);
    const counted = [...query].flatMap(([term, said]) => {
      const [row] = sql.run<{ cnt: number }>("SELECT cnt FROM skill_terms WHERE term = ?", term);
      return row ? [{ term, said, count: row.cnt }] : [];
    });
    if (counted.length === 0) return [];
    const telling = counted
      .map(({ term, said, count }) => ({ term, tells: said * Math.log(total / count) }))
      .sort((a, b) => b.tells - a.tells || (a.term < b.term ? -1 : 1))
      .slice(0, MAX_MATCH_TERMS);
    const candidates = sql.run<SkillWords & { skill: SkillName }>(
      `SELECT skill, name, description, headings, body, requests FROM skill_words WHERE skill_words MATCH ?
        ORDER BY bm25(skill_words, ${MATCH_WEIGHTS}) LIMIT ${MAX_CANDIDATES}`,
      telling.map(({ term }) => `"${term}"`).join(" OR "),
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
      compare(lines);
      const unmeant = meanings?.compare(lines.filter(isOffered));
      const nearest = meanings?.find(query);
      if (reads > 0 && unread().length > 0) await readMissing(lines, reads);
      const near = (await nearest) ?? [];
      const byWords = find(query);
      const names = near.length > 0 ? fuseRanks([byWords, near], (name) => name).slice(0, MAX_FOUND) : byWords;
      return { names, unread: unread().length, ...(unmeant !== undefined && { unmeant }) };
    },
    async fill(reads) {
      const lines = await source.lines();
      compare(lines);
      const filled = await readMissing(lines, reads);
      const offered = lines.filter(isOffered);
      if (!meanings || meanings.compare(offered) === 0) return filled;
      const made = await meanings.fill(offered, MEANINGS_A_FILL);
      return { read: filled.read + made, unread: filled.unread + meanings.compare(offered) };
    },
  };
}

function scoreSkill(skill: SkillWords, query: Query, counts: Map<string, number>, total: number): number {
  const weights = new Map<string, number>();
  for (const field of FIELDS) {
    const terms = skill[field] === "" ? [] : skill[field].split(" ");
    const share = shareOfOne(field, terms.length);
    for (const term of terms) if (query.has(term)) weights.set(term, (weights.get(term) ?? 0) + share);
  }
  let score = 0;
  for (const [term, weight] of weights) {
    score += scoreOfTerm(query.get(term)!, weight, { count: counts.get(term) ?? 1, total });
  }
  return score;
}

function countOf(words: string): number {
  return words === "" ? 0 : words.split(" ").length;
}
