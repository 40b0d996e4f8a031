// Which turns of which sessions the requests of compatible endpoints became, so that a client that sends its whole history each time goes
// on in one session, and a repeated request joins its first attempt. Used by the Account, over any Sql. Synchronous. Stores hashes of what
// clients send, never the texts. The tables are made with the first row.
import { type Result, err, ok } from "../../core/errors.ts";
import type { Sql } from "../../core/ports.ts";
import type { Learning } from "../../core/schemas/api.ts";
import { DAY_MS, type SessionId, type Sha256 } from "../../core/schemas/ids.ts";

export const CONVERSATION_TABLES = ["door_turn", "door_name"];

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS door_turn (id INTEGER PRIMARY KEY, chain TEXT NOT NULL, request TEXT NOT NULL, body TEXT NOT NULL,
    session TEXT NOT NULL, plan TEXT NOT NULL, at INTEGER NOT NULL) STRICT`,
  "CREATE INDEX IF NOT EXISTS door_turn_chain ON door_turn(chain)",
  "CREATE INDEX IF NOT EXISTS door_turn_request ON door_turn(request)",
  `CREATE TABLE IF NOT EXISTS door_name (name TEXT PRIMARY KEY, session TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
];

/** [own] Requests that a profile is known to have made, and for how long. A request makes one row. */
const MAX_TURNS = 20_000;
const MAX_NAMES = 10_000;
const KEEP_MS = 180 * DAY_MS;
/** Rows that one request removes at most: more than it adds. */
const PRUNED_AT_ONCE = 10;
/** How long a request can be joined. As long as keys of the runs API. */
const JOIN_MS = DAY_MS;
/** Sessions that may have had the same conversation. The newest are compared. */
const MAX_FOUND = 50;

/** How a request becomes a turn. Written before anything else is done, so that a repeated request does the same. */
export interface DoorPlan {
  v: 1;
  /** Idempotency key of the post. */
  key: string;
  session: SessionId;
  /** How many messages of the request the session knows. */
  known: number;
  /** The session begins with this request; with `branch`, as another one was after a turn. */
  isNew: boolean;
  branch?: { session: SessionId; turn: number };
  learning: Learning;
  /** SHA-256 of what the client sent as system messages. */
  guidance: Sha256 | null;
  createdAt: number;
}

export interface DoorTurnRow {
  /** Rises with time. */
  id: number;
  chain: Sha256;
  plan: DoorPlan;
}

export interface BegunRequest {
  /** It repeats another request: the plan of that one holds. */
  isRepeat: boolean;
  /** Names the request: repeated with it, and within a day, the request may join. */
  request: Sha256;
  /** Of all that decides what the request means. */
  body: Sha256;
  /** Of the conversation up to and with the request's own message. */
  chain: Sha256;
  /** SHA-256 of the client's name of the conversation. */
  name: Sha256 | null;
  plan: DoorPlan;
  /** The plan goes on after the turn of this row, which has ended. If another request was faster, it branches there instead. */
  after?: { row: number; turn: number; fork: SessionId } | undefined;
}

/** What is known of a request's conversation, before it is decided what the request becomes. */
export interface FoundConversation {
  /** An earlier attempt's plan. */
  joined: DoorPlan | null;
  /** The session that the client named, by its id or by its conversation. */
  named: { session: SessionId; learning: Learning } | null;
  rows: DoorTurnRow[];
}

export interface ConversationAsked {
  /** Absent: the request does not repeat another one. */
  repeats?: Pick<BegunRequest, "request" | "body"> | undefined;
  session?: SessionId | undefined;
  name: Sha256 | null;
  /** Of the conversation up to each of the client's earlier messages. */
  chains: Sha256[];
}

export function createConversationRows(sql: Sql) {
  const hasTables = () => sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'door_name'").length > 0;
  const toRow = ({ plan, ...row }: Omit<DoorTurnRow, "plan"> & { plan: string }): DoorTurnRow => {
    return { ...row, plan: JSON.parse(plan) as DoorPlan };
  };
  return {
    /** Turns that one of these conversations became, newest first. `session`: of this one only. */
    find(chains: Sha256[], session: SessionId | null, now: number): DoorTurnRow[] {
      if (!hasTables() || chains.length === 0) return [];
      return sql
        .run<{ id: number; chain: string; plan: string }>(
          `SELECT id, chain, plan FROM door_turn WHERE chain IN (SELECT value FROM json_each(?)) AND (? IS NULL OR session = ?)
            AND at > ? AND session IN (SELECT id FROM session) ORDER BY id DESC LIMIT ${MAX_FOUND}`,
          ...[JSON.stringify(chains), session, session, now - KEEP_MS],
        )
        .map(toRow);
    },
    /** Whether another request goes on in the session since the row. */
    hasNewer(id: number, session: SessionId): boolean {
      return sql.run("SELECT 1 FROM door_turn WHERE id > ? AND session = ? LIMIT 1", id, session).length > 0;
    },
    /** The plan that begins the session, or null. */
    first(session: SessionId): DoorPlan | null {
      if (!hasTables()) return null;
      const query = "SELECT plan FROM door_turn WHERE session = ? ORDER BY id LIMIT 1";
      const plans = sql.run<{ plan: string }>(query, session).map(({ plan }) => JSON.parse(plan) as DoorPlan);
      return plans.find(({ isNew }) => isNew) ?? null;
    },
    /** The session of a client's conversation, or null. */
    named(name: Sha256): SessionId | null {
      if (!hasTables()) return null;
      return sql.run<{ session: string }>("SELECT session FROM door_name WHERE name = ?", name)[0]?.session ?? null;
    },
    /** What a repeated request joins, or null. Failure: `idempotency_conflict`. */
    joined({ request, body }: Pick<BegunRequest, "request" | "body">, now: number): Result<DoorPlan | null> {
      if (!hasTables()) return ok(null);
      const query = "SELECT body, plan FROM door_turn WHERE request = ? AND at > ? ORDER BY id DESC LIMIT 1";
      const [row] = sql.run<{ body: string; plan: string }>(query, request, now - JOIN_MS);
      if (!row) return ok(null);
      if (row.body === body) return ok(JSON.parse(row.plan) as DoorPlan);
      return err("idempotency_conflict", "This Idempotency-Key came with another request before. Use a new key.");
    },
    put({ request, body, chain, name, plan }: Omit<BegunRequest, "isRepeat" | "after">, now: number): void {
      for (const statement of SCHEMA) sql.run(statement);
      const columns = "chain, request, body, session, plan, at";
      const values = [chain, request, body, plan.session, JSON.stringify(plan), now];
      sql.run(`INSERT INTO door_turn (${columns}) VALUES (?, ?, ?, ?, ?, ?)`, ...values);
      // Ids rise with time, so the oldest rows are the first.
      sql.run(
        `DELETE FROM door_turn WHERE id IN (SELECT id FROM door_turn ORDER BY id LIMIT ${PRUNED_AT_ONCE})
          AND (at <= ? OR id <= (SELECT max(id) FROM door_turn) - ${MAX_TURNS})`,
        now - KEEP_MS,
      );
      if (name === null) return;
      // A request that died before it listed its session leaves the name free.
      const query = `INSERT INTO door_name VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET session = excluded.session, at = excluded.at
        WHERE session NOT IN (SELECT id FROM session) RETURNING name`;
      const isNew = sql.run(query, name, plan.session, now).length > 0;
      const [{ count } = { count: 0 }] = isNew
        ? sql.run<{ count: number }>("SELECT count(*) AS count FROM door_name")
        : [];
      if (count <= MAX_NAMES) return;
      sql.run(`DELETE FROM door_name WHERE name IN (SELECT name FROM door_name ORDER BY at LIMIT ${PRUNED_AT_ONCE})`);
    },
    /** Removes those that are too old. */
    tidy(now: number): void {
      if (hasTables()) sql.run("DELETE FROM door_turn WHERE at <= ?", now - KEEP_MS);
    },
    forgetSession(session: SessionId): void {
      if (!hasTables()) return;
      sql.run("DELETE FROM door_turn WHERE session = ?", session);
      sql.run("DELETE FROM door_name WHERE session = ?", session);
    },
  };
}
