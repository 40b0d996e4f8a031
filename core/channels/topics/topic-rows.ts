// Topics: several sessions in one chat, one row a topic. `base` is the session key of the chat without a topic. Over any Sql, synchronous.
// Called by durable-objects/channels before it keys a session, and by the command /topic.
import type { Sql } from "../../ports.ts";
import { type MovedPlace, moveKey } from "../session-key.ts";

export const TOPIC_SCHEMA = `CREATE TABLE IF NOT EXISTS channel_topic (base TEXT, n INTEGER, platform TEXT NOT NULL, name TEXT NOT NULL,
  thread TEXT, current INTEGER NOT NULL, PRIMARY KEY (base, n)) STRICT, WITHOUT ROWID`;

/** [own] Of one chat. */
export const MAX_TOPICS = 50;

/** `thread`: the platform's thread that the topic is. `null`: the topic is a name, and the chat is in one of those at a time. */
export interface Topic {
  n: number;
  name: string;
  thread: string | null;
  current: boolean;
}

export type TopicRows = ReturnType<typeof createTopicRows>;

/** The key without a topic, of a key that may have one. */
export function toBaseKey(key: string): string {
  return key.replace(/:topic=\d+$/, "");
}

/** The table must exist. */
export function createTopicRows(sql: Sql) {
  return {
    /** Oldest first. */
    list: (base: string): Topic[] =>
      sql
        .run<Omit<Topic, "current"> & { current: number }>(
          "SELECT n, name, thread, current FROM channel_topic WHERE base = ? ORDER BY n",
          base,
        )
        .map((row) => ({ ...row, current: row.current === 1 })),
    /** The named topic that the chat is in. */
    current: (base: string): number | undefined =>
      sql.run<{ n: number }>("SELECT n FROM channel_topic WHERE base = ? AND current = 1", base)[0]?.n,
    /** Returns its number, made of the time: a number is never used again, since its session may still be there. */
    add(base: string, { name, thread }: Pick<Topic, "name" | "thread">, now: number): number {
      const last = sql.run<{ n: number | null }>("SELECT max(n) AS n FROM channel_topic WHERE base = ?", base)[0]?.n;
      const n = Math.max(now, (last ?? 0) + 1);
      const platform = base.slice(0, base.indexOf(":"));
      sql.run("INSERT INTO channel_topic VALUES (?, ?, ?, ?, ?, 0)", base, n, platform, name, thread!);
      return n;
    },
    /** `null`: the chat itself. */
    enter(base: string, n: number | null): void {
      sql.run("UPDATE channel_topic SET current = (n = ?) WHERE base = ?", n ?? 0, base);
    },
    rename(base: string, n: number, name: string): void {
      sql.run("UPDATE channel_topic SET name = ? WHERE base = ? AND n = ?", name, base, n);
    },
    /** The chat has no topics any more. Their sessions stay. Returns how many there were. */
    off: (base: string): number => sql.run("DELETE FROM channel_topic WHERE base = ? RETURNING n", base).length,
    /** The chat has another id on its platform. Topics that were begun under the new one stay as well. */
    move(platform: string, moved: MovedPlace): void {
      const bases = sql.run<{ base: string }>("SELECT DISTINCT base FROM channel_topic WHERE platform = ?", platform);
      for (const { base } of bases) {
        const to = moveKey(base, moved);
        if (to !== null) sql.run("UPDATE OR IGNORE channel_topic SET base = ? WHERE base = ?", to, base);
      }
    },
    forget(platform: string): void {
      sql.run("DELETE FROM channel_topic WHERE platform = ?", platform);
    },
  };
}
