// The runs of cards: who worked on a card, from when until when, and how it ended. Used by the operations of core/board/, inside their
// transactions. Synchronous, over any Sql.
import type { Sql } from "../../ports.ts";
import { type CardId, CardRun, type RunId } from "../../schemas/board/card.ts";

export type RunRows = ReturnType<typeof createRunRows>;

export function createRunRows(sql: Sql) {
  const read = (rows: { record: string }[]): CardRun[] => rows.map(({ record }) => CardRun.parse(JSON.parse(record)));
  return {
    find: (id: RunId): CardRun | null => read(sql.run("SELECT record FROM card_run WHERE id = ?", id))[0] ?? null,
    /** `due`: when the board must look at it; `null`: it has ended already. */
    add(run: CardRun, { due, dispatched }: { due: number | null; dispatched: boolean }): void {
      sql.run(
        "INSERT INTO card_run VALUES (NULL, ?, ?, ?, ?, ?, ?)",
        ...[run.id, run.card, run.lane, dispatched ? 1 : 0, due, JSON.stringify(run)],
      );
    },
    /** An open run. */
    save(run: CardRun, due: number): void {
      sql.run("UPDATE card_run SET due = ?, record = ? WHERE id = ?", due, JSON.stringify(run), run.id);
    },
    end(run: CardRun): void {
      sql.run("UPDATE card_run SET due = NULL, record = ? WHERE id = ?", JSON.stringify(run), run.id);
    },
    saveRecord(run: CardRun): void {
      sql.run("UPDATE card_run SET record = ? WHERE id = ?", JSON.stringify(run), run.id);
    },
    /** The newest, oldest first. */
    listOf(card: CardId, limit: number): CardRun[] {
      const query = "SELECT record FROM card_run INDEXED BY card_run_card WHERE card = ? ORDER BY n DESC LIMIT ?";
      return read(sql.run(query, card, limit)).reverse();
    },
    /** Open runs that the dispatch began, by lane. */
    countOpen(): { work: number; review: number } {
      const rows = sql.run<{ lane: "work" | "review"; n: number }>(
        `SELECT lane, count(*) AS n FROM card_run INDEXED BY card_run_open WHERE due IS NOT NULL AND dispatched = 1 GROUP BY lane`,
      );
      const of = (lane: string) => rows.find((row) => row.lane === lane)?.n ?? 0;
      return { work: of("work"), review: of("review") };
    },
    listDue(until: number, limit: number): CardRun[] {
      const query = "SELECT record FROM card_run INDEXED BY card_run_due WHERE due <= ? ORDER BY due LIMIT ?";
      return read(sql.run(query, until, limit));
    },
    nextDue: (): number | null =>
      sql.run<{ due: number }>(
        "SELECT due FROM card_run INDEXED BY card_run_due WHERE due IS NOT NULL ORDER BY due LIMIT 1",
      )[0]?.due ?? null,
    removeOf(card: CardId): void {
      sql.run("DELETE FROM card_run WHERE card = ?", card);
    },
  };
}
