// The SQL tables of the messages in an Archive. docs/STORAGE.md describes each, and a test compares the two.
import type { Sql } from "../../ports.ts";
import { isPartCurrent, putPartVersion } from "../schema.ts";

/** Raise it when the words of messages change (message-words.ts), and build `words`, `heading` and the indexes again from the texts. */
const VERSION = 1;

/**
 * `id` rises with each message, so later ids are newer within a session; none is used again. `n` is the number of its log entry, `place` its position among
 * the session's indexed messages. `words` and `heading` are the text of `message_words`, kept so that a row can be deleted from it.
 * message-words.ts folds them, and the tokenizer `ascii` leaves them so: `unicode61` would fold some letters again, such as a final
 * sigma, and knows no script younger than 2012.
 * `message_pieces` finds substrings, in any script, that have at least three characters. `message_sum`: messages and words in all,
 * and the last id.
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
  "INSERT INTO message_sum VALUES(1, 0, 0, 0)",
];

export function openMessageTables(sql: Sql): void {
  if (isPartCurrent(sql, "messages", VERSION)) return;
  sql.transaction(() => {
    for (const statement of TABLES) sql.run(statement);
    putPartVersion(sql, "messages", VERSION);
  });
}
