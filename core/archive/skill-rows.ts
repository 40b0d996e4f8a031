// The rows that an Archive keeps of skills for full-text search: their words, and which bodies are still unread. Called by
// skill-archive.ts, over any Sql. A copy of the index and its skills, which it never writes to.
import type { SkillLine } from "../schemas/api.ts";
import type { SkillName } from "../schemas/ids.ts";
import type { Sql } from "../ports.ts";
import { isOffered } from "../skills/library.ts";
import { FIELDS } from "../skills/search/relevance.ts";
import {
  type BodyWords,
  type WordsCache,
  readBodyWords,
  wordsKeyOf,
  wordsOfSkill,
} from "../skills/search/skill-words.ts";
import { openSkillTables } from "./schema.ts";

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

/** A skill's row. `id` names its row in `skill_words`. */
interface SkillRow {
  id: number;
  /** What `wordsKeyOf` returns for the skill. */
  text: string;
  category: string;
  isRead: boolean;
  words: number;
}

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
  let opened: Map<SkillName, SkillRow> | null = null;
  let lastId = 0;

  /** The rows without their words, cached. */
  function cached(): Map<SkillName, SkillRow> {
    if (opened) return opened;
    openSkillTables(sql);
    const rows = sql.run<Omit<SkillRow, "isRead"> & { name: SkillName; read: number }>(
      "SELECT name, id, text, category, read, words FROM skill_text",
    );
    opened = new Map(rows.map(({ name, read, ...row }) => [name, { ...row, isRead: read === 1 }]));
    return opened;
  }

  /** A failed transaction leaves the cache wrong, so the rows are read again. */
  function inTransaction(work: () => void): void {
    try {
      sql.transaction(work);
    } catch (error) {
      opened = null;
      onRollback();
      throw error;
    }
  }

  function inBatches<T>(items: T[], work: (item: T) => void): void {
    for (let at = 0; at < items.length; at += LINES_AT_ONCE) {
      inTransaction(() => items.slice(at, at + LINES_AT_ONCE).forEach(work));
    }
  }

  /** `body`: null when it is still unread. */
  function put(line: SkillLine, body: BodyWords | null): void {
    remove(line.name);
    const { name, category } = line;
    const text = wordsKeyOf(line);
    const words = wordsOfSkill(line, body);
    const count = FIELDS.reduce((sum, field) => sum + countOf(words[field]), 0);
    const id = nextId();
    sql.run(
      "INSERT INTO skill_words(rowid, skill, name, description, headings, body, requests) VALUES (?, ?, ?, ?, ?, ?, ?)",
      ...[id, name, words.name, words.description, words.headings, words.body, words.requests],
    );
    sql.run("INSERT INTO skill_text VALUES (?, ?, ?, ?, ?, ?)", name, id, text, category, body ? 1 : 0, count);
    cached().set(name, { id, text, category, isRead: body !== null, words: count });
  }

  function remove(name: SkillName): void {
    const row = cached().get(name);
    if (!row) return;
    sql.run("DELETE FROM skill_words WHERE rowid = ?", row.id);
    sql.run("DELETE FROM skill_text WHERE name = ?", name);
    cached().delete(name);
  }

  function nextId(): number {
    if (lastId === 0) for (const row of cached().values()) lastId = Math.max(lastId, row.id);
    return ++lastId;
  }

  /** False when the skill has changed or gone since it was read. */
  function putBody(line: SkillLine, body: SkillBody): boolean {
    const key = wordsKeyOf(line);
    if (cached().get(line.name)?.text !== key) return false;
    const words = body ? readBodyWords(body.skillMd, body.requests) : NO_BODY;
    if (body?.key === key) memory.set(key, words);
    put(line, words);
    return true;
  }

  return {
    sync(lines) {
      const offered = lines.filter(isOffered);
      const wanted = new Set(offered.map((line) => line.name));
      const gone = [...cached().keys()].filter((name) => !wanted.has(name));
      inBatches(gone, remove);
      const changed = offered.filter((line) => {
        const row = cached().get(line.name);
        return row?.text !== wordsKeyOf(line) || row.category !== line.category;
      });
      inBatches(changed, (line) => put(line, memory.get(wordsKeyOf(line)) ?? null));
    },
    putBodies(bodies) {
      let count = 0;
      inTransaction(() => {
        for (const { line, body } of bodies) if (putBody(line, body)) count += 1;
      });
      return count;
    },
    unread() {
      const missing = [...cached()].filter(([, row]) => !row.isRead);
      return missing.sort(([, a], [, b]) => b.id - a.id).map(([name]) => name);
    },
    countWords() {
      return [...cached().values()].reduce((sum, row) => sum + row.words, 0);
    },
  };
}

function countOf(words: string): number {
  return words === "" ? 0 : words.split(" ").length;
}
