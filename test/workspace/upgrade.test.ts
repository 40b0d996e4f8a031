// Tables of an earlier version, which stored the parts of files by path, are brought into the present form.
import { expect, test } from "vitest";
import { createWorkspace, migrateWorkspace } from "../../core/workspace/workspace.ts";
import { migrate } from "../../core/session/schema.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { createTestClock } from "../support/clock.ts";

/** The workspace of a session as version 3 of its tables left it. */
function createVersion3() {
  const sql = createNodeSql();
  for (const statement of [
    `CREATE TABLE file_node(parent TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, mode INTEGER NOT NULL,
      mtime INTEGER NOT NULL, size INTEGER NOT NULL, target TEXT, writer TEXT NOT NULL, PRIMARY KEY(parent, name))
      STRICT, WITHOUT ROWID`,
    "CREATE TABLE IF NOT EXISTS file_part(path TEXT NOT NULL, i INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(path, i)) STRICT, WITHOUT ROWID",
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "INSERT INTO meta VALUES('schema', '3')",
  ]) {
    sql.run(statement.replace("IF NOT EXISTS ", ""));
  }
  const node = (...values: (string | number | null)[]) =>
    sql.run("INSERT INTO file_node VALUES(?, ?, ?, ?, ?, ?, ?, ?)", ...values);
  const part = (path: string, i: number, text: string) =>
    sql.run("INSERT INTO file_part VALUES(?, ?, ?)", path, i, new TextEncoder().encode(text));
  node("/", "docs", "folder", 0o700, 1, 0, null, "own");
  node("/docs", "long", "file", 0o600, 2, 8, null, "content");
  node("/docs", "same", "file", 0o644, 3, 4, null, "own");
  node("/", "empty", "file", 0o644, 4, 0, null, "principal");
  node("/", "way", "link", 0o777, 5, 10, "docs/long", "own");
  part("/docs/long", 0, "head");
  part("/docs/long", 3, "tail");
  part("/docs/same", 0, "head");
  return sql;
}

test("a session of version 3 keeps its files byte for byte, and equal parts become one", () => {
  const sql = createVersion3();
  const before = sql.run("SELECT * FROM file_node ORDER BY parent, name");
  migrate(sql);
  const workspace = createWorkspace({ sql, clock: createTestClock(), maxFileBytes: 1_000, maxBytes: 10_000 });
  const read = (path: string) => new TextDecoder().decode(workspace.read(path)!);
  expect([read("docs/long"), read("docs/same"), read("empty"), read("way")]).toEqual([
    "headtail",
    "head",
    "",
    "headtail",
  ]);
  expect(
    sql.run("SELECT parent, name, kind, mode, mtime, size, target, writer FROM file_node ORDER BY parent, name"),
  ).toEqual(before);
  expect(sql.run("SELECT count(*) AS parts FROM file_part")).toEqual([{ parts: 2 }]);
  expect(workspace.remove("docs/long")).toBe(true);
  expect(read("docs/same")).toBe("head");
  migrate(sql);
  migrateWorkspace(sql);
  expect(read("docs/same")).toBe("head");
});

test("an upgrade that crashes anywhere changes nothing and is repeated as a whole", () => {
  for (let cut = 1; cut < 40; cut++) {
    const sql = createVersion3();
    let left = cut;
    const dying = {
      ...sql,
      run: ((query: string, ...values: never[]) => {
        if (!query.startsWith("SELECT") && --left === 0) throw new Error("the power went out");
        return sql.run(query, ...values);
      }) as typeof sql.run,
    };
    let died = false;
    try {
      migrate(dying);
    } catch {
      died = true;
    }
    migrate(sql);
    const workspace = createWorkspace({ sql, clock: createTestClock(), maxFileBytes: 1_000, maxBytes: 10_000 });
    expect(new TextDecoder().decode(workspace.read("docs/long")!)).toBe("headtail");
    if (!died) return;
  }
  throw new Error("the upgrade has more steps than were tried");
});
