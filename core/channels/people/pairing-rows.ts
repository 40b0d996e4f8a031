// Requests of strangers to talk, one row a person and platform, and the lock after wrong codes. Over any Sql, synchronous. Called by
// pairing.ts, which has the rules. A code is stored as a salted hash only.
import type { Sql } from "../../ports.ts";
import type { PlatformName } from "../../schemas/channels/inbound.ts";

export const PAIRING_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS channel_pairing (platform TEXT, person TEXT, id TEXT NOT NULL, name TEXT NOT NULL, chat TEXT NOT NULL,
    salt TEXT NOT NULL, hash TEXT, at INTEGER NOT NULL, PRIMARY KEY (platform, person)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS channel_pairing_lock (platform TEXT PRIMARY KEY, wrong INTEGER NOT NULL, since INTEGER NOT NULL,
    until INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
];

/** `id`: names the request in lists. `chat`: the row of the chat that the person wrote in. `hash` `null`: the person has no code. */
export interface PairingRow {
  person: string;
  id: string;
  name: string;
  chat: string;
  salt: string;
  hash: string | null;
  at: number;
}

/** `wrong`: wrong codes since `since`. Nothing is approved before `until`. */
export interface PairingLock {
  wrong: number;
  since: number;
  until: number;
}

export type PairingRows = ReturnType<typeof createPairingRows>;

/** The tables must exist. */
export function createPairingRows(sql: Sql) {
  const columns = "person, id, name, chat, salt, hash, at";
  return {
    /** Oldest first. */
    list: (platform: PlatformName): PairingRow[] =>
      sql.run<PairingRow & Raw>(
        `SELECT ${columns} FROM channel_pairing WHERE platform = ? ORDER BY at, person`,
        platform,
      ),
    /** In place of the person's earlier request. */
    put(platform: PlatformName, { person, id, name, chat, salt, hash, at }: PairingRow): void {
      sql.run(
        "INSERT OR REPLACE INTO channel_pairing VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ...[platform, person, id, name, chat, salt, hash!, at],
      );
    },
    remove(platform: PlatformName, person: string): void {
      sql.run("DELETE FROM channel_pairing WHERE platform = ? AND person = ?", platform, person);
    },
    /** Removes requests with a code from before `codes`, and those without one from before `others`. */
    prune(platform: PlatformName, { codes, others }: { codes: number; others: number }): void {
      sql.run(
        "DELETE FROM channel_pairing WHERE platform = ? AND at <= iif(hash IS NULL, ?, ?)",
        ...[platform, others, codes],
      );
    },
    /** Removes requests and locks from before `before`, of all platforms. */
    tidy(before: number): void {
      sql.run("DELETE FROM channel_pairing WHERE at <= ?", before);
      sql.run("DELETE FROM channel_pairing_lock WHERE since <= ?", before);
    },
    lock: (platform: PlatformName): PairingLock =>
      sql.run<PairingLock & Raw>(
        "SELECT wrong, since, until FROM channel_pairing_lock WHERE platform = ?",
        platform,
      )[0] ?? { wrong: 0, since: 0, until: 0 },
    putLock(platform: PlatformName, { wrong, since, until }: PairingLock): void {
      sql.run("INSERT OR REPLACE INTO channel_pairing_lock VALUES (?, ?, ?, ?)", platform, wrong, since, until);
    },
    /** The lock stays: setting a channel up again is no way around it. */
    forget(platform: PlatformName): void {
      sql.run("DELETE FROM channel_pairing WHERE platform = ?", platform);
    },
  };
}

type Raw = Record<string, string | number | null>;
