// The rows that an Archive keeps of skills for full-text search: their words, and which bodies are still unread. Called by
// skill-archive.ts, over any Sql. A copy of the index and its skills, which it never writes to.
import type { SkillLine } from "../schemas/api.ts";
import type { SkillName } from "../schemas/ids.ts";
import type { Sql } from "../ports.ts";
import { isOffered } from "../skills/library.ts";
import { type BodyWords, type WordsCache, readBodyWords, wordsKeyOf } from "../skills/search/skill-words.ts";
import { createSkillTable } from "./skill-table.ts";

/**
 * SKILL.md and the file of requests ("" for none). `key`: what `wordsKeyOf` returns for both. Null when SKILL.md is missing or not
 * text.
 */
export type SkillBody = { key: string; skillMd: string; requests: string } | null;

export interface SkillRows {
  /** Makes the rows match the index: removes missing skills, and adds new or changed ones with the words of their lines. */
  sync(lines: SkillLine[]): void;
  /** Stores bodies in one transaction. Returns how many; a skill that has changed since it was read waits for the next `sync`. */
  putBodies(bodies: { line: SkillLine; body: SkillBody }[]): number;
  /** Skills whose body has not been read, newest first. */
  unread(): SkillName[];
  /** Words of all skills together. */
  countWords(): number;
}

/** Maximum number of lines in one transaction. */
const LINES_AT_ONCE = 500;
const NO_BODY: BodyWords = { headings: "", body: "", requests: "" };

/** `onRollback`: called when a transaction failed, so that others can drop what they cache of it. */
export function createSkillRows({
  sql,
  memory,
  onRollback,
}: {
  sql: Sql;
  memory: WordsCache;
  onRollback(): void;
}): SkillRows {
  const table = createSkillTable({ sql, onRollback });

  function inBatches<T>(items: T[], work: (item: T) => void): void {
    for (let at = 0; at < items.length; at += LINES_AT_ONCE) {
      table.inTransaction(() => items.slice(at, at + LINES_AT_ONCE).forEach(work));
    }
  }

  /** False when the skill has changed or gone since it was read. */
  function putBody(line: SkillLine, body: SkillBody): boolean {
    const key = wordsKeyOf(line);
    if (table.rows().get(line.name)?.text !== key) return false;
    const words = body ? readBodyWords(body.skillMd, body.requests) : NO_BODY;
    if (body?.key === key) memory.set(key, words);
    table.put(line, words);
    return true;
  }

  return {
    sync(lines) {
      const offered = lines.filter(isOffered);
      const wanted = new Set(offered.map((line) => line.name));
      const gone = [...table.rows().keys()].filter((name) => !wanted.has(name));
      inBatches(gone, table.remove);
      const changed = offered.filter((line) => {
        const row = table.rows().get(line.name);
        return row?.text !== wordsKeyOf(line) || row.category !== line.category;
      });
      inBatches(changed, (line) => table.put(line, memory.get(wordsKeyOf(line)) ?? null));
    },
    putBodies(bodies) {
      let count = 0;
      table.inTransaction(() => {
        for (const { line, body } of bodies) if (putBody(line, body)) count += 1;
      });
      return count;
    },
    unread() {
      const missing = [...table.rows()].filter(([, row]) => !row.isRead);
      return missing.sort(([, a], [, b]) => b.id - a.id).map(([name]) => name);
    },
    countWords() {
      return [...table.rows().values()].reduce((sum, row) => sum + row.words, 0);
    },
  };
}
