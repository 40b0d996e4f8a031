// The images of a session's messages in SQLite, by hash: each is stored once and never changed, so that a message keeps the image it
// came with. Used by the parts of this folder and the engine. The tables are made with the first image: a session without
// images has none.
import type { Sql } from "../../ports.ts";
import type { ImageRef } from "../../schemas/media/image.ts";

/** Below the platform's 2 MB a row, and divisible by 3, so that parts can be encoded in Base64 one by one. */
const PART_BYTES = 1_200_000;

const IMAGE_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS image(sha256 TEXT PRIMARY KEY, type TEXT NOT NULL, bytes INTEGER NOT NULL, description TEXT,
    described_by TEXT) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS image_part(sha256 TEXT NOT NULL, i INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(sha256, i))
    STRICT, WITHOUT ROWID`,
];

export interface ImageDescription {
  /** `""`: the model that was asked did not describe it. */
  text: string;
  model: string;
}

export type ImageRows = ReturnType<typeof createImageRows>;

/** Idempotent. */
export function createImageTables(sql: Sql): void {
  for (const statement of IMAGE_SCHEMA) sql.run(statement);
}

export function createImageRows(sql: Sql) {
  let exists: boolean | undefined;

  function hasTables(): boolean {
    const found = "SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'image_part'";
    return (exists ||= sql.run(found).length > 0);
  }

  return {
    /** Call inside the caller's transaction. The same image is stored once. */
    put({ sha256, type, bytes }: ImageRef, data: Uint8Array): void {
      if (!hasTables()) createImageTables(sql);
      if (sql.run("SELECT 1 AS one FROM image WHERE sha256 = ?", sha256).length > 0) return;
      sql.run("INSERT INTO image VALUES(?, ?, ?, NULL, NULL)", sha256, type, bytes);
      for (let at = 0; at < data.length; at += PART_BYTES) {
        sql.run("INSERT INTO image_part VALUES(?, ?, ?)", sha256, at / PART_BYTES, data.slice(at, at + PART_BYTES));
      }
    },
    /** A row and its parts from another session. Inside the caller's transaction. */
    copy(row: Record<string, string | number | null>, parts: Uint8Array[]): void {
      if (!hasTables()) createImageTables(sql);
      const { sha256, type, bytes, description, described_by: by } = row;
      const values = [sha256!, type!, bytes!, description ?? null, by ?? null];
      sql.run("INSERT INTO image VALUES(?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", ...values);
      for (const [i, data] of parts.entries()) {
        sql.run("INSERT INTO image_part VALUES(?, ?, ?) ON CONFLICT DO NOTHING", sha256!, i, data);
      }
    },
    has: (sha256: string): boolean =>
      hasTables() && sql.run("SELECT 1 AS one FROM image WHERE sha256 = ?", sha256).length > 0,
    /** The image whose hash begins with `id`: hexadecimal digits. */
    find(id: string): Pick<ImageRef, "sha256" | "type" | "bytes"> | null {
      if (!hasTables()) return null;
      const query = "SELECT sha256, type, bytes FROM image WHERE sha256 >= ? AND sha256 < ? ORDER BY sha256 LIMIT 1";
      return sql.run<Pick<ImageRef, "sha256" | "type" | "bytes">>(query, id, `${id}g`)[0] ?? null;
    },
    totalBytes: (): number =>
      hasTables() ? sql.run<{ sum: number }>("SELECT coalesce(sum(bytes), 0) AS sum FROM image")[0]!.sum : 0,
    /** Reads one row at a time, so that a caller never holds more than it needs. */
    *parts(sha256: string): Generator<Uint8Array> {
      for (let i = 0; hasTables(); i++) {
        const query = "SELECT data FROM image_part WHERE sha256 = ? AND i = ?";
        const data = sql.run<{ data: Uint8Array | ArrayBuffer }>(query, sha256, i)[0]?.data;
        if (!data) return;
        yield new Uint8Array(data as ArrayBuffer);
      }
    },
    description(sha256: string): ImageDescription | null {
      if (!hasTables()) return null;
      const query = "SELECT description AS text, described_by AS model FROM image WHERE sha256 = ?";
      const row = sql.run<{ text: string | null; model: string | null }>(query, sha256)[0];
      return row?.text == null ? null : { text: row.text, model: row.model ?? "" };
    },
    putDescription(sha256: string, { text, model }: ImageDescription): void {
      sql.run("UPDATE image SET description = ?, described_by = ? WHERE sha256 = ?", text, model, sha256);
    },
    /** Call after a transaction was rolled back: it may have made the tables. */
    forget(): void {
      exists = undefined;
    },
  };
}
