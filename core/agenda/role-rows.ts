// The roles of a profile, in its Agenda. The table is made with the first role. Synchronous, over any Sql.
import { parseStored } from "../errors.ts";
import type { Sql } from "../ports.ts";
import { type Role, type RoleName, StoredRole } from "../schemas/agenda/role.ts";

export const ROLE_SCHEMA = [
  "CREATE TABLE IF NOT EXISTS role (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID",
];

export function createRoleRows(sql: Sql) {
  return {
    /** Throws `StateNewerError` for a role that a newer version wrote. */
    find(name: RoleName): Role | null {
      const [row] = sql.run<{ body: string }>("SELECT body FROM role WHERE name = ?", name);
      return row ? parse(name, row.body) : null;
    },
    /** By name. */
    list(): { name: RoleName; role: Role }[] {
      const rows = sql.run<{ name: RoleName; body: string }>("SELECT name, body FROM role ORDER BY name");
      return rows.map(({ name, body }) => ({ name, role: parse(name, body) }));
    },
    put(name: RoleName, role: Role): void {
      const body = JSON.stringify({ v: 1, ...role } satisfies StoredRole);
      sql.run("INSERT INTO role VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body", name, body);
    },
    /** False: there was none. */
    remove(name: RoleName): boolean {
      return sql.run("DELETE FROM role WHERE name = ? RETURNING name", name).length > 0;
    },
  };
}

function parse(name: string, body: string): Role {
  const { v: _version, ...role } = parseStored(StoredRole, `The role ${name}`, JSON.parse(body));
  return role;
}
