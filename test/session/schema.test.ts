import { expect, it } from "vitest";
import { createLog } from "../../core/session/log.ts";
import { currentCounters, reviewState } from "../../core/session/learning/review-state.ts";
import { createTables, migrate } from "../../core/session/schema.ts";
import { observation } from "../learning/sample.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

const VERSION_1_TURN = `CREATE TABLE turn(n INTEGER PRIMARY KEY, state TEXT NOT NULL, waiting TEXT, input INTEGER, final INTEGER,
  attempts INTEGER NOT NULL, stats TEXT NOT NULL, started_at INTEGER, ended_at INTEGER) STRICT, WITHOUT ROWID`;
const STATS =
  '{"modelCalls":1,"toolCalls":0,"failedCalls":0,"usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0}}';

/** A session as version 2 left it: a judged turn, evidence still to be sent, and its counters. */
function createVersion2() {
  const sql = createVersion1();
  sql.run("ALTER TABLE turn ADD COLUMN more TEXT");
  sql.run("CREATE TABLE job(id TEXT PRIMARY KEY, due INTEGER NOT NULL, tries INTEGER NOT NULL, body TEXT NOT NULL)");
  sql.run("INSERT INTO meta VALUES('schema', '2')");
  const counters = { modelCalls: 7, entries: 9, toolCalls: 3, userTurns: 2 };
  const learning = { v: 1, counters, reviewedTo: 4, lastReviewAt: 5, activeDay: "2026-01-05" };
  sql.run("INSERT INTO meta VALUES('learning', ?)", JSON.stringify(learning));
  return { sql, learning };
}

function createVersion1() {
  const sql = createNodeSql();
  sql.run("CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID");
  sql.run(VERSION_1_TURN);
  sql.run("INSERT INTO turn VALUES(1, 'done', NULL, 1, 2, 1, ?, 5, 6)", STATS);
  return sql;
}

it("turns of a session made by version 1 are read and written by this version", () => {
  const sql = createVersion1();
  migrate(sql);
  const log = createLog(sql);
  const turn = log.turn(1)!;
  expect(turn).toMatchObject({ n: 1, state: "done", final: 2, attempts: 1, more: {} });
  log.putTurn({ ...turn, more: { into: 3 } });
  expect(log.turn(1)!.more).toEqual({ into: 3 });
});

it("a session made by version 2 keeps its turns and counters, and can be observed from then on", () => {
  const { sql, learning } = createVersion2();
  migrate(sql);
  const log = createLog(sql);
  expect(log.turn(1)).toMatchObject({ n: 1, state: "done", more: {} });
  expect(log.observed(1)).toBeNull();
  expect(reviewState(log)).toEqual(learning);
  expect(currentCounters(log)).toEqual({ counters: learning.counters, countedTo: 0 });
  const counters = { ...learning.counters, modelCalls: 8 };
  log.putObserved(1, { observation: observation(), counters });
  log.putTurn(log.turn(1)!);
  expect(log.observed(1)).toEqual({ observation: observation(), counters });
  expect(currentCounters(log)).toEqual({ counters, countedTo: 1 });
});

it("a migration that crashes anywhere is repeated as a whole", () => {
  for (let cut = 1; cut < 20; cut++) {
    const sql = createVersion1();
    let left = cut;
    const dying = {
      run: ((query: string, ...values: never[]) => {
        if (!query.startsWith("SELECT") && --left === 0) throw new Error("the power went out");
        return sql.run(query, ...values);
      }) as typeof sql.run,
      transaction: sql.transaction,
    };
    let died = false;
    try {
      migrate(dying);
    } catch {
      died = true;
    }
    migrate(sql);
    expect(createLog(sql).turn(1)).toMatchObject({ state: "done", more: {} });
    if (!died) return;
  }
  throw new Error("the migration has more steps than were tried");
});

it("a new session needs no migration, and migrating twice changes nothing", () => {
  const sql = createNodeSql();
  createTables(sql);
  const before = sql.run("SELECT * FROM meta");
  migrate(sql);
  expect(sql.run("SELECT * FROM meta")).toEqual(before);
});
