// Tables only grow: each version reads and writes what the one before it stored, and the one before reads what this one stored. The record is
// test/fixtures/update/tables.json: `npm run docs` adds what is new to it, and removes nothing. `npm run update -- --check` shows the difference
// to people.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type StoredTables,
  addTables,
  findLosses,
  readRewrites,
  readStoredTables,
} from "../../scripts/docs/stored-tables.ts";

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "../fixtures/update/tables.json"), "utf8"),
) as StoredTables;
const present = readStoredTables();

/**
 * Statements that change what an earlier version stored, each with the reason why that is safe. Those marked "before 0.1.0" upgrade forms that
 * only development versions wrote. A new statement needs a version number by which the older program refuses the rows (`StateNewerError`).
 */
const REWRITES: Record<string, string> = {
  "core/archive/schema.ts: DROP TABLE IF EXISTS ${table}":
    "the index of skills is built again from R2; its version is SKILLS_VERSION",
  "core/goals/goal-rows.ts: ALTER TABLE goal RENAME COLUMN created_at TO came_at": "before 0.1.0",
  "core/jobs/skill-rows.ts: DROP TABLE job_skill": "before 0.1.0",
  "core/jobs/skill-rows.ts: INSERT INTO skill_use SELECT name, 0, 1 FROM job_skill WHERE true ON CONFLICT DO UPDATE SET told = 1":
    "before 0.1.0",
  "core/jobs/skill-rows.ts: INSERT INTO skill_use SELECT value, count(DISTINCT job.name), 0 FROM job, json_each(job.body, '$.skills') GROUP BY value":
    "a new table, counted from rows that stay",
  "core/workspace/upgrade.ts: ALTER TABLE file_part RENAME TO file_part_by_path": "SCHEMA_VERSION 4 of a session",
  "core/workspace/upgrade.ts: DROP TABLE IF EXISTS file_usage": "SCHEMA_VERSION 4 of a session",
  "core/workspace/upgrade.ts: DROP TABLE file_part_by_path": "SCHEMA_VERSION 4 of a session",
  "core/workspace/upgrade.ts: UPDATE file_node SET content = ? WHERE parent = ? AND name = ?":
    "SCHEMA_VERSION 4 of a session",
  "durable-objects/account-erasure.ts: DROP TABLE IF EXISTS ${table}": "a person deleted the profile",
};

describe("the tables of the Durable Objects", () => {
  it("have everything that any version has stored in them", () => {
    expect(findLosses(recorded, present)).toEqual([]);
  });

  it("are all in the record", () => {
    const missing = findLosses(present, recorded);
    expect(missing, "run `npm run docs`").toEqual([]);
  });

  it("are found to have lost what was dropped, renamed or changed", () => {
    const base = { Session: { turn: ["n INTEGER PRIMARY KEY", "PRIMARY KEY (n)"] } };
    const grown = (column: string) => ({
      Session: { turn: ["n INTEGER PRIMARY KEY", column, "PRIMARY KEY (n)"], more: [] },
    });
    expect(findLosses(base, grown("more TEXT"))).toEqual([]);
    expect(findLosses(grown("more TEXT"), base)).toEqual(["Session.turn: more TEXT", "Session.more"]);
    expect(findLosses(grown("old TEXT"), grown("renamed TEXT"))).toEqual(["Session.turn: old TEXT"]);
    expect(findLosses(grown("a TEXT"), grown("a TEXT NOT NULL"))).toEqual(["Session.turn: a TEXT"]);
    // `npm run docs` cannot hide a loss.
    expect(findLosses(addTables(grown("old TEXT"), grown("renamed TEXT")), grown("renamed TEXT"))).not.toEqual([]);
    expect(addTables(base, grown("more TEXT"))).toEqual(grown("more TEXT"));
  });

  it("are rewritten by upgrades only where that is known to be safe", () => {
    expect([...new Set(readRewrites())].sort()).toEqual(Object.keys(REWRITES).sort());
  });
});
