// A board of a given number of cards, and the operations on it that bench:board measures. Each change is followed by what the Board object does
// after it: it looks when the dispatch is due next. Pure but for what it is given.
import { BOARD_SCHEMA, createBoard } from "../../core/board/board.ts";
import { DISPATCH_SCHEMA, createDispatchRows } from "../../core/board/dispatch/dispatch-rows.ts";
import { createDispatcher } from "../../core/board/dispatch/dispatcher.ts";
import { type Result, err } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { Sql } from "../../core/ports.ts";
import type { World } from "./world.ts";

const START = Date.UTC(2026, 0, 5, 9);
const SESSION = "01ARZ3NDEKTSV4RRFFQ6000000";
const BY_OWNER = { author: { by: "owner" } } as const;
const ROLES = ["coder", "critic", "writer"];
/** Fewer than a hundred cards have of a status, so that each page is full. */
const PAGE = 10;

/** A tenth of the cards is ready, a tenth waits for one of these, the others are in triage, scheduled or done. */
export function createCardWorld(sql: Sql, size: number): World {
  for (const query of [...BOARD_SCHEMA, ...DISPATCH_SCHEMA]) sql.run(query);
  let [now, seed] = [START, 1];
  const clock = { now: () => now, sleep: async () => {} };
  const board = createBoard({
    ...{ sql, clock },
    // Another number each time: ids must differ, and nothing else depends on it.
    random: () => ((seed = (seed * 48_271) % 2_147_483_647) - 1) / 2_147_483_646,
    limits: { ...DEFAULTS.board, maxRunning: 50 },
  });
  const nothing = async () => err("bench", "No session begins here.");
  const dispatcher = createDispatcher({
    ...{ board, rows: createDispatchRows(sql), clock, newSession: () => SESSION },
    workers: { begin: nothing, remind: nothing, stop: async () => {}, look: async () => "open" },
    takePlaces: async () => 50,
    changed: () => {},
    report: () => {},
  });
  function value<T>(result: Result<T>): T {
    if (!result.ok) throw new Error(result.failure.message);
    return result.value;
  }
  /** As `Board.#follow`. */
  function changed<T>(result: Result<T>): T {
    dispatcher.noteCall();
    dispatcher.nextDue();
    return value(result);
  }
  const form = (n: number, more: object) => ({ title: `card ${n}`, assignee: { role: ROLES[n % 3]! }, ...more });
  const make = (n: number, more: object = {}) => value(board.create(BY_OWNER, form(n, more))).card.id;

  let lastReady = "";
  for (let n = 0; n < size; n++) {
    const place = n % 10;
    if (place === 0) lastReady = make(n, { label: "bench" });
    else if (place === 1) make(n, { parents: [lastReady] });
    else if (place === 2) make(n, { notBefore: START + 1e10 + n });
    else if (place < 6) make(n, { triage: true });
    else value(board.complete(BY_OWNER, make(n), { summary: "done" }));
  }
  now += 1_000;

  const cards: string[] = [];
  const children: string[] = [];
  const runs: string[] = [];
  const create = (n: number, more: object) => changed(board.create(BY_OWNER, form(n, more))).card.id;
  const worker = (n: number) => ({ author: { by: "agent", session: SESSION, run: runs[n]! } }) as const;
  return {
    ops: [
      { op: "create", work: (n) => cards.push(create(n, { priority: 100 })) },
      { op: "create with a parent", work: (n) => children.push(create(n, { parents: [cards[n]!] })) },
      { op: "next due", work: () => dispatcher.nextDue() },
      { op: "claim", work: () => runs.push(board.claimNext(SESSION)!.run.id) },
      { op: "heartbeat", work: (n) => changed(board.heartbeat(worker(n), cards[n]!)) },
      { op: "comment", work: (n) => changed(board.comment(worker(n), cards[n]!, "half of it")) },
      {
        op: "complete with a child",
        work: (n) => changed(board.complete(worker(n), cards[n]!, { summary: "done", children: [children[n]!] })),
      },
      { op: "first page", work: () => board.list({ limit: PAGE }) },
      { op: "first page of a status", work: () => board.list({ status: "done", limit: PAGE }) },
      { op: "first page of a role", work: () => board.list({ assignee: { role: "coder" }, limit: PAGE }) },
      {
        op: "first page of a status and a role",
        work: () => board.list({ status: "done", assignee: { role: "coder" }, limit: PAGE }),
      },
      { op: "show", work: (n) => value(board.show(cards[n]!)) },
      { op: "stats", work: () => board.stats() },
    ],
  };
}
