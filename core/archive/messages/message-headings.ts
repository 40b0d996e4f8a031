// The headings of indexed messages: the stems of the speaker, of the session's title and of the day, in this order. A title that changes,
// or that held a purged text, is replaced in every heading of its session. Called by message-archive.ts and message-erasure.ts.
import type { Sql } from "../../ports.ts";
import type { SessionId } from "../../schemas/ids.ts";
import { planMerge } from "./message-merge.ts";
import { toDateWords, toIndexedWords } from "./message-words.ts";

/** Characters of speaker and of title that are indexed, for each message again. */
const MAX_HEADING_CHARS = 300;
/** Rows in memory at once. */
const PAGE = 50;

export function toHeading(speaker: string, title: string, at: number): string {
  return joinWords(toStems(speaker), toStems(title), toDateWords(at));
}

/** `null`: none was put. `""`: it was taken away. */
export function readTitle(sql: Sql, session: SessionId): string | null {
  return sql.run<{ title: string }>("SELECT title FROM message_title WHERE session = ?", session)[0]?.title ?? null;
}

/**
 * Gives all messages of a session a title, or takes it away (`""`). `present`: the session's title. An earlier version stored no titles,
 * and its headings have that one. Call inside a transaction.
 */
export function putTitle(sql: Sql, session: SessionId, title: string, present: string = title): void {
  const known = readTitle(sql, session);
  if (known === title) return;
  const old = toStems(known ?? present);
  let isOldGone = false;
  rewriteHeadings(sql, session, (heading, at) => {
    const date = toDateWords(at);
    const before = withoutEnd(heading, date);
    const speaker = withoutEnd(before, old);
    const next = joinWords(speaker, toStems(title), date);
    isOldGone ||= next !== heading && speaker !== before;
    return next;
  });
  if (isOldGone) planMerge(sql);
  sql.run("INSERT INTO message_title VALUES(?, ?) ON CONFLICT DO UPDATE SET title = excluded.title", session, title);
}

function rewriteHeadings(sql: Sql, session: SessionId, rewrite: (heading: string, at: number) => string): void {
  for (let after = 0; ;) {
    const rows = sql.run<{ id: number; place: number; at: number; words: string; heading: string }>(
      `SELECT id, place, at, words, heading FROM message WHERE session = ? AND place > ? ORDER BY place LIMIT ${PAGE}`,
      ...[session, after],
    );
    for (const { id, at, words, heading } of rows) {
      const next = rewrite(heading, at);
      if (next === heading) continue;
      // An index of external content needs the indexed text of a row in order to delete it.
      sql.run(
        "INSERT INTO message_words(message_words, rowid, words, heading) VALUES('delete', ?, ?, ?)",
        ...[id, words, heading],
      );
      sql.run("UPDATE message SET heading = ? WHERE id = ?", next, id);
      sql.run("INSERT INTO message_words(rowid, words, heading) VALUES(?, ?, ?)", id, words, next);
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.place;
  }
}

function toStems(text: string): string {
  return toIndexedWords(text.slice(0, MAX_HEADING_CHARS));
}

/** Whole words only. */
function withoutEnd(words: string, end: string): string {
  if (words === end) return "";
  return end !== "" && words.endsWith(` ${end}`) ? words.slice(0, -end.length - 1) : words;
}

function joinWords(...parts: string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}
