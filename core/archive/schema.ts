// The SQL tables of an Archive, one per profile. docs/STORAGE.md describes each, and a test compares the two. Skills and turns have
// separate tables and versions, so that either can change without the other.
import { StateNewerError } from "../errors.ts";
import type { Sql } from "../ports.ts";

/** Raise it when words are counted differently. The tables are then dropped and filled again from the skills. */
const SKILLS_VERSION = 2;
/** Version 1 stored no version and had no `words` in `turn_sign`, so its rows have none. Version 2 had no `turn_kind`. */
const TURNS_VERSION = 3;

const STATE =
  "CREATE TABLE IF NOT EXISTS archive_part(name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID";

/**
 * `id` is the row of `skill_words`. Each text gets a new one, so the highest are the newest. `text` is the `wordsKeyOf` the skill. `read`
 * is 1 when headings and body are stored. The words are stems made by core/skills/search/words.ts; the tokenizer only splits them at
 * blanks. `skill_vector` is filled if a Similarity is bound.
 */
const SKILLS = [
  `CREATE TABLE skill_text(name TEXT PRIMARY KEY, id INTEGER NOT NULL, text TEXT NOT NULL, category TEXT NOT NULL,
    read INTEGER NOT NULL, words INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE VIRTUAL TABLE skill_words USING fts5(skill UNINDEXED, name, description, headings, body, requests,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'")`,
  "CREATE VIRTUAL TABLE skill_terms USING fts5vocab(skill_words, row)",
  "CREATE TABLE skill_vector(name TEXT PRIMARY KEY, key TEXT NOT NULL, vector BLOB NOT NULL) STRICT, WITHOUT ROWID",
];
const SKILL_TABLES = ["skill_vector", "skill_terms", "skill_words", "skill_text"];

/** An `id` in `turn_place` that marks an erased turn, so that a later judge does not record it again. Deleted with its session. */
export const TOMBSTONE_ID = 0;

/**
 * These tables are the only copy, so a later version must migrate them. `id` rises with each newly recorded turn, so the highest are
 * the newest. `words`: the indexed words of the request, because `turn_words` keeps no text; they never change. `turn_kind`: the words
 * of the kind of work, for turns whose kind a model has named.
 */
const TURNS = [
  `CREATE TABLE IF NOT EXISTS turn_sign(id INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL,
    words TEXT) STRICT, WITHOUT ROWID`,
  "CREATE TABLE IF NOT EXISTS turn_place(turn TEXT PRIMARY KEY, id INTEGER NOT NULL) STRICT, WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS turn_skill(skill TEXT, id INTEGER, PRIMARY KEY(skill, id)) STRICT, WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS turn_kind(word TEXT, id INTEGER, PRIMARY KEY(word, id)) STRICT, WITHOUT ROWID",
  `CREATE VIRTUAL TABLE IF NOT EXISTS turn_words USING fts5(words, content = '', tokenize = "unicode61 remove_diacritics 0")`,
];

export function openTurnTables(sql: Sql): void {
  if (isPartCurrent(sql, "turns", TURNS_VERSION)) return;
  const columns = sql.run<{ name: string }>("SELECT name FROM pragma_table_info('turn_sign')").map(({ name }) => name);
  sql.transaction(() => {
    if (columns.length > 0 && !columns.includes("words")) sql.run("ALTER TABLE turn_sign ADD COLUMN words TEXT");
    for (const statement of TURNS) sql.run(statement);
    putPartVersion(sql, "turns", TURNS_VERSION);
  });
}

export function dropSkillTables(sql: Sql): void {
  sql.run(STATE);
  sql.transaction(() => {
    for (const table of SKILL_TABLES) sql.run(`DROP TABLE IF EXISTS ${table}`);
    sql.run("DELETE FROM archive_part WHERE name = 'skills'");
  });
}

export function openSkillTables(sql: Sql): void {
  if (isPartCurrent(sql, "skills", SKILLS_VERSION)) return;
  sql.transaction(() => {
    for (const table of SKILL_TABLES) sql.run(`DROP TABLE IF EXISTS ${table}`);
    for (const statement of SKILLS) sql.run(statement);
    putPartVersion(sql, "skills", SKILLS_VERSION);
  });
}

/** Throws `StateNewerError` if a newer version created the tables. */
export function isPartCurrent(sql: Sql, part: string, known: number): boolean {
  sql.run(STATE);
  const version = sql.run<{ version: number }>("SELECT version FROM archive_part WHERE name = ?", part)[0]?.version;
  if (version !== undefined && version > known) {
    throw new StateNewerError(`The archive of this profile (${part})`, version, known);
  }
  return version === known;
}

export function putPartVersion(sql: Sql, part: string, version: number): void {
  sql.run(
    "INSERT INTO archive_part VALUES(?, ?) ON CONFLICT DO UPDATE SET version = excluded.version",
    ...[part, version],
  );
}
