// Plain FTS5 for comparison with the product's search in bench:recall: one column, Porter's stemmer, bm25(), any word of the question.
// The column has what the product indexes: the speaker, the day and the text.
import { DatabaseSync } from "node:sqlite";
import type { ArchivedTurn } from "../../core/archive/messages/message-archive.ts";
import { MAX_RANKED, type Search } from "./product-search.ts";

export function openPlainSearch(sessions: Iterable<ArchivedTurn>): Search {
  const database = new DatabaseSync(":memory:");
  database.exec(
    `CREATE VIRTUAL TABLE plain USING fts5(text, session UNINDEXED, n UNINDEXED, tokenize = "porter unicode61")`,
  );
  const insert = database.prepare("INSERT INTO plain VALUES (?, ?, ?)");
  database.exec("BEGIN");
  for (const { session, messages } of sessions) {
    for (const { n, speaker, role, at, text } of messages) {
      const day = new Date(at).toLocaleString("en", { dateStyle: "full", timeZone: "UTC" });
      insert.run(`${speaker ?? role}: ${text} ${day}`, session, n);
    }
  }
  database.exec("COMMIT");
  const select = database.prepare(
    `SELECT session, n FROM plain WHERE plain MATCH ? ORDER BY bm25(plain) LIMIT ${MAX_RANKED}`,
  );
  return (question) => {
    const words = new Set(question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
    if (words.size === 0) return [];
    const match = [...words].map((word) => `"${word}"`).join(" OR ");
    return select.all(match).map(({ session, n }) => ({ session: String(session), n: Number(n) }));
  };
}
