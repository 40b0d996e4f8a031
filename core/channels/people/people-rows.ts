// The people who were approved to talk, one row a person and platform. Over any Sql, synchronous. Called by durable-objects/channels. The
// name is for lists only: rights are by id.
import type { Sql } from "../../ports.ts";
import type { PlatformName } from "../../schemas/channels/inbound.ts";
import type { ChannelRole } from "../../schemas/channels/options.ts";

export const PEOPLE_SCHEMA = `CREATE TABLE IF NOT EXISTS channel_person (platform TEXT, id TEXT, name TEXT NOT NULL, role TEXT NOT NULL,
  by TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (platform, id)) STRICT, WITHOUT ROWID`;

/** [own] Of one platform. */
const MAX_PEOPLE = 1_000;

/** `name`: as the person called themselves then; "" if nobody has told. `by`: how they were approved. `at`: since when. */
export interface PersonRow {
  id: string;
  name: string;
  role: ChannelRole;
  by: "pairing" | "owner";
  at: number;
}

export type PeopleRows = ReturnType<typeof createPeopleRows>;

/** The table must exist. */
export function createPeopleRows(sql: Sql) {
  const columns = "id, name, role, by, at";
  const find = (platform: PlatformName, id: string): PersonRow | null =>
    sql.run<Raw>(`SELECT ${columns} FROM channel_person WHERE platform = ? AND id = ?`, platform, id)[0] ?? null;
  return {
    find,
    /** Oldest first. */
    list: (platform: PlatformName): PersonRow[] =>
      sql.run<Raw>(`SELECT ${columns} FROM channel_person WHERE platform = ? ORDER BY at, id`, platform),
    /** False: there are too many. A known person gets the new role and keeps the name if the new one is "". */
    put(platform: PlatformName, { id, name, role, by, at }: PersonRow): boolean {
      const [{ n } = { n: 0 }] = sql.run<{ n: number }>(
        "SELECT count(*) AS n FROM channel_person WHERE platform = ? AND id != ?",
        ...[platform, id],
      );
      if (n >= MAX_PEOPLE) return false;
      sql.run(
        `INSERT INTO channel_person VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET role = excluded.role, by = excluded.by,
          name = iif(excluded.name = '', name, excluded.name)`,
        ...[platform, id, name, role, by, at],
      );
      return true;
    },
    /** False: nobody has the id. */
    remove: (platform: PlatformName, id: string): boolean =>
      sql.run("DELETE FROM channel_person WHERE platform = ? AND id = ? RETURNING id", platform, id).length > 0,
    forget(platform: PlatformName): void {
      sql.run("DELETE FROM channel_person WHERE platform = ?", platform);
    },
  };
}

type Raw = PersonRow & Record<string, string | number>;
