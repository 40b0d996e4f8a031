// Which card waits for which. Used by the operations of core/board/, inside their transactions. Synchronous, over any Sql.
import type { Sql } from "../../ports.ts";
import type { CardId } from "../../schemas/board/card.ts";

/** [own] Of one card, in each direction: what one person or model still oversees. */
export const MAX_LINKS = 100;
/** [own] Cards before a card, at any distance, through which a new link is checked for a cycle. */
export const MAX_BEFORE = 1_000;

export function createLinkRows(sql: Sql) {
  return {
    /** False: it was there. */
    add(parent: CardId, child: CardId): boolean {
      const query = "INSERT INTO card_link VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING child";
      return sql.run(query, parent, child).length > 0;
    },
    /** False: there was none. */
    remove: (parent: CardId, child: CardId): boolean =>
      sql.run("DELETE FROM card_link WHERE parent = ? AND child = ? RETURNING child", parent, child).length > 0,
    parents: (child: CardId): CardId[] =>
      sql
        .run<{ parent: CardId }>("SELECT parent FROM card_link INDEXED BY card_link_child WHERE child = ?", child)
        .map(({ parent }) => parent),
    children: (parent: CardId): CardId[] =>
      sql.run<{ child: CardId }>("SELECT child FROM card_link WHERE parent = ?", parent).map(({ child }) => child),
    /** Parents that are neither done nor archived. */
    openParents: (child: CardId): CardId[] =>
      sql
        .run<{ id: CardId }>(
          `SELECT card.id FROM card_link INDEXED BY card_link_child CROSS JOIN card ON card.id = card_link.parent
            WHERE card_link.child = ? AND card.status NOT IN ('done', 'archived')`,
          child,
        )
        .map(({ id }) => id),
    counts(card: CardId): { parents: number; parentsDone: number; children: number; childrenDone: number } {
      const count = "SELECT count(*) AS n, total(card.status IN ('done', 'archived')) AS done FROM card_link";
      const join = "CROSS JOIN card ON card.id =";
      const [before] = sql.run<{ n: number; done: number }>(
        `${count} INDEXED BY card_link_child ${join} card_link.parent WHERE card_link.child = ?`,
        card,
      );
      const [after] = sql.run<{ n: number; done: number }>(
        `${count} ${join} card_link.child WHERE card_link.parent = ?`,
        card,
      );
      return { parents: before!.n, parentsDone: before!.done, children: after!.n, childrenDone: after!.done };
    },
    /** The card and all that come before it, at most `MAX_BEFORE` + 1. */
    before: (card: CardId): CardId[] =>
      sql
        .run<{ id: CardId }>(
          `WITH RECURSIVE up (id) AS (SELECT ? UNION SELECT card_link.parent FROM up CROSS JOIN card_link INDEXED BY card_link_child
            ON card_link.child = up.id LIMIT ?) SELECT id FROM up`,
          ...[card, MAX_BEFORE + 1],
        )
        .map(({ id }) => id),
  };
}
