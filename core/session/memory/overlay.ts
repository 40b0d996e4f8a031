// Rows of the overlay: the session's own recent memory keys, kept until KV lists them or they expire. The memory store reads
// and clears them.
import type { Overlay, Sql } from "../../ports.ts";

export function createOverlay(sql: Sql): Overlay {
  return {
    put(key, value, at) {
      sql.run("INSERT INTO overlay VALUES(?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, value, at);
    },
    list(prefix, since) {
      return sql.run<{ key: string; value: string }>(
        "SELECT key, value FROM overlay WHERE substr(key, 1, ?) = ? AND at >= ? ORDER BY key",
        prefix.length,
        prefix,
        since,
      );
    },
    delete(key) {
      sql.run("DELETE FROM overlay WHERE key = ?", key);
    },
  };
}
