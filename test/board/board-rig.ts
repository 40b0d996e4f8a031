// A board over node:sqlite with a clock that the test moves, and cards in any status. Used by the tests of core/board/ and by bench:board.
import { type Board, BOARD_SCHEMA, createBoard } from "../../core/board/board.ts";
import type { Result } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { Sql } from "../../core/ports.ts";
import type { Author, CardId, CardStatus } from "../../core/schemas/board/card.ts";
import type { BoardSettings } from "../../core/schemas/board/settings.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

export const OWNER: Author = { by: "owner" };
export const SESSION = "01JZ0000000000000000000000";
export const AGENT = { by: "agent", session: SESSION } as const satisfies Author;
export const BY_OWNER = { author: OWNER };
export const BY_AGENT = { author: AGENT };
export const START = 1_800_000_000_000;

export interface Rig {
  board: Board;
  sql: Sql;
  clock: { at: number; now(): number };
  limits: BoardSettings;
}

export function createRig({
  sql = createNodeSql(),
  seed = 1,
  ...limits
}: Partial<BoardSettings> & { sql?: Sql; seed?: number } = {}): Rig {
  for (const query of BOARD_SCHEMA) sql.run(query);
  const clock = { at: START, now: () => clock.at };
  const all = { ...DEFAULTS.board, ...limits };
  return { board: createBoard({ sql, clock, random: createSeededRandom(seed), limits: all }), sql, clock, limits: all };
}

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
  return result.value;
}

/** The worker of the card's open run. */
export function workerOf({ board }: Rig, id: CardId): { author: Author } {
  return { author: { by: "agent", session: SESSION, run: value(board.show(id)).card.run! } };
}

/** Makes a card in this status; `lane`: its run, block or wait is a review's. */
export function makeCard(
  rig: Rig,
  status: CardStatus,
  { lane = "work", title = "a card" }: { lane?: "work" | "review"; title?: string } = {},
): CardId {
  const { board } = rig;
  const make = (more: object = {}) =>
    value(board.create(BY_OWNER, { title, assignee: { role: "coder" }, ...more })).card.id;
  if (lane === "review") {
    const id = make();
    value(board.requestReview(BY_OWNER, id, { summary: "look", reviewer: { role: "reviewer" } }));
    if (status === "review") return id;
    value(board.start(BY_AGENT, id));
    if (status === "running") return id;
    value(board.block(workerOf(rig, id), id, { kind: "needs_input", reason: "which one?" }));
    return id;
  }
  switch (status) {
    case "triage":
      return make({ triage: true });
    case "todo":
      return make({ parents: [make()] });
    case "scheduled":
      return make({ notBefore: rig.clock.at + 60_000 });
    case "ready":
      return make();
    case "running":
      return value(board.start(BY_AGENT, make())).card.id;
    case "blocked":
      return make({ block: { kind: "needs_input", reason: "which one?" } });
    case "review":
      return value(board.requestReview(BY_OWNER, make(), { summary: "look", reviewer: { role: "reviewer" } })).card.id;
    case "done":
      return value(board.complete(BY_OWNER, make(), { summary: "did it" })).card.id;
    case "archived":
      return value(board.archive(BY_OWNER, make())).card.id;
  }
}
