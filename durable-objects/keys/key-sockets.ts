// Which sessions and boards a key has WebSockets on, so that its end closes them without waking an object that hibernates before. A row is
// written once at a connect; rows that are due are closed by the Account's alarm, twice: a connect that was under way at the first
// time is caught by the second. Called by the Account.
import { mapLimit } from "../../core/map-limit.ts";
import type { Sql } from "../../core/ports.ts";
import type { BoardName } from "../../core/schemas/board/card.ts";
import type { SessionId } from "../../core/schemas/ids.ts";
import { hasTable } from "../sql.ts";

export const SOCKET_TABLE = "key_socket";
/**
 * `session`: the holder of the socket. `owner`: the secret or the sign-in that opened the socket; the socket has it as its tag. `owner_end`: when that ends, if before
 * its key. `due`: when the sockets are to be closed. `passes`: how often they were closed. `tries`: failures since then.
 */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS key_socket (owner TEXT NOT NULL, session TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL,
    owner_end INTEGER, due INTEGER, passes INTEGER NOT NULL, tries INTEGER NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (owner, session)) STRICT, WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS key_socket_due ON key_socket (due) WHERE due IS NOT NULL",
];

/** [own] Sessions and boards that one owner has sockets on. Above it, the sockets that were opened first are closed. */
const MAX_HOLDERS = 1_000;
/** Rows of one pass: an object may make 1,000 requests in one run [cf], and other work is due as well. */
const MAX_DUE = 200;
const MAX_OPEN_CALLS = 6;
/** After the first pass: a connect that was checked before the end has arrived by then. */
export const SECOND_PASS_MS = 20_000;
const RETRY_MS = 10_000;
const MAX_RETRY_MS = 60 * 60_000;

/** Why sockets are closed: the sentence of the close. */
export const SOCKET_REASONS = {
  revoked: "The key was revoked.",
  expired: "The key or the sign-in has expired.",
  rotated: "The key was rotated: connect again with its new secret.",
  signedOut: "The sign-in has ended.",
  tooMany: "Too many sessions and boards are watched with one key: connect again.",
} as const;
export type SocketReason = keyof typeof SOCKET_REASONS;

/** The session that has the socket, or a board: see `toBoardHolder`. */
export type SocketHolder = SessionId | `board:${BoardName}`;
const OF_BOARD = "board:";

export function toBoardHolder(board: BoardName): SocketHolder {
  return `${OF_BOARD}${board}`;
}
/** `null`: it is a session. */
export function readBoardHolder(holder: SocketHolder): BoardName | null {
  return holder.startsWith(OF_BOARD) ? holder.slice(OF_BOARD.length) : null;
}

export interface NewSocket {
  owner: string;
  key: string;
  session: SocketHolder;
  /** When the owner itself ends; `null`: with its key. */
  ownerEnd: number | null;
  keyEnd: number | null;
}

interface DueSocket {
  owner: string;
  session: SocketHolder;
  reason: SocketReason;
  passes: number;
  tries: number;
}

export type KeySockets = ReturnType<typeof createKeySockets>;

export function createKeySockets(sql: Sql) {
  const hasRows = () => hasTable(sql, SOCKET_TABLE);
  /** An end that was known before and is earlier remains. */
  const makeDue = (column: "key" | "owner", value: string, at: number, reason: SocketReason): void => {
    if (!hasRows()) return;
    sql.run(
      `UPDATE key_socket SET due = min(coalesce(due, ?1), ?1), reason = CASE WHEN due < ?1 THEN reason ELSE ?2 END,
        passes = 0, tries = 0 WHERE ${column} = ?3`,
      ...[at, reason, value],
    );
  };

  /** After the first pass a second one follows, then the row is removed. A failure is tried again, more and more rarely. */
  function settle({ owner, session, passes, tries }: DueSocket, now: number, isClosed: boolean): void {
    // A socket that was opened meanwhile has made the row its own again: then it is no longer due.
    const isDue = "owner = ? AND session = ? AND due <= ?";
    if (isClosed && passes > 0) {
      sql.run(`DELETE FROM key_socket WHERE ${isDue}`, owner, session, now);
      return;
    }
    const wait = isClosed ? SECOND_PASS_MS : Math.min(RETRY_MS * 2 ** Math.min(tries, 20), MAX_RETRY_MS);
    sql.run(
      `UPDATE key_socket SET due = ?, passes = ?, tries = ? WHERE ${isDue}`,
      ...[now + wait, isClosed ? passes + 1 : passes, isClosed ? 0 : tries + 1, owner, session, now],
    );
  }

  return {
    /** Idempotent. Call before the socket is opened, for an owner that is good at this moment. */
    note({ owner, key, session, ownerEnd, keyEnd }: NewSocket, now: number): void {
      sql.transaction(() => {
        for (const statement of SCHEMA) sql.run(statement);
        const ends = [ownerEnd, keyEnd].filter((at) => at !== null);
        const due = ends.length === 0 ? null : Math.min(...ends);
        sql.run(
          "INSERT OR REPLACE INTO key_socket VALUES (?, ?, ?, ?, ?, ?, 0, 0, 'expired')",
          ...[owner, session, key, now, ownerEnd, due],
        );
        sql.run(
          `UPDATE key_socket SET due = ?, reason = 'tooMany' WHERE owner = ? AND session IN
            (SELECT session FROM key_socket WHERE owner = ? ORDER BY at DESC, session LIMIT -1 OFFSET ?)`,
          ...[now, owner, owner, MAX_HOLDERS],
        );
      });
    },
    /** The key has ended: every socket that it or its sign-ins opened is due. */
    endKey: (key: string, at: number, reason: SocketReason): void => makeDue("key", key, at, reason),
    endOwner: (owner: string, at: number, reason: SocketReason): void => {
      makeDue("owner", owner, at, reason);
      if (!hasRows()) return;
      sql.run("UPDATE key_socket SET owner_end = min(coalesce(owner_end, ?1), ?1) WHERE owner = ?2", at, owner);
    },
    /** The key expires at another time than before; `null`: never. */
    moveEnd(key: string, keyEnd: number | null): void {
      if (!hasRows()) return;
      sql.run(
        `UPDATE key_socket SET due = CASE WHEN ?1 IS NULL THEN owner_end ELSE min(?1, coalesce(owner_end, ?1)) END
          WHERE key = ?2 AND passes = 0`,
        ...[keyEnd, key],
      );
    },
    /** The session or the board was deleted. */
    forgetSession(holder: SocketHolder): void {
      if (hasRows()) sql.run("DELETE FROM key_socket WHERE session = ?", holder);
    },
    nextDue(): number | null {
      if (!hasRows()) return null;
      return sql.run<{ at: number | null }>("SELECT min(due) AS at FROM key_socket WHERE due IS NOT NULL")[0]!.at;
    },
    /** `close` closes the sockets of an owner on a session or a board; a throw is retried. Idempotent. */
    async closeDue(
      now: number,
      close: (holder: SocketHolder, owner: string, reason: SocketReason) => Promise<void>,
    ): Promise<void> {
      if (!hasRows()) return;
      const rows = sql.run<DueSocket>(
        "SELECT owner, session, reason, passes, tries FROM key_socket WHERE due <= ? ORDER BY due LIMIT ?",
        ...[now, MAX_DUE],
      );
      await mapLimit(rows, MAX_OPEN_CALLS, async (row) => {
        const isClosed = await close(row.session, row.owner, row.reason).then(
          () => true,
          (error: unknown) => {
            console.error(JSON.stringify({ event: "sockets_not_closed", session: row.session, error: String(error) }));
            return false;
          },
        );
        if (hasRows()) settle(row, now, isClosed);
      });
    },
  };
}
