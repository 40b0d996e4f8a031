// The keys of a profile, over SQL. Stores hashes of their secrets, never a secret. A key that has ended by revocation has no row.
// Called by the Account. An account of an earlier version gets the newer columns with its first check.
import { type Result, err, ok } from "../../core/errors.ts";
import type { Sql } from "../../core/ports.ts";
import { ALL_SCOPES, Scope } from "../../core/schemas/keys/scope.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { isSameHash } from "../account-key.ts";

/** Without `revoked_at` a key is valid: earlier versions kept the rows of revoked keys. `scopes`: absent means all. */
export const KEY_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS keys (id TEXT PRIMARY KEY, hash TEXT NOT NULL, label TEXT NOT NULL,
    created_at INTEGER NOT NULL, revoked_at INTEGER) STRICT, WITHOUT ROWID`,
];
/** `old_hash`, `old_until`: the secret before the last rotation, and until when it works. `rotation` counts rotations. */
const NEWER_COLUMNS = [
  ...["scopes TEXT", "expires_at INTEGER", "used_at INTEGER", "made_by TEXT"],
  ...["rotation INTEGER NOT NULL DEFAULT 0", "old_hash TEXT", "old_until INTEGER"],
];
const HOUR_MS = 60 * 60_000;

export interface KeyRow {
  id: string;
  label: string;
  createdAt: number;
  scopes: readonly Scope[];
  expiresAt: number | null;
  usedAt: number | null;
  madeBy: string | null;
  rotation: number;
  oldUntil: number | null;
}

/** What a good key may do. `rotation`: which of its secrets was given. `end`: when that secret ends, ms; `null`: never. */
export interface CheckedKey {
  id: string;
  rotation: number;
  scopes: readonly Scope[];
  end: number | null;
}

/** `settingsRev`: revision of the profile's settings. */
export type KnownKey = CheckedKey & { settingsRev: number };

type StoredRow = Omit<KeyRow, "scopes"> & { hash: string; oldHash: string | null; scopes: string | null };

export type KeyRows = ReturnType<typeof createKeyRows>;

/** `isSame`: compares hashes in constant time, which needs the platform. */
export function createKeyRows(sql: Sql, isSame: (a: string, b: string) => boolean = isSameHash) {
  const hasColumns = () =>
    sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'keys' AND sql LIKE '%old_until%'").length > 0;

  function stored(): StoredRow[] {
    const newer = hasColumns()
      ? `scopes, expires_at AS expiresAt, used_at AS usedAt, made_by AS madeBy, rotation, old_hash AS oldHash,
        old_until AS oldUntil`
      : `NULL AS scopes, NULL AS expiresAt, NULL AS usedAt, NULL AS madeBy, 0 AS rotation, NULL AS oldHash,
        NULL AS oldUntil`;
    return sql.run<StoredRow>(
      `SELECT id, hash, label, created_at AS createdAt, ${newer} FROM keys WHERE revoked_at IS NULL ORDER BY created_at, id`,
    );
  }

  /** Idempotent. Columns that earlier versions ignore, so that they can still read and write the table. */
  function addColumns(): void {
    if (hasColumns()) return;
    for (const column of NEWER_COLUMNS) sql.run(`ALTER TABLE keys ADD COLUMN ${column}`);
  }

  function find(id: string): KeyRow | null {
    const row = stored().find((one) => one.id === id);
    return row ? toKeyRow(row) : null;
  }

  return {
    addColumns,
    find,
    /** Oldest first, expired ones included. */
    list: (): KeyRow[] => stored().map(toKeyRow),

    /** Failures: `key_unknown`, `key_expired`. */
    check(secret: string, now: number): Result<CheckedKey> {
      const hash = sha256Hex(secret);
      // Compares with all hashes, so that the time does not reveal which one matched.
      const matches = stored().flatMap((row) => {
        const [isPresent, isOld] = [isSame(row.hash, hash), isSame(row.oldHash ?? row.hash, hash)];
        return isPresent || isOld ? [{ row, isPresent }] : [];
      });
      const [match] = matches;
      if (!match) return KEY_UNKNOWN;
      const { row, isPresent } = match;
      if (!isPresent && (row.oldUntil ?? 0) <= now) return KEY_UNKNOWN;
      if (row.expiresAt !== null && row.expiresAt <= now) {
        return err("key_expired", "This key has expired. Use another one, or have one made.");
      }
      return ok(toChecked(toKeyRow(row), isPresent ? row.rotation : row.rotation - 1));
    },
    /** The key if the secret of this rotation still works. */
    checkRotation(id: string, rotation: number, now: number): CheckedKey | null {
      const row = find(id);
      if (!row) return null;
      const checked = toChecked(row, rotation);
      const isKnown = rotation === row.rotation || (rotation === row.rotation - 1 && row.oldUntil !== null);
      return isKnown && (checked.end === null || checked.end > now) ? checked : null;
    },
    /** Written at most once an hour. */
    noteUse(id: string, now: number): void {
      addColumns();
      sql.run("UPDATE keys SET used_at = ? WHERE id = ? AND coalesce(used_at, 0) <= ?", now, id, now - HOUR_MS);
    },

    put(row: Pick<KeyRow, "id" | "label" | "createdAt" | "scopes" | "expiresAt" | "madeBy">, secret: string): void {
      addColumns();
      sql.run(
        "INSERT INTO keys (id, hash, label, created_at, scopes, expires_at, made_by) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ...[row.id, sha256Hex(secret), row.label, row.createdAt, row.scopes.join(), row.expiresAt, row.madeBy],
      );
    },
    change(id: string, { label, expiresAt }: Pick<KeyRow, "label" | "expiresAt">): void {
      addColumns();
      sql.run("UPDATE keys SET label = ?, expires_at = ? WHERE id = ?", label, expiresAt, id);
    },
    rotate(id: string, secret: string, oldUntil: number | null): void {
      addColumns();
      sql.run(
        `UPDATE keys SET old_hash = CASE WHEN ?1 IS NULL THEN NULL ELSE hash END, old_until = ?1, hash = ?2,
          rotation = rotation + 1 WHERE id = ?3`,
        ...[oldUntil, sha256Hex(secret), id],
      );
    },
    remove: (id: string): void => void sql.run("DELETE FROM keys WHERE id = ?", id),
    /** Forgets keys that expired before `before`. */
    tidy(before: number): void {
      if (hasColumns()) sql.run("DELETE FROM keys WHERE expires_at < ?", before);
    },
  };
}

export const KEY_UNKNOWN = err("key_unknown", "This key is unknown or was revoked. Ask the operator for a new one.");

function toKeyRow({ hash: _hash, oldHash: _oldHash, scopes, ...row }: StoredRow): KeyRow {
  if (scopes === null) return { ...row, scopes: ALL_SCOPES };
  return { ...row, scopes: scopes.split(",").flatMap((scope) => Scope.safeParse(scope).data ?? []) };
}

function toChecked({ id, scopes, expiresAt, oldUntil, rotation: present }: KeyRow, rotation: number): CheckedKey {
  const ends = [expiresAt, rotation === present ? null : oldUntil].filter((at) => at !== null);
  return { id, rotation, scopes, end: ends.length === 0 ? null : Math.min(...ends) };
}
