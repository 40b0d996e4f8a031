// What goes out to chats: the queue of each chat, and the ledger of what was sent. One row for each delivery; its words leave it when it has
// ended and no button of it is open. Over any Sql, synchronous. Called by the other files of this folder.
import { assertKnownVersion } from "../../errors.ts";
import type { Sql } from "../../ports.ts";
import type { PlatformName } from "../../schemas/channels/inbound.ts";
import { DeliveryError, type DeliveryInfo } from "../../schemas/channels/ledger.ts";
import { DAY_MS, type SessionId } from "../../schemas/ids.ts";
import { Body, type DeliveryRow } from "./delivery-row.ts";
import { ButtonMeaning } from "./meaning.ts";

/**
 * `due` NULL: it waits for the person, or has ended. `flying`: the next message is being sent, or was when the object ended. `question`: the id of
 * the question that it asks.
 */
export const DELIVERY_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS channel_delivery (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, chat TEXT NOT NULL, platform TEXT,
    session TEXT, turn INTEGER, kind TEXT NOT NULL, question TEXT, state TEXT NOT NULL, at INTEGER NOT NULL, fresh INTEGER NOT NULL,
    ended INTEGER, due INTEGER, attempts INTEGER NOT NULL, flying INTEGER NOT NULL, duplicate INTEGER NOT NULL, pieces INTEGER NOT NULL,
    sent INTEGER NOT NULL, error TEXT, body TEXT) STRICT`,
  "CREATE INDEX IF NOT EXISTS channel_delivery_open ON channel_delivery (chat, n) WHERE ended IS NULL",
  "CREATE INDEX IF NOT EXISTS channel_delivery_question ON channel_delivery (question) WHERE question IS NOT NULL",
  "CREATE TABLE IF NOT EXISTS channel_button (token TEXT PRIMARY KEY, delivery INTEGER NOT NULL, means TEXT NOT NULL) STRICT, WITHOUT ROWID",
  "CREATE INDEX IF NOT EXISTS channel_button_delivery ON channel_button (delivery)",
];

/** [own] How long the ledger is kept. */
const KEPT_MS = 30 * DAY_MS;

export type NewDelivery = Pick<DeliveryRow, "id" | "chat" | "platform" | "session" | "turn" | "kind" | "question"> & {
  body: Body;
};

export interface OpenButton {
  means: ButtonMeaning;
  row: DeliveryRow;
}

type RawRow = Omit<DeliveryRow, "flying" | "duplicate" | "error" | "body"> & {
  flying: number;
  duplicate: number;
  pieces: number;
  error: string | null;
  body: string | null;
};

export type DeliveryRows = ReturnType<typeof createDeliveryRows>;

/** The tables must exist. */
export function createDeliveryRows(sql: Sql) {
  const read = (where: string, ...values: (string | number)[]): DeliveryRow[] =>
    sql.run<RawRow>(`SELECT * FROM channel_delivery WHERE ${where}`, ...values).map(toRow);
  const find = (n: number): DeliveryRow | null => read("n = ?", n)[0] ?? null;

  function write(row: DeliveryRow): void {
    sql.run(
      `UPDATE channel_delivery SET state = ?, fresh = ?, ended = ?, due = ?, attempts = ?, flying = ?, duplicate = ?, pieces = ?,
        sent = ?, error = ?, body = ? WHERE n = ?`,
      ...[row.state, row.fresh, row.ended, row.due, row.attempts, Number(row.flying), Number(row.duplicate)],
      ...[countPieces(row), row.sent, row.error && JSON.stringify(row.error), row.body && JSON.stringify(row.body)],
      row.n,
    );
  }

  return {
    find,
    write,
    has: (id: string): boolean => sql.run("SELECT 1 FROM channel_delivery WHERE id = ?", id).length > 0,
    /** The id must be new. */
    add(given: NewDelivery, now: number): DeliveryRow {
      const { id, chat, platform, session, turn, kind, question, body } = given;
      const [row] = sql.run<RawRow>(
        `INSERT INTO channel_delivery (id, chat, platform, session, turn, kind, question, state, at, fresh, due, attempts, flying,
          duplicate, pieces, sent, body) VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, ?, 0, 0, 0, 0, 0, ?) RETURNING *`,
        ...[id, chat, platform, session, turn, kind, question, now, now, now, JSON.stringify(body)],
      );
      return toRow(row!);
    },
    /** The first delivery of each chat that has not ended. */
    heads: (): Pick<DeliveryRow, "n" | "chat" | "due">[] =>
      sql.run(
        `SELECT n, chat, due FROM channel_delivery WHERE n IN
          (SELECT min(n) FROM channel_delivery WHERE ended IS NULL GROUP BY chat) ORDER BY n`,
      ),
    postpone(n: number, due: number): void {
      sql.run("UPDATE channel_delivery SET due = ? WHERE n = ?", due, n);
    },
    /** What an earlier object was sending when it ended may go on at once. */
    wakeFlying(now: number): void {
      sql.run("UPDATE channel_delivery SET due = ? WHERE ended IS NULL AND flying = 1 AND due > ?", now, now);
    },
    /** The chats that wait for the person. */
    heldChats: (): string[] =>
      sql
        .run<{ chat: string }>("SELECT DISTINCT chat FROM channel_delivery WHERE ended IS NULL AND state = 'held'")
        .map(({ chat }) => chat),
    /** The person has written: what waited for that in a chat of `heldChats`, and what waited after it, may be sent. */
    reopen(chat: string, now: number): void {
      sql.run(
        "UPDATE channel_delivery SET state = 'waiting', due = ?, fresh = ? WHERE chat = ? AND ended IS NULL",
        ...[now, now, chat],
      );
    },
    /** The channel was set up again: what waited for that is due. */
    wakePlatform(platform: PlatformName, now: number): void {
      sql.run(
        "UPDATE channel_delivery SET due = ? WHERE platform = ? AND ended IS NULL AND due IS NOT NULL AND flying = 0",
        ...[now, platform],
      );
    },
    ofQuestion: (session: SessionId, chat: string, question: string): DeliveryRow | null =>
      read("question = ? AND session = ? AND chat = ?", question, session, chat)[0] ?? null,
    findId: (id: string): DeliveryRow | null => read("id = ?", id)[0] ?? null,

    putButton(token: string, delivery: number, means: ButtonMeaning): void {
      sql.run("INSERT INTO channel_button VALUES (?, ?, ?)", token, delivery, JSON.stringify(means));
    },
    /** `null`: it was taken away, or never was. */
    button(token: string): OpenButton | null {
      const [found] = sql.run<{ delivery: number; means: string }>(
        "SELECT delivery, means FROM channel_button WHERE token = ?",
        token,
      );
      const row = found ? find(found.delivery) : null;
      return row && { row, means: ButtonMeaning.parse(JSON.parse(found!.means)) };
    },
    dropButtons(delivery: number): void {
      sql.run("DELETE FROM channel_button WHERE delivery = ?", delivery);
    },

    /** Newest first; `before`: a cursor of an earlier page. */
    list({ limit, before }: { limit: number; before?: number | undefined }): { page: DeliveryInfo[]; next?: number } {
      const rows = sql.run<RawRow>(
        "SELECT * FROM channel_delivery WHERE n < ? ORDER BY n DESC LIMIT ?",
        ...[before ?? Number.MAX_SAFE_INTEGER, limit + 1],
      );
      const page = rows.slice(0, limit);
      return { page: page.map(toInfo), ...(rows.length > limit && { next: page.at(-1)!.n }) };
    },

    forgetSession(session: SessionId): void {
      sql.run(
        "DELETE FROM channel_button WHERE delivery IN (SELECT n FROM channel_delivery WHERE session = ?)",
        session,
      );
      sql.run("DELETE FROM channel_delivery WHERE session = ?", session);
    },
    forgetPlatform(platform: PlatformName): void {
      sql.run(
        "DELETE FROM channel_button WHERE delivery IN (SELECT n FROM channel_delivery WHERE platform = ?)",
        platform,
      );
      sql.run("DELETE FROM channel_delivery WHERE platform = ?", platform);
    },
    /** Rows are in the order of their times, so only those that go are read. */
    tidy(now: number): void {
      const [young] = sql.run<{ n: number | null }>(
        "SELECT n FROM channel_delivery WHERE at > ? ORDER BY n LIMIT 1",
        now - KEPT_MS,
      );
      const end = young?.n ?? Number.MAX_SAFE_INTEGER;
      sql.run("DELETE FROM channel_button WHERE delivery < ?", end);
      sql.run("DELETE FROM channel_delivery WHERE n < ?", end);
    },
  };
}

function countPieces({ body, sent }: DeliveryRow): number {
  return body?.pieces?.length ?? sent;
}

function toRow(raw: RawRow): DeliveryRow {
  return {
    ...raw,
    flying: raw.flying === 1,
    duplicate: raw.duplicate === 1,
    error: raw.error === null ? null : DeliveryError.parse(JSON.parse(raw.error)),
    body: raw.body === null ? null : toBody(raw.body),
  };
}

function toBody(text: string): Body {
  const raw: unknown = JSON.parse(text);
  const parsed = Body.safeParse(raw);
  if (parsed.success) return parsed.data;
  assertKnownVersion("A delivery to a chat", raw, parsed.error);
  throw parsed.error;
}

function toInfo(raw: RawRow): DeliveryInfo {
  const { id, chat, platform, kind, state, at, attempts, pieces, sent } = raw;
  return {
    ...{ id, chat, platform },
    ...(raw.session !== null && { session: raw.session }),
    ...(raw.turn !== null && { turn: raw.turn }),
    ...{ kind, state, at, attempts, messages: pieces, sent },
    ...(raw.ended !== null && { endedAt: raw.ended }),
    ...(raw.ended === null && raw.due !== null && { dueAt: raw.due }),
    ...(raw.duplicate === 1 && { duplicate: true as const }),
    ...(raw.error !== null && { error: DeliveryError.parse(JSON.parse(raw.error)) }),
  };
}
