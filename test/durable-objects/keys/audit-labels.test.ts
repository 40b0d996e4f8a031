// Labels of keys in the audit log: noted with the act, so that they outlive the key; a table of an earlier version gets the column.
import { expect, it } from "vitest";
import { createAuditRows } from "../../../durable-objects/keys/audit-rows.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

it("an audit log without labels is read, and gets them with its next act; only acts on that skill are its acts", () => {
  const sql = createNodeSql();
  sql.run(`CREATE TABLE audit (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, by TEXT NOT NULL,
    key TEXT, act TEXT NOT NULL, target TEXT NOT NULL, is_admin INTEGER NOT NULL) STRICT`);
  sql.run("INSERT INTO audit VALUES (1, 5, 'key_a', 'key_a', 'skill_put', 'tides', 0)");
  const audit = createAuditRows(sql);
  expect(audit.ofSkill("tides", 10)).toEqual([{ at: 5, by: "key_a", act: "skill_put" }]);
  const add = (act: string, target: string) =>
    audit.add({ by: "key_b", key: "key_b", act, target, isAdmin: false }, 9, "Dana");
  add("skill_undo", "tides/2");
  add("pending_decide", `${"0".repeat(20)} tides`);
  for (const [act, target] of [
    ["skill_put", "tides-two"],
    ["memory_add", "tides"],
    ["pending_decide", `${"0".repeat(20)} low-tides`],
  ])
    add(act!, target!);
  expect(audit.ofSkill("tides", 10)).toEqual([
    { at: 9, by: "key_b", label: "Dana", act: "pending_decide" },
    { at: 9, by: "key_b", label: "Dana", act: "skill_undo", rev: 2 },
    { at: 5, by: "key_a", act: "skill_put" },
  ]);
  expect(audit.list({ limit: 1 }, 10)).toEqual([
    { id: 6, at: 9, by: "key_b", key: "key_b", act: "pending_decide", target: `${"0".repeat(20)} low-tides` },
  ]);
});
