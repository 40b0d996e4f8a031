// What a session's Log and jobs cache, so that a warm turn reads no row it wrote, and drop after a failed transaction.
import { expect, it } from "vitest";
import type { Sql } from "../../core/ports.ts";
import type { UserEntry } from "../../core/schemas/entry.ts";
import { createJobs } from "../../core/session/jobs.ts";
import { createLog } from "../../core/session/log.ts";
import { createTables } from "../../core/session/schema.ts";
import { createTestClock } from "../support/clock.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

const entry = (n: number, text = `Text ${n}`): UserEntry => ({
  ...{ v: 1, n, turn: 1, at: n, kind: "user" },
  parts: [{ source: "principal", text }],
});

function setUp() {
  const inner = createNodeSql();
  const read: string[] = [];
  const sql: Sql = {
    ...inner,
    run(query, ...values) {
      if (query.startsWith("SELECT")) read.push(query);
      return inner.run(query, ...values);
    },
  };
  createTables(sql);
  return { sql, read };
}

it("entries just written are returned without a read, and another object reads them as stored", () => {
  const { sql, read } = setUp();
  const log = createLog(sql);
  expect(log.nextEntry()).toBe(1);
  for (const n of [1, 2, 3]) log.put(entry(n));
  log.put(entry(2, "Said again"));
  read.length = 0;
  expect(log.entries(2)).toEqual([entry(2, "Said again"), entry(3)]);
  expect([log.entry(1), log.entries(4), log.entries(1, 1)]).toEqual([entry(1), [], [entry(1)]]);
  expect(read).toEqual([]);
  expect(createLog(sql).entries(1)).toEqual(log.entries(1));
});

it("only the newest entries of a long log are cached; the others are read", () => {
  const { sql, read } = setUp();
  const log = createLog(sql);
  const large = (n: number) => entry(n, "x".repeat(50_000));
  expect(log.nextEntry()).toBe(1);
  for (const n of [1, 2, 3, 4]) log.put(large(n));
  read.length = 0;
  expect(log.entries(3)).toEqual([large(3), large(4)]);
  expect(read).toEqual([]);
  expect([log.entry(1), log.entries(1).length]).toEqual([large(1), 4]);
  expect(read).toHaveLength(2);
});

it("what a rolled-back transaction wrote is dropped from the cache", () => {
  const { sql } = setUp();
  const log = createLog(sql);
  const alarm = { set: () => Promise.resolve() };
  const jobs = createJobs({ sql, alarm, clock: createTestClock(), random: () => 0 });
  log.nextEntry();
  log.put(entry(1));
  jobs.put("drive", 5, { kind: "drive" });
  expect(() =>
    sql.transaction(() => {
      log.put(entry(1, "Never said"));
      log.put(entry(2));
      jobs.delete("drive");
      jobs.put("observe:1", 1, { kind: "observe", turn: 1 });
      throw new Error("no room");
    }),
  ).toThrow("no room");
  log.forget();
  jobs.forget();
  expect([log.nextEntry(), log.entries(1)]).toEqual([2, [entry(1)]]);
  expect(jobs.all()).toEqual([{ id: "drive", due: 5, tries: 0, job: { kind: "drive" } }]);
});

it("jobs are listed in the order they are due, and changing a listed job does not change its row", () => {
  const { sql, read } = setUp();
  const alarm = { set: () => Promise.resolve() };
  const jobs = createJobs({ sql, alarm, clock: createTestClock(), random: () => 0 });
  jobs.put("b", 9, { kind: "title", turn: 1, spent: [] });
  jobs.put("a", 3, { kind: "active", day: "2026-01-05" });
  jobs.put("b", 2, { kind: "title", turn: 1, spent: [] });
  expect(jobs.all().map(({ id }) => id)).toEqual(["b", "a"]);
  const listed = jobs.get("b")!;
  Object.assign(listed.job, { turn: 7 });
  expect(jobs.get("b")!.job).toMatchObject({ turn: 1 });
  jobs.delete("b");
  read.length = 0;
  expect([jobs.get("b"), jobs.isEmpty()]).toEqual([null, false]);
  expect(read).toEqual([]);
});
