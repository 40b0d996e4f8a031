// The sign-ins of a profile's browsers, over SQL: hashes of what their cookies hold, never the cookie. A sign-in ends with its key, with
// the secret of the key that made it, or at its own time, whichever is first. The table is made with the first row. Called by the
// Account. Has no clock: callers pass the time.
import { type Result, err, ok } from "../../core/errors.ts";
import type { Sql } from "../../core/ports.ts";
import { Scope } from "../../core/schemas/keys/scope.ts";
import type { SignInInfo } from "../../core/schemas/keys/sign-in.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import type { CheckedKey } from "./key-rows.ts";

export const SIGN_IN_TABLE = "sign_in";
const SCHEMA = `CREATE TABLE IF NOT EXISTS sign_in (id TEXT PRIMARY KEY, hash TEXT NOT NULL, key TEXT NOT NULL, rotation INTEGER NOT NULL,
  scopes TEXT NOT NULL, label TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`;

/** [own] Sign-ins of one key. With a further one the oldest ends: nobody signs out of a browser that is gone. */
const MAX_OF_KEY = 20;
const HOUR_MS = 60 * 60_000;

/** What a good sign-in may do now. `end`: ms since 1970. */
export interface CheckedSignIn {
  id: string;
  key: string;
  scopes: readonly Scope[];
  end: number;
}

/** `settingsRev`: revision of the profile's settings. */
export type KnownSignIn = CheckedSignIn & { settingsRev: number };

export interface NewSignIn {
  id: string;
  secret: string;
  key: string;
  rotation: number;
  /** Absent: those of the key. */
  scopes?: readonly Scope[] | undefined;
  label: string;
  /** How long it lasts, unless its key ends before. */
  ms: number;
}

interface StoredRow extends Omit<SignInInfo, "scopes"> {
  hash: string;
  rotation: number;
  scopes: string;
}

export interface SignInDeps {
  sql: Sql;
  /** The key, if the secret of this rotation still works. */
  findKey(id: string, rotation: number, now: number): Pick<CheckedKey, "scopes" | "end"> | null;
  /** Compares hashes in constant time. */
  isSame(a: string, b: string): boolean;
  /** The sign-in has ended: what it has opened is closed. Inside the transaction. */
  onEnd(id: string, now: number): void;
}

export const SIGN_IN_UNKNOWN = err("sign_in_unknown", "The sign-in has ended, or its key has. Sign in again.");

export type SignInRows = ReturnType<typeof createSignInRows>;

export function createSignInRows({ sql, findKey, isSame, onEnd }: SignInDeps) {
  const hasTable = () =>
    sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", SIGN_IN_TABLE).length > 0;
  const select = (where: string, ...values: (string | number)[]) =>
    hasTable()
      ? sql.run<StoredRow>(
          `SELECT id, hash, key, rotation, scopes, label, created_at AS createdAt, expires_at AS expiresAt, used_at AS usedAt
           FROM sign_in WHERE ${where} ORDER BY created_at, id`,
          ...values,
        )
      : [];

  /** `null`: it has ended by itself or with its key. */
  function judge(row: StoredRow, now: number): CheckedSignIn | null {
    const key = findKey(row.key, row.rotation, now);
    if (!key || row.expiresAt <= now) return null;
    const scopes = toScopes(row.scopes).filter((scope) => key.scopes.includes(scope));
    return { id: row.id, key: row.key, scopes, end: Math.min(row.expiresAt, key.end ?? Infinity) };
  }

  function remove(id: string, now: number): boolean {
    const removed = sql.run("DELETE FROM sign_in WHERE id = ? RETURNING id", id).length > 0;
    if (removed) onEnd(id, now);
    return removed;
  }

  return {
    /** Failures: `key_unknown`: the key has ended meanwhile; `scope_exceeded`. */
    create({ id, secret, key, rotation, label, ms, ...asked }: NewSignIn, now: number): Result<SignInInfo> {
      const rights = findKey(key, rotation, now);
      if (!rights) return err("key_unknown", "This key is unknown or was revoked. Ask for a new one.");
      const scopes = [...new Set(asked.scopes ?? rights.scopes)];
      const exceeded = exceedScopes(scopes, rights.scopes, "key");
      if (exceeded) return exceeded;
      const expiresAt = Math.min(now + ms, rights.end ?? Infinity);
      sql.transaction(() => {
        sql.run(SCHEMA);
        for (const row of select("expires_at <= ?", now)) remove(row.id, now);
        const others = select("key = ?", key);
        for (const row of others.slice(0, Math.max(0, others.length - MAX_OF_KEY + 1))) remove(row.id, now);
        sql.run(
          "INSERT INTO sign_in VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
          ...[id, sha256Hex(secret), key, rotation, scopes.join(), label, now, expiresAt, now],
        );
      });
      return ok({ id, key, label, scopes, createdAt: now, expiresAt, usedAt: now });
    },

    /** `null`: there is no such sign-in, or it has ended. Notes the use, at most once an hour, unless `isReadOnly`. */
    check(id: string, secret: string, now: number, isReadOnly = false): CheckedSignIn | null {
      const [row] = select("id = ?", id);
      if (!row || !isSame(row.hash, sha256Hex(secret))) return null;
      const checked = judge(row, now);
      if (checked && !isReadOnly)
        sql.run("UPDATE sign_in SET used_at = ? WHERE id = ? AND used_at <= ?", now, id, now - HOUR_MS);
      return checked;
    },

    /** The same without the secret: for what a sign-in has opened. */
    find(id: string, now: number): CheckedSignIn | null {
      const [row] = select("id = ?", id);
      return row ? judge(row, now) : null;
    },

    /** Those of a key, and which of its secrets each was exchanged for. Some may have ended. */
    ofKey: (key: string): Pick<StoredRow, "id" | "rotation">[] => select("key = ?", key),

    /** Oldest first, without those that have ended. */
    list(now: number): SignInInfo[] {
      return select("expires_at > ?", now).flatMap(({ hash: _hash, rotation: _rotation, ...row }) => {
        const checked = this.find(row.id, now);
        return checked ? [{ ...row, scopes: [...checked.scopes], expiresAt: checked.end }] : [];
      });
    },

    /** False: there was none. */
    end: (id: string, now: number): boolean => hasTable() && sql.transaction(() => remove(id, now)),

    /** The key has ended, and its own sockets with it. */
    endOfKey(key: string): void {
      if (hasTable()) sql.run("DELETE FROM sign_in WHERE key = ?", key);
    },

    /** Forgets what has ended by itself. */
    tidy(now: number): void {
      if (hasTable()) sql.run("DELETE FROM sign_in WHERE expires_at <= ?", now);
    },
  };
}

/** Failure `scope_exceeded`; `null` if `own`, the scopes of `what`, has all that are wanted. */
export function exceedScopes(wanted: readonly Scope[], own: readonly Scope[], what: string) {
  const missing = wanted.filter((scope) => !own.includes(scope));
  if (missing.length === 0) return null;
  return err("scope_exceeded", `The ${what} does not have ${missing.join(" and ")}. Ask for less, or leave it out.`);
}

/** Of a stored row. */
export function toScopes(text: string): Scope[] {
  return text.split(",").flatMap((scope) => Scope.safeParse(scope).data ?? []);
}
