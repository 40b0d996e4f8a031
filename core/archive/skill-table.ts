// The two tables of skills in an Archive: the words of each for full-text search, and a row with what they were read from. Called by
// skill-rows.ts alone, over any Sql. Caches the rows without their words.
import type { SkillLine } from "../schemas/api.ts";
import type { SkillName } from "../schemas/ids.ts";
import type { Sql } from "../ports.ts";
import { FIELDS } from "../skills/search/relevance.ts";
import { type BodyWords, wordsKeyOf, wordsOfSkill } from "../skills/search/skill-words.ts";
import { openSkillTables } from "./schema.ts";

/** A skill's row. `id` names its row in `skill_words`. */
export interface SkillRow {
  id: number;
  /** What `wordsKeyOf` returns for the skill. */
  text: string;
  category: string;
  isRead: boolean;
  words: number;
}

export interface SkillTable {
  /** All rows by name. Treat as read-only. */
  rows(): ReadonlyMap<SkillName, SkillRow>;
  /** Replaces the row of the skill. `body`: null when it is still unread. */
  put(line: SkillLine, body: BodyWords | null): void;
  remove(name: SkillName): void;
  /** Runs `work` in one transaction. */
  inTransaction(work: () => void): void;
}

/** `onRollback`: called when a transaction failed, so that others can drop what they cache of it. */
export function createSkillTable({ sql, onRollback }: { sql: Sql; onRollback(): void }): SkillTable {
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

  return { rows: cached, put, remove, inTransaction };
}

function countOf(words: string): number {
  return words === "" ? 0 : words.split(" ").length;
}
