// The tables of a board. Made once, before its first card. See docs/STORAGE.md.
import type { Sql } from "../../ports.ts";

/**
 * `card`: `record` is the card (version 2); the other columns are what it is found by. `lane`: set while the dispatch may claim it, or once its
 * role exists. `due`: when the board does something with it by itself. `archived_at`: until its events and runs were removed.
 * `card_run`: `due` is set while the run is open: when its claim expires or its time is over. `dispatched`: 0 for a run that was begun by hand.
 * `card_op`: operations that were carried out, so that a repetition changes nothing.
 */
export const BOARD_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS card (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, priority INTEGER NOT NULL,
    assignee TEXT NOT NULL, label TEXT, lane TEXT, due INTEGER, key TEXT, archived_at INTEGER, record TEXT NOT NULL) STRICT`,
  "CREATE INDEX IF NOT EXISTS card_status ON card (status, n)",
  "CREATE INDEX IF NOT EXISTS card_shown ON card (n) WHERE status <> 'archived'",
  "CREATE INDEX IF NOT EXISTS card_assignee ON card (assignee, n) WHERE status <> 'archived'",
  "CREATE INDEX IF NOT EXISTS card_label ON card (label, n) WHERE status <> 'archived' AND label IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS card_lane ON card (lane, priority DESC, n) WHERE lane IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS card_due ON card (due) WHERE due IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS card_archived ON card (archived_at) WHERE archived_at IS NOT NULL",
  "CREATE UNIQUE INDEX IF NOT EXISTS card_key ON card (key) WHERE key IS NOT NULL",
  `CREATE TABLE IF NOT EXISTS card_count (status TEXT, assignee TEXT, n INTEGER NOT NULL, PRIMARY KEY (status, assignee)) STRICT, WITHOUT ROWID`,
  "CREATE TABLE IF NOT EXISTS card_link (parent TEXT, child TEXT, PRIMARY KEY (parent, child)) STRICT, WITHOUT ROWID",
  "CREATE INDEX IF NOT EXISTS card_link_child ON card_link (child, parent)",
  `CREATE TABLE IF NOT EXISTS card_run (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, card TEXT NOT NULL, lane TEXT NOT NULL,
    dispatched INTEGER NOT NULL, due INTEGER, record TEXT NOT NULL) STRICT`,
  "CREATE INDEX IF NOT EXISTS card_run_card ON card_run (card, n)",
  "CREATE INDEX IF NOT EXISTS card_run_due ON card_run (due) WHERE due IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS card_run_open ON card_run (lane) WHERE due IS NOT NULL AND dispatched = 1",
  `CREATE TABLE IF NOT EXISTS card_event (n INTEGER PRIMARY KEY, card TEXT NOT NULL, run TEXT, kind TEXT NOT NULL, author TEXT NOT NULL,
    at INTEGER NOT NULL, facts TEXT NOT NULL) STRICT`,
  "CREATE INDEX IF NOT EXISTS card_event_card ON card_event (card, n)",
  "CREATE TABLE IF NOT EXISTS card_news (n INTEGER PRIMARY KEY, card TEXT NOT NULL, record TEXT NOT NULL) STRICT",
  `CREATE TABLE IF NOT EXISTS card_comment (n INTEGER PRIMARY KEY, card TEXT NOT NULL, author TEXT NOT NULL, at INTEGER NOT NULL,
    text TEXT NOT NULL) STRICT`,
  "CREATE INDEX IF NOT EXISTS card_comment_card ON card_comment (card, n)",
  `CREATE TABLE IF NOT EXISTS card_attachment (card TEXT, name TEXT, record TEXT NOT NULL, PRIMARY KEY (card, name)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS card_attachment_part (card TEXT, name TEXT, n INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (card, name, n)) STRICT`,
  `CREATE TABLE IF NOT EXISTS card_op (op TEXT PRIMARY KEY, at INTEGER NOT NULL, card TEXT NOT NULL, value TEXT, asked TEXT) STRICT, WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS card_op_at ON card_op (at)",
];

/** For a board that an earlier version made: it had no table `card_news`, and `card_op` no column `asked`. Idempotent. */
export function upgradeBoardTables(sql: Sql): void {
  if (sql.run("SELECT 1 FROM sqlite_master WHERE name = 'card_news'").length > 0) return;
  sql.transaction(() => {
    for (const query of BOARD_SCHEMA) sql.run(query);
    if (sql.run("SELECT 1 FROM pragma_table_info('card_op') WHERE name = 'asked'").length > 0) return;
    sql.run("ALTER TABLE card_op ADD COLUMN asked TEXT");
  });
}
