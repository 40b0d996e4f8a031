// What the profile's webhooks are still to be told of cards, in order. A row is written with the change that it tells, and leaves once the
// profile's Account has it. Used by core/board/, inside its transactions, and by core/board/tell.ts. Synchronous, over any Sql.
import type { Sql } from "../../ports.ts";
import type { CardId } from "../../schemas/board/card.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import type { SessionId } from "../../schemas/ids.ts";

/** A stored form. */
export interface News {
  type: "card.waiting" | "card.done";
  at: number;
  /** Whose session brought the card there. */
  session?: SessionId;
  data: JsonObject;
}

export interface NewsRow {
  /** Of the card's event. */
  n: number;
  card: CardId;
  news: News;
}

export type NewsRows = ReturnType<typeof createNewsRows>;

export function createNewsRows(sql: Sql) {
  return {
    add({ n, card, news }: NewsRow): void {
      sql.run("INSERT INTO card_news VALUES (?, ?, ?)", n, card, JSON.stringify(news));
    },
    first(): NewsRow | null {
      const [row] = sql.run<{ n: number; card: CardId; record: string }>("SELECT * FROM card_news ORDER BY n LIMIT 1");
      return row ? { n: row.n, card: row.card, news: JSON.parse(row.record) as News } : null;
    },
    remove(n: number): void {
      sql.run("DELETE FROM card_news WHERE n = ?", n);
    },
    /** There are few rows, but while the Account cannot be reached. */
    removeOf(card: CardId): void {
      sql.run("DELETE FROM card_news WHERE card = ?", card);
    },
  };
}
