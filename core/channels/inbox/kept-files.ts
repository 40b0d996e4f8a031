// Files that came with a message itself, as those of an e-mail do: kept in pieces until the message was carried out. Written with the event, read
// when the message is posted. Called by durable-objects/channels.
import type { Sql } from "../../ports.ts";
import type { PlatformName } from "../../schemas/channels/inbound.ts";

export const KEPT_FILE_SCHEMA = `CREATE TABLE IF NOT EXISTS channel_file (
  platform TEXT NOT NULL, ref TEXT NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY (platform, ref, n)) WITHOUT ROWID`;

/** A row of the platform holds 2 MB. */
const PIECE_BYTES = 1_000_000;
/** [own] Longer than a message waits to be carried out. */
const KEEP_MS = 3 * 86_400_000;

export interface KeptFiles {
  /** Idempotent. Inside the caller's transaction. */
  put(platform: PlatformName, ref: string, bytes: Uint8Array, now: number): void;
  /** `null`: there is no such file, or no longer. */
  read(platform: PlatformName, ref: string): Uint8Array | null;
  forget(platform: PlatformName): void;
  tidy(now: number): void;
}

export function createKeptFiles(sql: Sql): KeptFiles {
  return {
    put(platform, ref, bytes, now) {
      for (let n = 0; n === 0 || n * PIECE_BYTES < bytes.length; n++) {
        const piece = bytes.slice(n * PIECE_BYTES, (n + 1) * PIECE_BYTES);
        sql.run(
          "INSERT INTO channel_file (platform, ref, n, at, bytes) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
          ...[platform, ref, n, now, piece],
        );
      }
    },
    read(platform, ref) {
      const rows = sql.run<{ bytes: Uint8Array | ArrayBuffer }>(
        "SELECT bytes FROM channel_file WHERE platform = ? AND ref = ? ORDER BY n",
        platform,
        ref,
      );
      if (rows.length === 0) return null;
      const pieces = rows.map(({ bytes }) => new Uint8Array(bytes));
      const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const piece of pieces) {
        whole.set(piece, at);
        at += piece.length;
      }
      return whole;
    },
    forget: (platform) => void sql.run("DELETE FROM channel_file WHERE platform = ?", platform),
    tidy: (now) => void sql.run("DELETE FROM channel_file WHERE at < ?", now - KEEP_MS),
  };
}
