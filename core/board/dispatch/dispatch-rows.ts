// The runs whose sessions the dispatch has begun, and the next step of each. A row is written before its run is claimed and leaves when its
// session has nothing more to do, so that a crash between two steps repeats the second. Synchronous, over any Sql.
import type { Sql } from "../../ports.ts";
import type { CardId, RunId } from "../../schemas/board/card.ts";
import type { SessionId } from "../../schemas/ids.ts";

export const DISPATCH_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS dispatch(session TEXT PRIMARY KEY, run TEXT, card TEXT, step TEXT NOT NULL, posted INTEGER NOT NULL, heard INTEGER NOT NULL,
    tries INTEGER NOT NULL, due INTEGER, said TEXT) STRICT, WITHOUT ROWID`,
];

/**
 * `begin`: make the session and post the card. `work`: the turn runs. `nudge`: it ended in text; post the reminder. `nudged`: the turn of the
 * reminder runs. `stop`: the run is over; end the session's turn.
 */
export type Step = "begin" | "work" | "nudge" | "nudged" | "stop";

export interface DispatchRow {
  session: SessionId;
  /** `null` only while the run is being claimed. */
  run: RunId | null;
  card: CardId | null;
  step: Step;
  /** The newest turn that the board began, and the newest whose end it has heard; 0: none. */
  posted: number;
  heard: number;
  tries: number;
  /** When the step is carried out. `null`: something else comes first. */
  due: number | null;
  /** What the worker said in place of ending its run. */
  said: string | null;
}

const NEW = { run: null, card: null, step: "begin" as const, posted: 0, heard: 0, tries: 0, said: null };

export type DispatchRows = ReturnType<typeof createDispatchRows>;

export function createDispatchRows(sql: Sql) {
  return {
    find: (session: SessionId): DispatchRow | null =>
      sql.run<DispatchRow>("SELECT * FROM dispatch WHERE session = ?", session)[0] ?? null,
    /** There are at most a few more than runs may be open. */
    all: (): DispatchRow[] => sql.run<DispatchRow>("SELECT * FROM dispatch ORDER BY session"),
    add(session: SessionId, due: number): void {
      put(sql, { ...NEW, session, due });
    },
    /** Of a row that is gone: nothing. */
    change(session: SessionId, change: Partial<Omit<DispatchRow, "session">>): void {
      const row = this.find(session);
      if (row) put(sql, { ...row, ...change });
    },
    remove(session: SessionId): void {
      sql.run("DELETE FROM dispatch WHERE session = ?", session);
    },
  };
}

function put(sql: Sql, row: DispatchRow): void {
  sql.run(
    `INSERT INTO dispatch VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET run = excluded.run, card = excluded.card,
      step = excluded.step, posted = excluded.posted, heard = excluded.heard, tries = excluded.tries, due = excluded.due, said = excluded.said`,
    ...[row.session, row.run, row.card, row.step, row.posted, row.heard, row.tries, row.due, row.said],
  );
}
