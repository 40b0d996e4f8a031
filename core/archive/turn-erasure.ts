// Erases turns from an Archive: those of a session, or those whose request holds an erased text. Called by the Archive object when a
// person asks for it. Leaves no row and no word of them, except a tombstone if a request held an erased text: such a turn must not
// be recorded again.
import { contentWords } from "../learning/requests.ts";
import type { Sql } from "../ports.ts";
import type { SessionId, SkillName } from "../schemas/ids.ts";
import { TurnSignature } from "../schemas/learning/learning.ts";
import { TOMBSTONE_ID, dropSkillTables, openTurnTables } from "./schema.ts";

/** Rows in memory at once. */
const PAGE = 500;

export function eraseTurnsOfSession(sql: Sql, session: SessionId): number {
  openTurnTables(sql);
  // Turn ids are `<session>-<n>`, and `.` comes right after `-`.
  const places = sql.run<{ turn: string; id: number }>(
    "SELECT turn, id FROM turn_place WHERE turn >= ? AND turn < ?",
    `${session}-`,
    `${session}.`,
  );
  for (let at = 0; at < places.length; at += PAGE) eraseRows(sql, places.slice(at, at + PAGE));
  if (places.length > 0) compactWords(sql);
  return places.length;
}

/** `isMeant`: whether a turn with this request or kind of work is to be erased. */
export function eraseTurnsWhere(sql: Sql, isMeant: (text: string) => boolean): number {
  openTurnTables(sql);
  let erased = 0;
  let after = 0;
  for (;;) {
    const rows = sql.run<{ id: number; body: string }>(
      `SELECT id, body FROM turn_sign WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
      after,
    );
    if (rows.length === 0) break;
    after = rows.at(-1)!.id;
    const found = rows.flatMap(({ id, body }) => {
      const { turn, request, kind } = TurnSignature.parse(JSON.parse(body));
      return isMeant(request) || (kind && isMeant(kind.text)) ? [{ turn, id }] : [];
    });
    eraseRows(sql, found, true);
    erased += found.length;
  }
  if (erased > 0) compactWords(sql);
  return erased;
}

/** Drops the search tables. They are a copy and are filled again from the remaining skills. */
export function eraseSkillRows(sql: Sql, skill: SkillName): void {
  openTurnTables(sql);
  sql.run("DELETE FROM turn_skill WHERE skill = ?", skill);
  dropSkillTables(sql);
}

/** `withTombstone`: the turns must not be recorded again. */
function eraseRows(sql: Sql, places: { turn: string; id: number }[], withTombstone = false): void {
  sql.transaction(() => {
    for (const { turn, id } of places) {
      const [row] = sql.run<{ body: string; words: string | null }>(
        "SELECT body, words FROM turn_sign WHERE id = ?",
        id,
      );
      const signature = row && TurnSignature.parse(JSON.parse(row.body));
      const words = row?.words ?? [...contentWords(signature?.request ?? "")].join(" ");
      for (const word of contentWords(signature?.kind?.text ?? "")) {
        sql.run("DELETE FROM turn_kind WHERE word = ? AND id = ?", word, id);
      }
      // A contentless FTS5 table needs the words of a row in order to delete it.
      if (words !== "") {
        sql.run("INSERT INTO turn_words(turn_words, rowid, words) VALUES ('delete', ?, ?)", id, words);
      }
      sql.run("DELETE FROM turn_sign WHERE id = ?", id);
      if (withTombstone) sql.run("UPDATE turn_place SET id = ? WHERE turn = ?", TOMBSTONE_ID, turn);
      else sql.run("DELETE FROM turn_place WHERE turn = ?", turn);
      sql.run("DELETE FROM turn_skill WHERE id = ?", id);
    }
  });
}

/** A deleted word stays in the table's pages until they are merged. */
function compactWords(sql: Sql): void {
  sql.run("INSERT INTO turn_words(turn_words) VALUES ('optimize')");
}
