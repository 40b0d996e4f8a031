// Going back to the state of before an update must lose nothing and do nothing twice: whatever was done since is found, and a start is not.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { findChange } from "../../scripts/update/compare-states.ts";
import { createFastFolders } from "../support/update/small-checkout.ts";

const newFolder = createFastFolders();
const FILES = {
  "do/talaria-api-Session": `CREATE TABLE meta(key TEXT, value TEXT); CREATE TABLE turn(n INTEGER PRIMARY KEY, state TEXT);
    INSERT INTO meta VALUES('schema', '4'), ('session', 's'); INSERT INTO turn VALUES(1, 'running')`,
  "do/talaria-api-Account": `CREATE TABLE audit(n INTEGER, act TEXT); CREATE TABLE sign_in_code(code TEXT);
    CREATE TABLE account_state(one INTEGER, version INTEGER); INSERT INTO account_state VALUES(1, 7)`,
  "r2/miniflare-R2BucketObject":
    "CREATE TABLE _mf_objects(key TEXT, blob TEXT); INSERT INTO _mf_objects VALUES('cron', 'a')",
};
const then = newFolder();
for (const [place, sql] of Object.entries(FILES)) run(then, place, sql);

function run(state: string, place: string, sql: string, file = "one.sqlite"): void {
  const folder = join(state, "data/v3", place);
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, file));
  database.exec(sql);
  database.close();
}

it.each([
  [
    "a start",
    "do/talaria-api-Account",
    "INSERT INTO sign_in_code VALUES('x'); INSERT INTO audit VALUES(1, 'sign_in')",
    null,
  ],
  ["the hourly trigger", "r2/miniflare-R2BucketObject", "UPDATE _mf_objects SET blob = 'b'", null],
  ["a column of an upgrade", "do/talaria-api-Session", "ALTER TABLE turn ADD COLUMN more TEXT", null],
  ["a table of an upgrade", "do/talaria-api-Session", "CREATE TABLE job(id TEXT)", null],
  ["the mark of an upgrade", "do/talaria-api-Session", "UPDATE meta SET value = '5' WHERE key = 'schema'", null],
  ["a turn that went on", "do/talaria-api-Session", "UPDATE turn SET state = 'done'", "talaria-api-Session.turn"],
  ["a purged turn", "do/talaria-api-Session", "DELETE FROM turn", "talaria-api-Session.turn"],
  ["a new key", "do/talaria-api-Account", "INSERT INTO audit VALUES(1, 'key_create')", "talaria-api-Account.audit"],
  [
    "a row of a new table",
    "do/talaria-api-Account",
    "CREATE TABLE t(n); INSERT INTO t VALUES(1)",
    "talaria-api-Account.t",
  ],
  [
    "a skill",
    "r2/miniflare-R2BucketObject",
    "INSERT INTO _mf_objects VALUES('skill', 's')",
    "miniflare-R2BucketObject._mf_objects",
  ],
])("%s", (_, place, sql, change) => {
  const now = newFolder();
  cpSync(then, now, { recursive: true });
  run(now, place, sql);
  expect(findChange(now, then)).toBe(change);
});

it("a new session", () => {
  const now = newFolder();
  cpSync(then, now, { recursive: true });
  run(now, "do/talaria-api-Session", FILES["do/talaria-api-Session"], "two.sqlite");
  expect(findChange(now, then)).toBe("talaria-api-Session.meta");
});
