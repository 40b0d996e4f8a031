// An Account on its way out and in: its tables, page by page, without keys and secrets. Called by the Account, over any Sql.
// Synchronous. An account that holds something is not imported into.
import { type Result, err, ok } from "../core/errors.ts";
import { leaveSetting } from "../core/moving/settings-rows.ts";
import { ACCOUNT_FATES, travellingTables } from "../core/moving/stored.ts";
import { putMovedRow, readTablePage } from "../core/moving/table-pages.ts";
import type { Sql } from "../core/ports.ts";
import type { SessionId } from "../core/schemas/ids.ts";
import type { MovedRow, TablePlace } from "../core/schemas/moving/lines.ts";
import { APPROVAL_SCHEMA } from "./account-approvals.ts";
import { MORE_SESSION_SCHEMA } from "./account-sessions.ts";
import { SETTINGS_SCHEMA } from "./account-settings.ts";
import { SUGGESTION_SCHEMA } from "./account-suggestions.ts";

const TABLES = travellingTables(ACCOUNT_FATES);
/** Tables of which each row belongs to one session, and the column that names it. */
const OF_SESSION: Record<string, string> = {
  session: "id",
  session_kind: "id",
  session_origin: "id",
  session_request: "session",
};
/** What makes a profile not empty. */
const HOLDINGS = ["session", "usage_line", "allowance", "profile_setting"];
const LISTED = 200;

export interface AccountRow {
  table: string;
  row: MovedRow;
}

export function createAccountMoving(sql: Sql) {
  const hasTable = (name: string) =>
    sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).length > 0;
  return {
    /** Ids of sessions after one, oldest first. */
    sessions: (after: string): SessionId[] =>
      sql
        .run<{ id: string }>(`SELECT id FROM session WHERE id > ? ORDER BY id LIMIT ${LISTED}`, after)
        .map(({ id }) => id),

    /** `last`: sessions after it are left out, because the archive has none of their rows. */
    exportPage(asked: { place: TablePlace | null; maxChars: number; last: string; at: number }) {
      const change = (table: string, row: MovedRow) => {
        const column = OF_SESSION[table];
        if (column !== undefined && String(row[column]) > asked.last) return null;
        // Of an experiment, which stays here.
        if (table === "reservation" && row["kind"] === "replay") return null;
        return table === "profile_setting" ? leaveSetting(row, asked.at) : row;
      };
      const { place, maxChars } = asked;
      const { rows, next } = readTablePage(sql, { tables: TABLES, place, maxChars, change });
      return { lines: rows.map(({ table, row }) => JSON.stringify({ in: "account", table, row })), next };
    },

    /** Nothing that an import could change or mix with. Keys do not count. */
    isEmpty: (): boolean =>
      HOLDINGS.every((table) => !hasTable(table) || sql.run(`SELECT 1 FROM ${table} LIMIT 1`).length === 0),

    /** Idempotent. The tables that every account has must exist. Failures: `archive_version`, `archive_invalid`. */
    importPage(rows: AccountRow[]): Result<null> {
      for (const statement of [...APPROVAL_SCHEMA, ...MORE_SESSION_SCHEMA, SETTINGS_SCHEMA, SUGGESTION_SCHEMA])
        sql.run(statement);
      return sql.transaction(() => {
        for (const { table, row } of rows) {
          if (!TABLES.includes(table)) return err("archive_invalid", `An account has no table ${table.slice(0, 40)}.`);
          const put = putMovedRow(sql, table, row);
          if (!put.ok) return put;
        }
        return ok(null);
      });
    },
  };
}
