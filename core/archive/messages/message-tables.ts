// The SQL tables of the messages in an Archive. docs/STORAGE.md describes each, and a test compares the two.
import type { Sql } from "../../ports.ts";
import { isPartCurrent, putPartVersion } from "../schema.ts";
import { yearOf } from "./years.ts";

/**
 * Raise it when the words of messages change (message-words.ts), and build `words`, `heading` and the indexes again from the texts.
 * Version 1 had one part, no titles, no purges and no tombstones of sessions.
 */
const VERSION = 2;

/**
 * `id` rises with each message, so later ids are newer within a session; none is used again. `n` is the number of its log entry, `place` its position among
 * the session's indexed messages. `words` and `heading` are the text of `message_words`, kept so that a row can be deleted from it.
 * message-words.ts folds them, and the tokenizer `ascii` leaves them so: `unicode61` would fold some letters again, such as a final
 * sigma, and knows no script younger than 2012.
 * `message_pieces` finds substrings, in any script, that have at least three characters. `message_turn` has the turn -1 of an erased
 * session. `message_sum`: messages and words in all, and the last id.
 */
const TABLES = [
  `CREATE TABLE message(id INTEGER PRIMARY KEY, session TEXT NOT NULL, place INTEGER NOT NULL, turn INTEGER NOT NULL, n INTEGER NOT NULL,
    role TEXT NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL, words TEXT NOT NULL, heading TEXT NOT NULL) STRICT`,
  "CREATE UNIQUE INDEX message_place ON message(session, place)",
  `CREATE VIRTUAL TABLE message_words USING fts5(words, heading, content = 'message', content_rowid = 'id',
    tokenize = "ascii")`,
  "CREATE VIRTUAL TABLE message_terms USING fts5vocab(message_words, row)",
  `CREATE VIRTUAL TABLE message_pieces USING fts5(text, content = 'message', content_rowid = 'id', detail = none,
    tokenize = "trigram")`,
  "CREATE TABLE message_turn(session TEXT, turn INTEGER, PRIMARY KEY(session, turn)) STRICT, WITHOUT ROWID",
  "CREATE TABLE message_sum(id INTEGER PRIMARY KEY, messages INTEGER NOT NULL, words INTEGER NOT NULL, last INTEGER NOT NULL) STRICT",
];

/**
 * `message_year`, in the first part only: the years that have a part; the earliest is its own. `message_purge`: texts that a person
 * purged, as hashes. `message_merge`: indexes that still have words of erased messages.
 */
const SINCE_2 = [
  "CREATE TABLE message_title(session TEXT PRIMARY KEY, title TEXT NOT NULL) STRICT, WITHOUT ROWID",
  "CREATE TABLE message_year(year INTEGER PRIMARY KEY) STRICT",
  "CREATE TABLE message_purge(id INTEGER PRIMARY KEY, subject TEXT NOT NULL, at INTEGER NOT NULL, pieces TEXT NOT NULL) STRICT",
  "CREATE TABLE message_merge(name TEXT PRIMARY KEY, state INTEGER NOT NULL) STRICT, WITHOUT ROWID",
];

/** Messages that are read to learn the year of the newest. */
const NEWEST = 1_000;

/** `firstId`: ids of this part are above it. */
export function openMessageTables(sql: Sql, firstId: number): void {
  if (isPartCurrent(sql, "messages", VERSION)) return;
  sql.transaction(() => {
    const isNew = sql.run("SELECT 1 FROM archive_part WHERE name = 'messages'").length === 0;
    if (isNew) {
      for (const statement of TABLES) sql.run(statement);
      sql.run("INSERT INTO message_sum VALUES(1, 0, 0, ?)", firstId);
    }
    for (const statement of SINCE_2) sql.run(statement);
    const newest = sql.run<{ at: number }>(`SELECT at FROM message ORDER BY id DESC LIMIT ${NEWEST}`);
    // An archive of version 1 becomes the first part, up to the year of its newest message.
    if (newest.length > 0) {
      sql.run("INSERT INTO message_year VALUES(?)", Math.max(...newest.map(({ at }) => yearOf(at))));
    }
    putPartVersion(sql, "messages", VERSION);
  });
}
