// The cards of a board as rows, and how many there are of each status and assignee. Used by the operations of core/board/, inside their
// transactions. Synchronous, over any Sql.
import * as z from "zod";
import { parseStored } from "../../errors.ts";
import type { Sql, SqlValue } from "../../ports.ts";
import { Assignee, type Author, BlockKind, Card, CardId, type CardStatus } from "../../schemas/board/card.ts";
import { DAY_MS } from "../../schemas/ids.ts";
import type { CardFilter, CardPage } from "../contract.ts";

/** A card with what only the board itself needs. Version 1 had neither `isOwners` nor `waitsForRole`. */
export const StoredCard = Card.extend({
  /** Nobody but the owner wrote its title, body and skills. */
  isOwners: z.boolean(),
  /** A run could not begin because the profile has no such role. Nothing begins until there is one, or until the card is assigned again. */
  waitsForRole: z.boolean(),
  /** What its present or next run does. `review` only while it is running, blocked or in review. */
  lane: z.enum(["work", "review"]),
  /** In the lane `review`: who did the work. */
  implementer: Assignee.nullable(),
  /** The kind of its last block, until it is completed. */
  lastBlock: BlockKind.nullable(),
  /** When the board does something with it by itself. */
  due: z.int().nullable(),
  /** Made by a worker: the card, not a worker's, from which it descends. */
  origin: CardId.optional(),
  /** How many cards workers have made that descend from it. */
  offspring: z.int().optional(),
});
export type StoredCard = z.infer<typeof StoredCard>;

/** [hermes] Events and runs of an archived card are kept this long. */
const KEEP_ARCHIVED_MS = 30 * DAY_MS;
/** [own] Rows that one page looks through for those that match a filter. */
const WINDOW = 1_000;

export function keyOfAssignee(assignee: Assignee | null): string {
  if (assignee === null) return "";
  return "role" in assignee ? `role:${assignee.role}` : `person:${assignee.person}`;
}
export function fromAssigneeKey(key: string): Assignee | null {
  if (key === "") return null;
  return key.startsWith("role:") ? { role: key.slice(5) } : { person: key.slice(7) };
}

/** What the API shows. */
export function toCard(stored: StoredCard): Card {
  const {
    lane: _lane,
    implementer: _by,
    lastBlock: _last,
    due: _due,
    isOwners: _is,
    waitsForRole: _waits,
    origin: _origin,
    offspring: _offspring,
    ...card
  } = stored;
  return card;
}

/** Whether the fields hold words that a worker reads as those of whoever wrote the card. */
export function touchesText(fields: string[]): boolean {
  return fields.some((field) => field === "title" || field === "body" || field === "skills");
}

export function createCardRows(sql: Sql) {
  const count = (status: CardStatus, assignee: string, by: 1 | -1) => {
    if (by === 1) {
      sql.run("INSERT INTO card_count VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET n = n + 1", ...[status, assignee]);
      return;
    }
    const [left] = sql.run<{ n: number }>(
      "UPDATE card_count SET n = n - 1 WHERE status = ? AND assignee = ? RETURNING n",
      ...[status, assignee],
    );
    if (left?.n === 0) sql.run("DELETE FROM card_count WHERE status = ? AND assignee = ?", status, assignee);
  };
  const parse = (id: CardId, record: string): StoredCard => {
    const raw: unknown = JSON.parse(record);
    return parseStored(StoredCard, `The card ${id}`, isFirstVersion(raw) ? upgrade(sql, raw) : raw);
  };
  return {
    /** Throws `StateNewerError` for a card that a newer version wrote. */
    find(id: CardId): StoredCard | null {
      const [row] = sql.run<{ record: string }>("SELECT record FROM card WHERE id = ?", id);
      return row ? parse(id, row.record) : null;
    },
    findByKey(key: string): StoredCard | null {
      const [row] = sql.run<{ id: CardId; record: string }>("SELECT id, record FROM card WHERE key = ?", key);
      return row ? parse(row.id, row.record) : null;
    },
    exists: (id: CardId): boolean => sql.run("SELECT 1 FROM card WHERE id = ?", id).length > 0,
    add(card: StoredCard, key: string | null): void {
      const columns = columnsOf(card);
      sql.run(
        "INSERT INTO card VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)",
        ...[card.id, columns.status, columns.priority, columns.assignee, columns.label, columns.lane, columns.due],
        ...[key, toRecord(card)],
      );
      count(card.status, columns.assignee, 1);
    },
    /** Writes the columns that changed, so that no other index is touched. */
    save(before: StoredCard, card: StoredCard): void {
      const [old, now] = [columnsOf(before), columnsOf(card)];
      const changed = (Object.keys(now) as (keyof Columns)[]).filter((name) => old[name] !== now[name]);
      const sets: [string, SqlValue][] = changed.map((name) => [name, now[name]]);
      if (card.status === "archived" && before.status !== "archived") {
        sets.push(["key", null], ["archived_at", card.changedAt]);
      }
      sql.run(
        `UPDATE card SET ${[...sets.map(([name]) => `${name} = ?, `)].join("")}record = ? WHERE id = ?`,
        ...sets.map(([, value]) => value),
        ...[toRecord(card), card.id],
      );
      if (old.status === now.status && old.assignee === now.assignee) return;
      count(before.status, old.assignee, -1);
      count(card.status, now.assignee, 1);
    },
    remove(card: StoredCard): void {
      sql.run("DELETE FROM card WHERE id = ?", card.id);
      count(card.status, keyOfAssignee(card.assignee), -1);
    },

    /** See `CardFilter`. With more than one condition it looks through at most a thousand rows. */
    list({ status, assignee, label, before, limit = 50 }: CardFilter): CardPage {
      const key = assignee && keyOfAssignee(assignee);
      const [index, where, value] =
        status !== undefined
          ? ["card_status", "status = ?", status]
          : key !== undefined
            ? ["card_assignee", "status <> 'archived' AND assignee = ?", key]
            : label !== undefined
              ? ["card_label", "status <> 'archived' AND label IS NOT NULL AND label = ?", label]
              : ["card_shown", "status <> 'archived' AND '' = ?", ""];
      const isExact = [status, key, label].filter((condition) => condition !== undefined).length <= 1;
      const rows: ListedRow[] = [];
      let matching: ListedRow[] = [];
      // In parts: often the first ones fill the page.
      const most = isExact ? limit : WINDOW;
      let [part, isLast] = [isExact ? limit : 2 * limit, false];
      while (matching.length <= limit && !isLast && rows.length < most) {
        part = Math.min(part, most - rows.length);
        const more = sql.run<ListedRow>(
          `SELECT n, id, assignee, label FROM card INDEXED BY ${index} WHERE ${where} AND n < ? ORDER BY n DESC LIMIT ?`,
          ...[value, rows.at(-1)?.n ?? before ?? Number.MAX_SAFE_INTEGER, part],
        );
        isLast = more.length < part;
        rows.push(...more);
        part *= 2;
        matching = rows.filter(
          (row) => (key === undefined || row.assignee === key) && (label === undefined || row.label === label),
        );
      }
      const found = matching.slice(0, limit);
      const isWhole = matching.length <= limit && isLast;
      const last = matching.length > limit ? found.at(-1) : rows.at(-1);
      return {
        cards: found.map(({ id }) => {
          const { body: _body, asked: _asked, ...line } = toCard(this.find(id)!);
          return line;
        }),
        next: isWhole ? null : last!.n,
      };
    },
    countAll: (): number => sql.run<{ n: number | null }>("SELECT sum(n) AS n FROM card_count")[0]!.n ?? 0,
    counts: (): { status: CardStatus; assignee: string; n: number }[] =>
      sql.run("SELECT status, assignee, n FROM card_count ORDER BY assignee, status"),
    /** When the oldest card of a status was made. */
    oldest(status: CardStatus): number | null {
      const [row] = sql.run<{ id: CardId; record: string }>(
        "SELECT id, record FROM card INDEXED BY card_status WHERE status = ? ORDER BY n LIMIT 1",
        status,
      );
      return row ? parse(row.id, row.record).createdAt : null;
    },

    /** The first of a lane that may be claimed: the highest priority, then the oldest. */
    first(lanes: Lane[]): CardId | null {
      const heads = lanes.flatMap((lane) =>
        sql.run<{ id: CardId; priority: number; n: number }>(
          `SELECT id, priority, n FROM card INDEXED BY card_lane WHERE lane = ? ORDER BY priority DESC, n LIMIT 1`,
          lane,
        ),
      );
      heads.sort((one, other) => other.priority - one.priority || one.n - other.n);
      return heads[0]?.id ?? null;
    },
    /** Cards that wait for this role to exist. Reads every card that waits for some role. */
    listWaiting(role: string, limit: number): CardId[] {
      const query = "SELECT id FROM card INDEXED BY card_lane WHERE lane = 'no_role' AND assignee = ? LIMIT ?";
      return sql.run<{ id: CardId }>(query, keyOfAssignee({ role }), limit).map(({ id }) => id);
    },
    listDue(now: number, limit: number): CardId[] {
      const query = "SELECT id FROM card INDEXED BY card_due WHERE due <= ? ORDER BY due LIMIT ?";
      return sql.run<{ id: CardId }>(query, now, limit).map(({ id }) => id);
    },
    nextDue: (): number | null =>
      sql.run<{ due: number }>("SELECT due FROM card INDEXED BY card_due WHERE due IS NOT NULL ORDER BY due LIMIT 1")[0]
        ?.due ?? null,

    /** Archived so long ago that events and runs are kept no longer. */
    listStale(now: number, limit: number): CardId[] {
      const query = "SELECT id FROM card INDEXED BY card_archived WHERE archived_at <= ? ORDER BY archived_at LIMIT ?";
      return sql.run<{ id: CardId }>(query, now - KEEP_ARCHIVED_MS, limit).map(({ id }) => id);
    },
    markTidied(id: CardId): void {
      sql.run("UPDATE card SET archived_at = NULL WHERE id = ?", id);
    },
    nextStale(): number | null {
      const [row] = sql.run<{ at: number }>(
        "SELECT archived_at AS at FROM card INDEXED BY card_archived WHERE archived_at IS NOT NULL ORDER BY archived_at LIMIT 1",
      );
      return row ? row.at + KEEP_ARCHIVED_MS : null;
    },
  };
}

/** `nobody`: ready, and not assigned. `no_role`: it waits for its role to exist. */
export type Lane = "work" | "nobody" | "review" | "no_role";

interface ListedRow {
  n: number;
  id: CardId;
  assignee: string;
  label: string | null;
}

/** Throws for what could not be read again: one such card would stop its board's lists. */
function toRecord(card: StoredCard): string {
  return JSON.stringify(StoredCard.parse(card));
}

interface Columns {
  status: CardStatus;
  priority: number;
  assignee: string;
  label: string | null;
  lane: Lane | null;
  due: number | null;
}

function columnsOf(card: StoredCard): Columns {
  const { status, priority, label, due } = card;
  return { status, priority, assignee: keyOfAssignee(card.assignee), label, lane: laneOf(card), due };
}

/** A person is asked and never dispatched. What waits for its time is in no lane. */
function laneOf({ status, assignee, due, waitsForRole }: StoredCard): Lane | null {
  if (waitsForRole) return "no_role";
  if (due !== null || (assignee !== null && "person" in assignee)) return null;
  if (status === "ready") return assignee === null ? "nobody" : "work";
  return status === "review" && assignee !== null ? "review" : null;
}

// ---- version 1 ----

type FirstVersion = Pick<Card, "id" | "author"> & Record<string, unknown>;

function isFirstVersion(raw: unknown): raw is FirstVersion {
  return (raw as { v?: unknown } | null)?.v === 1;
}

/** The card's events said who wrote its text. Once they are removed, nobody can tell. */
function upgrade(sql: Sql, card: FirstVersion): unknown {
  const written = sql.run<{ kind: string; author: string; facts: string }>(
    "SELECT kind, author, facts FROM card_event INDEXED BY card_event_card WHERE card = ? AND kind IN ('created', 'edited')",
    card.id,
  );
  const isOwners =
    card.author.by === "owner" &&
    written.some(({ kind }) => kind === "created") &&
    written.every(({ kind, author, facts }) => {
      const isByOwner = (JSON.parse(author) as Author).by === "owner";
      return kind === "created" || isByOwner || !touchesText((JSON.parse(facts) as { fields: string[] }).fields);
    });
  return { ...card, v: 2, isOwners, waitsForRole: false };
}
