// What is written once and read in order: events and comments; and the operations that were carried out. Used by the operations of core/board/,
// inside their transactions. Synchronous, over any Sql.
import type { Sql } from "../../ports.ts";
import type { Author, CardEvent, CardId } from "../../schemas/board/card.ts";
import type { CardComment } from "../../schemas/board/log.ts";
import { DAY_MS } from "../../schemas/ids.ts";

/** [own] A repetition is known this long; removed within a day. */
const KEEP_OPS_MS = 7 * DAY_MS;
/** Operations of the board itself. No caller's id begins so: those name who called. */
const DELETED = "board:deleted:";

/** `value`: the number of a comment, or the name of a file. */
export interface KnownOp {
  card: CardId;
  asked: string | null;
  value: string | null;
}

export function createLogRows(sql: Sql) {
  const COMMENT = "SELECT n, author, at, text FROM card_comment INDEXED BY card_comment_card";
  return {
    /** Returns the event's number. */
    note({ card, run, kind, author, at, facts }: Omit<CardEvent, "n">): number {
      return sql.run<{ n: number }>(
        "INSERT INTO card_event VALUES (NULL, ?, ?, ?, ?, ?, ?) RETURNING n",
        ...[card, run, kind, JSON.stringify(author), at, JSON.stringify(facts)],
      )[0]!.n;
    },
    events({ after, card, limit = 100 }: { after: number; card?: CardId; limit?: number }): CardEvent[] {
      const rows =
        card === undefined
          ? sql.run<RawEvent>("SELECT * FROM card_event WHERE n > ? ORDER BY n LIMIT ?", after, limit)
          : sql.run<RawEvent>(
              "SELECT * FROM card_event INDEXED BY card_event_card WHERE card = ? AND n > ? ORDER BY n LIMIT ?",
              ...[card, after, limit],
            );
      return rows.map(({ author, facts, ...row }) => ({
        ...row,
        author: JSON.parse(author),
        facts: JSON.parse(facts),
      }));
    },
    lastEvent: (): number => sql.run<{ n: number | null }>("SELECT max(n) AS n FROM card_event")[0]!.n ?? 0,
    /** The board's newest event stays, so that no number is given twice. */
    removeEventsOf(card: CardId): void {
      sql.run("DELETE FROM card_event WHERE card = ? AND n < (SELECT max(n) FROM card_event)", card);
    },

    addComment(card: CardId, { author, at, text }: Omit<CardComment, "n">): number {
      const query = "INSERT INTO card_comment VALUES (NULL, ?, ?, ?, ?) RETURNING n";
      return sql.run<{ n: number }>(query, card, JSON.stringify(author), at, text)[0]!.n;
    },
    findComment: (n: number): CardComment | null =>
      sql.run<RawComment>("SELECT n, author, at, text FROM card_comment WHERE n = ?", n).map(toComment)[0] ?? null,
    countComments: (card: CardId, limit: number): number =>
      sql.run("SELECT 1 FROM card_comment INDEXED BY card_comment_card WHERE card = ? LIMIT ?", card, limit).length,
    /** The newest, oldest first; of the owner's as many, so that nobody else's push them out. */
    newestComments(card: CardId, limit: number): CardComment[] {
      const newest = sql.run<RawComment>(`${COMMENT} WHERE card = ? ORDER BY n DESC LIMIT ?`, card, limit);
      if (newest.length === limit) {
        const room = limit - newest.filter(({ author }) => isOwners(author)).length;
        const older = `${COMMENT} WHERE card = ? AND n < ? AND json_extract(author, '$.by') = 'owner' ORDER BY n DESC LIMIT ?`;
        newest.push(...sql.run<RawComment>(older, card, newest.at(-1)!.n, room));
      }
      return newest.map(toComment).reverse();
    },
    commentsAfter: (card: CardId, after: number, limit: number): CardComment[] =>
      sql.run<RawComment>(`${COMMENT} WHERE card = ? AND n > ? ORDER BY n LIMIT ?`, card, after, limit).map(toComment),
    removeCommentsOf(card: CardId): void {
      sql.run("DELETE FROM card_comment WHERE card = ?", card);
    },

    findOp: (op: string): KnownOp | null =>
      sql.run<KnownOp>("SELECT card, asked, value FROM card_op WHERE op = ?", op)[0] ?? null,
    addOp(op: string, { card, at, asked = null, value = null }: Partial<KnownOp> & { card: CardId; at: number }): void {
      sql.run("INSERT INTO card_op VALUES (?, ?, ?, ?, ?)", op, at, card, value, asked);
    },
    /** As an operation, so that the event which says so goes with those. */
    noteDeletion(card: CardId, at: number): void {
      this.addOp(`${DELETED}${card}`, { card, at });
    },
    removeOps(now: number): void {
      const query = "DELETE FROM card_op WHERE at <= ? RETURNING op, card";
      for (const { op, card } of sql.run<{ op: string; card: CardId }>(query, now - KEEP_OPS_MS)) {
        if (op.startsWith(DELETED)) this.removeEventsOf(card);
      }
    },
    /** A day late, so that an idle board wakes once a day at most. */
    nextOpExpiry(): number | null {
      const [row] = sql.run<{ at: number | null }>("SELECT min(at) AS at FROM card_op");
      return row!.at === null ? null : row!.at + KEEP_OPS_MS + DAY_MS;
    },
  };
}

interface RawEvent extends Omit<CardEvent, "author" | "facts"> {
  author: string;
  facts: string;
}
interface RawComment extends Omit<CardComment, "author"> {
  author: string;
}

function isOwners(author: string): boolean {
  return (JSON.parse(author) as Author).by === "owner";
}

function toComment(row: RawComment): CardComment {
  return { ...row, author: JSON.parse(row.author) as Author };
}
