// The list of a profile's sessions: kinds, trees, and an account that knows no kinds yet.
import { describe, expect, it } from "vitest";
import type { SessionInfo } from "../../core/schemas/api.ts";
import { SESSION_SCHEMA, createSessionRows } from "../../durable-objects/account-sessions.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

const id = (end: string) => `01J0000000000000000000000${end}`;
const chat = (end: string): SessionInfo => ({ session: id(end), title: end, learning: "on", createdAt: 1 });
const child = (end: string, parent: string): SessionInfo => ({
  ...chat(end),
  kind: "delegated",
  parent: id(parent),
});

function openRows(schema = SESSION_SCHEMA) {
  const sql = createNodeSql();
  for (const statement of schema) sql.run(statement);
  return { sql, rows: createSessionRows(sql) };
}

describe("the list of a profile's sessions", () => {
  const { rows, sql } = openRows();
  for (const info of [chat("A"), chat("B"), child("C", "A"), child("D", "C"), child("E", "B"), child("C", "A")]) {
    rows.add(info);
  }

  it("shows chats, one kind, or all, newest first", () => {
    expect(rows.list({ limit: 9, kind: "chat" })).toEqual([chat("B"), chat("A")]);
    expect(rows.list({ limit: 2, kind: "delegated" })).toEqual([child("E", "B"), child("D", "C")]);
    expect(rows.list({ limit: 9, kind: "delegated", after: id("D") })).toEqual([child("C", "A")]);
    expect(rows.list({ limit: 9, kind: "all" }).map(({ title }) => title)).toEqual(["E", "D", "C", "B", "A"]);
    expect(rows.find([id("A"), id("D")])).toEqual([chat("A"), child("D", "C")]);
  });

  it("writes no row of its kind for a chat", () => {
    expect(sql.run<{ id: string }>("SELECT id FROM session_kind ORDER BY id").map((row) => row.id)).toEqual([
      id("C"),
      id("D"),
      id("E"),
    ]);
  });

  it("knows the whole tree that a session began, and forgets what is removed", () => {
    expect(rows.descendants(id("A")).toSorted()).toEqual([id("C"), id("D")]);
    expect(rows.descendants(id("D"))).toEqual([]);
    expect([rows.remove(id("C")), rows.remove(id("C"))]).toEqual([true, false]);
    expect(rows.find([id("C")])).toEqual([]);
    expect(rows.descendants(id("A"))).toEqual([]);
  });

  it("of an account from before kinds existed has chats only", () => {
    const old = openRows(SESSION_SCHEMA.slice(0, 1));
    old.rows.add(chat("A"));
    expect(old.rows.list({ limit: 9, kind: "chat" })).toEqual([chat("A")]);
    expect(old.rows.list({ limit: 9, kind: "delegated" })).toEqual([]);
    expect(old.rows.descendants(id("A"))).toEqual([]);
    expect(old.rows.remove(id("A"))).toBe(true);
  });

  it("knows which session a request began, until the session is removed, and makes no table before", () => {
    const { rows: fresh, sql: other } = openRows();
    const [key, another] = ["a".repeat(64), "b".repeat(64)];
    fresh.add(chat("A"));
    expect([fresh.begunBy(key), fresh.remove(id("B"))]).toEqual([null, false]);
    expect(other.run("SELECT 1 FROM sqlite_master WHERE name = 'session_request'")).toEqual([]);
    fresh.putRequest(key, id("A"));
    expect([fresh.begunBy(key), fresh.begunBy(another)]).toEqual([id("A"), null]);
    fresh.remove(id("A"));
    expect(fresh.begunBy(key)).toBe(null);
  });
});
