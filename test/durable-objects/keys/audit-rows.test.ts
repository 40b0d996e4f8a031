// The audit log: its order, its filters, and that neither time nor a flood makes it grow without end.
import { describe, expect, test } from "vitest";
import { MAX_AUDIT_ROWS, createAuditRows } from "../../../durable-objects/keys/audit-rows.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

const DAY = 86_400_000;
const NOW = 1_000 * DAY;
const entry = (act: string, target: string, by = "key_a", isAdmin = false) => ({ by, key: by, act, target, isAdmin });

function open() {
  const sql = createNodeSql();
  const rows = createAuditRows(sql);
  const count = () => sql.run<{ n: number }>("SELECT count(*) AS n FROM audit")[0]!.n;
  return { sql, rows, count };
}

describe("the audit log", () => {
  test("costs no table before the first act", () => {
    const { sql, rows } = open();
    expect(rows.list({ limit: 10 }, NOW)).toEqual([]);
    rows.tidy(NOW);
    expect(sql.run("SELECT 1 FROM sqlite_master")).toEqual([]);
  });

  test("lists the newest first, by cursor, by key with its sign-ins, and by act", () => {
    const { rows } = open();
    rows.add(entry("key_create", "key_b"), NOW);
    rows.add({ ...entry("skill_put", "tides"), by: "sign_1" }, NOW);
    rows.add({ by: "operator", act: "key_create", target: "key_c", isAdmin: true }, NOW + 1);
    const list = (asked: object) => rows.list({ limit: 10, ...asked }, NOW + 1);
    expect(list({})).toEqual([
      { id: 3, at: NOW + 1, by: "operator", act: "key_create", target: "key_c" },
      { id: 2, at: NOW, by: "sign_1", key: "key_a", act: "skill_put", target: "tides" },
      { id: 1, at: NOW, by: "key_a", key: "key_a", act: "key_create", target: "key_b" },
    ]);
    const ids = (asked: object) => list(asked).map(({ id }) => id);
    expect([ids({ key: "key_a" }), ids({ key: "operator" }), ids({ act: "key_create" })]).toEqual([
      [2, 1],
      [3],
      [3, 1],
    ]);
    expect([ids({ limit: 2 }), ids({ limit: 2, before: 2 }), ids({ act: "key_create", key: "key_a" })]).toEqual([
      [3, 2],
      [1],
      [1],
    ]);
  });

  test("shows and keeps nothing that is older than 90 days", () => {
    const { rows, count } = open();
    rows.add(entry("skill_put", "old"), NOW);
    rows.add(entry("skill_put", "new"), NOW + DAY);
    expect(rows.list({ limit: 10 }, NOW + 90 * DAY + 1).map(({ target }) => target)).toEqual(["new"]);
    expect(count()).toBe(2);
    rows.tidy(NOW + 90 * DAY + 1);
    expect(count()).toBe(1);
  });

  test("keeps what admins did although somebody floods it with daily changes", () => {
    const { sql, rows, count } = open();
    rows.add(entry("key_create", "key_b", "key_a", true), NOW);
    sql.run("BEGIN");
    for (let n = 0; n < MAX_AUDIT_ROWS + 250; n++) rows.add(entry("memory_add", `f${n}`), NOW);
    sql.run("COMMIT");
    expect(count()).toBeLessThanOrEqual(MAX_AUDIT_ROWS + 101);
    expect(rows.list({ limit: 10, act: "key_create" }, NOW)).toHaveLength(1);
  });

  test("cuts a target that is too long, and stores no half of a character", () => {
    const { rows } = open();
    rows.add(entry("skill_put", `${"x".repeat(299)}😀`), NOW);
    expect(rows.list({ limit: 1 }, NOW)[0]!.target).toBe(`${"x".repeat(299)}\ufffd`);
  });
});
