// Stops two bots from answering each other for ever: after so many messages of bots in a chat it is silent to them. Over any Sql,
// synchronous; stored, so that an eviction does not begin the count again. Called by durable-objects/channels for each message of a bot
// that is heard. People pay nothing for it.
import type { Sql } from "../ports.ts";
import type { ChatPlace, PlatformName } from "../schemas/channels/inbound.ts";

export const LOOP_SCHEMA = `CREATE TABLE IF NOT EXISTS channel_loop (platform TEXT, chat TEXT, times TEXT NOT NULL, until INTEGER NOT NULL,
  PRIMARY KEY (platform, chat)) STRICT, WITHOUT ROWID`;

/** hermes-agent: 20 messages in 300 s, then 600 s of silence. */
const MAX_MESSAGES = 20;
const WINDOW_MS = 300_000;
const SILENCE_MS = 600_000;

export type LoopGuard = ReturnType<typeof createLoopGuard>;

/** The table must exist. */
export function createLoopGuard(sql: Sql) {
  return {
    /** Whether the bot's message may be answered. Threads of a chat count together, since a bot can open new ones. */
    admit(platform: PlatformName, chat: Pick<ChatPlace, "id" | "scope">, now: number): boolean {
      const key = JSON.stringify([chat.scope ?? "", chat.id]);
      const row = sql.run<{ times: string; until: number }>(
        "SELECT times, until FROM channel_loop WHERE platform = ? AND chat = ?",
        ...[platform, key],
      )[0];
      if (row && now < row.until) return false;
      const recent = (row ? (JSON.parse(row.times) as number[]) : []).filter((at) => now - WINDOW_MS < at);
      const isLoop = recent.length >= MAX_MESSAGES;
      const [times, until] = isLoop ? [[], now + SILENCE_MS] : [[...recent, now], 0];
      sql.run("INSERT OR REPLACE INTO channel_loop VALUES (?, ?, ?, ?)", platform, key, JSON.stringify(times), until);
      return !isLoop;
    },
    /** Removes what no longer counts. */
    tidy(now: number): void {
      sql.run(
        "DELETE FROM channel_loop WHERE until <= ? AND coalesce(json_extract(times, '$[#-1]'), 0) <= ?",
        ...[now, now - WINDOW_MS],
      );
    },
    forget(platform: PlatformName): void {
      sql.run("DELETE FROM channel_loop WHERE platform = ?", platform);
    },
  };
}
