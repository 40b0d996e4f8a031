// Removes the words of erased messages from the indexes, a bounded number of pages at a time. FTS5 only marks a deleted word; it is gone
// once the pages that hold it are merged. Called by message-archive.ts after an erasure, and by the Archive's alarm until it is done.
import type { Sql } from "../../ports.ts";

const INDEXES = ["message_words", "message_pieces"];

/** To be begun; begun; begun, and to be begun again because of an erasure since. */
const STATES = { due: 1, running: 2, runningAndDue: 3 };

/** Messages were erased, or their headings changed. Call inside that transaction. */
export function planMerge(sql: Sql): void {
  for (const index of INDEXES) {
    sql.run(
      `INSERT INTO message_merge VALUES(?, ${STATES.due})
        ON CONFLICT DO UPDATE SET state = ${STATES.runningAndDue} WHERE state = ${STATES.running}`,
      index,
    );
  }
}

/** Writes about `pages` pages of 4 KB. False: nothing is left to merge, and no erased word is in the indexes. */
export function mergeSome(sql: Sql, pages: number): boolean {
  return sql.transaction(() => {
    const [next] = sql.run<{ name: string; state: number }>(
      "SELECT name, state FROM message_merge ORDER BY name LIMIT 1",
    );
    if (!next) return false;
    const { name, state } = next;
    if (state === STATES.due) {
      // A negative number includes every segment of the index; positive ones continue.
      sql.run(`INSERT INTO ${name}(${name}, rank) VALUES('merge', ?)`, -pages);
      setState(sql, name, STATES.running);
    } else {
      const before = countChanges(sql);
      sql.run(`INSERT INTO ${name}(${name}, rank) VALUES('merge', ?)`, pages);
      // FTS5's documentation: a difference below 2 means that there was nothing to do.
      if (countChanges(sql) - before < 2) {
        if (state === STATES.runningAndDue) setState(sql, name, STATES.due);
        else sql.run("DELETE FROM message_merge WHERE name = ?", name);
      }
    }
    return sql.run("SELECT 1 FROM message_merge LIMIT 1").length > 0;
  });
}

export function isMergeDue(sql: Sql): boolean {
  return sql.run("SELECT 1 FROM message_merge LIMIT 1").length > 0;
}

function setState(sql: Sql, name: string, state: number): void {
  sql.run("UPDATE message_merge SET state = ? WHERE name = ?", state, name);
}

function countChanges(sql: Sql): number {
  return sql.run<{ changes: number }>("SELECT total_changes() AS changes")[0]!.changes;
}
