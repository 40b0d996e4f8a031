// Words of erased messages leave the pages of the indexes in steps of a bounded size, also while other messages arrive.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createMessageArchive } from "../../../core/archive/messages/message-archive.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { createTempFolders } from "../../support/temp-folders.ts";

const createFolder = createTempFolders();
const PAGES = 20;

function createWorld() {
  const path = join(createFolder(), "archive.sqlite");
  const sql = createNodeSql(path);
  sql.run("PRAGMA secure_delete = ON"); // freed pages are the platform's; this test reads those in use
  sql.run("PRAGMA synchronous = OFF");
  const archive = createMessageArchive(sql);
  const random = createSeededRandom(7);
  let turns = 0;
  const word = () => `w${Math.floor(random() * 3_000).toString(36)}`;
  const fill = (session: string, count: number) => {
    for (let i = 0; i < count; i++) {
      turns += 1;
      const text = Array.from({ length: 60 }, word).join(" ");
      archive.put({ session, turn: turns, messages: [{ n: turns, role: "user", at: turns, text }] });
    }
  };
  const say = (session: string, text: string) => {
    turns += 1;
    archive.put({ session, turn: turns, messages: [{ n: turns, role: "user", at: turns, text }] });
  };
  const has = (trace: string) => readFileSync(path, "latin1").toLowerCase().includes(trace);
  const changes = () => sql.run<{ c: number }>("SELECT total_changes() AS c")[0]!.c;
  /** Returns the most rows that one step wrote: FTS5 stores a page in a row. */
  const mergeAll = (between: () => void = () => {}) => {
    const written: number[] = [];
    for (let more = true; more;) {
      const before = changes();
      more = archive.merge(PAGES);
      written.push(changes() - before);
      between();
      if (written.length > 10_000) throw new Error("a merge without end");
    }
    return { steps: written.length, most: Math.max(...written) };
  };
  const check = () => {
    for (const index of ["message_words", "message_pieces"])
      sql.run(`INSERT INTO ${index}(${index}, rank) VALUES('integrity-check', 1)`);
  };
  return { sql, archive, fill, say, has, mergeAll, check };
}

it("a rare word is in no byte of the file after bounded steps, and every other message is still found", () => {
  const { archive, fill, say, has, mergeAll, check, sql } = createWorld();
  fill("kept", 700);
  say("gone", "The zyxwquark is at Qjvzk street");
  fill("kept", 700);
  expect([has("zyxwquark"), has("qjvzk")]).toEqual([true, true]);
  expect(archive.eraseWhere((text) => text.includes("zyxwquark"))).toMatchObject({ erased: 1 });
  expect(has("zyxwquark")).toBe(true);
  expect(archive.search({ query: "zyxwquark", limit: 5 })).toEqual([]);
  const { steps, most } = mergeAll();
  expect(["zyxwquark", "yxwquark", "qjvzk", "jvz"].filter(has)).toEqual([]);
  expect(steps).toBeGreaterThan(6);
  // FTS5 writes about five rows for a page: the page, its entry in the tree, and those that it replaces.
  expect(most).toBeLessThan(8 * PAGES);
  expect([archive.isMergeDue(), archive.merge(PAGES)]).toEqual([false, false]);
  check();
  sql.close();
});

it("messages that are put and erased between the steps are merged too", () => {
  const { archive, fill, say, has, mergeAll, check, sql } = createWorld();
  fill("kept", 500);
  say("a", "The zyxwquark is here");
  fill("kept", 300);
  archive.eraseSession("a");
  let step = 0;
  mergeAll(() => {
    step += 1;
    if (step < 20) fill("kept", 5);
    if (step === 5) say("b", "The vuqrpzyg is here");
    if (step === 15) archive.eraseSession("b");
  });
  expect([has("zyxwquark"), has("vuqrpzyg")]).toEqual([false, false]);
  expect(archive.isMergeDue()).toBe(false);
  check();
  sql.close();
});

it("a step that was cut off by a crash is done again", () => {
  const { archive, fill, say, has, mergeAll, check, sql } = createWorld();
  fill("kept", 300);
  say("a", "The zyxwquark is here");
  fill("kept", 300);
  archive.eraseSession("a");
  const { run } = sql;
  for (let crash = 1; crash <= 3; crash++) {
    let writes = 0;
    sql.run = (query, ...values) => {
      if (query.includes("message_merge") && !query.startsWith("SELECT") && ++writes === 1) throw new Error("crash");
      return run(query, ...values);
    };
    for (let i = 0; i < crash; i++) {
      try {
        archive.merge(PAGES);
      } catch {
        // the crash
      }
    }
  }
  sql.run = run;
  mergeAll();
  expect(has("zyxwquark")).toBe(false);
  check();
  sql.close();
});
