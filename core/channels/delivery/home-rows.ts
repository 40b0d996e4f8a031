// The home chats of a profile: where it is told what no conversation asked for, such as what a job found. One for each platform. Over any
// Sql, synchronous. Called by deliver.ts.
import type { Sql } from "../../ports.ts";
import type { PlatformName } from "../../schemas/channels/inbound.ts";

export const HOME_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS channel_home (platform TEXT PRIMARY KEY, chat TEXT NOT NULL, at INTEGER NOT NULL)
    STRICT, WITHOUT ROWID`,
];

/** The table must exist. */
export function createHomeRows(sql: Sql) {
  return {
    /** `null`: the platform has none. */
    set(platform: PlatformName, chat: string | null, now: number): void {
      if (chat === null) sql.run("DELETE FROM channel_home WHERE platform = ?", platform);
      else sql.run("INSERT OR REPLACE INTO channel_home VALUES (?, ?, ?)", platform, chat, now);
    },
    /** Without a platform: the one that was set last. */
    find(platform: PlatformName | null): string | null {
      const [row] =
        platform === null
          ? sql.run<{ chat: string }>("SELECT chat FROM channel_home ORDER BY at DESC, platform LIMIT 1")
          : sql.run<{ chat: string }>("SELECT chat FROM channel_home WHERE platform = ?", platform);
      return row?.chat ?? null;
    },
    forget(platform: PlatformName): void {
      sql.run("DELETE FROM channel_home WHERE platform = ?", platform);
    },
  };
}
