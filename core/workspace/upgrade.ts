// Creates the tables of a workspace, or brings those of an earlier version into the present form. Earlier versions stored parts
// by path. Called through workspace.ts when a session is created or its tables are upgraded, in one transaction.
import type { Sql } from "../ports.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import { type BlobValue, formatParts, toBytes } from "./contents.ts";
import { WORKSPACE_SCHEMA } from "./file-node.ts";
import { joinPath } from "./workspace-path.ts";

/** Idempotent. Holds one part in memory at a time. */
export function migrateWorkspace(sql: Sql): void {
  const isByPath =
    sql.run("SELECT 1 FROM sqlite_master WHERE name = 'file_part' AND sql LIKE '%(path TEXT%'").length > 0;
  if (isByPath) {
    sql.run("ALTER TABLE file_part RENAME TO file_part_by_path");
    sql.run("ALTER TABLE file_node ADD COLUMN content TEXT");
  }
  for (const statement of WORKSPACE_SCHEMA) sql.run(statement);
  // An earlier version kept a count of bytes.
  sql.run("DROP TABLE IF EXISTS file_usage");
  if (!isByPath) return;
  for (const { parent, name } of sql.run<{ parent: string; name: string }>(
    "SELECT parent, name FROM file_node WHERE kind = 'file'",
  )) {
    const content = moveParts(sql, joinPath(parent, name));
    sql.run("UPDATE file_node SET content = ? WHERE parent = ? AND name = ?", content, parent, name);
  }
  sql.run("DROP TABLE file_part_by_path");
}

function moveParts(sql: Sql, path: string): string {
  const numbers = sql.run<{ i: number }>("SELECT i FROM file_part_by_path WHERE path = ? ORDER BY i", path);
  const parts = numbers.map(({ i }) => {
    const [row] = sql.run<{ data: BlobValue }>("SELECT data FROM file_part_by_path WHERE path = ? AND i = ?", path, i);
    const data = toBytes(row!.data);
    const hash = sha256Hex(data);
    sql.run("INSERT INTO file_part(hash, data) VALUES (?, ?) ON CONFLICT DO NOTHING", hash, data);
    return { hash, size: data.length };
  });
  return formatParts(parts);
}
