// The one-time codes of sign-in links, over SQL: hashes of them, never a code. A code begins one sign-in as by the key that made it, and
// ends with that key, with the secret that made it, or at its own time. The table is made with the first row. Called by the Account.
// Has no clock: callers pass the time.
import { type Result, err, ok } from "../../core/errors.ts";
import type { Sql } from "../../core/ports.ts";
import type { Scope } from "../../core/schemas/keys/scope.ts";
import type { SignInInfo } from "../../core/schemas/keys/sign-in.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { hasTable } from "../sql.ts";
import { type CheckedKey, KEY_UNKNOWN } from "./key-rows.ts";
import { type NewSignIn, type SignInRows, exceedScopes, toScopes } from "./sign-in-rows.ts";

export const SIGN_IN_CODE_TABLE = "sign_in_code";
const SCHEMA = `CREATE TABLE IF NOT EXISTS sign_in_code (hash TEXT PRIMARY KEY, key TEXT NOT NULL, rotation INTEGER NOT NULL,
  scopes TEXT NOT NULL, label TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`;

/** [RFC 6749 §4.1.2] An authorization code, which is the same thing, should live for ten minutes at most. */
export const SIGN_IN_CODE_MS = 10 * 60_000;
/** [own] Open codes of a profile. A further one ends the oldest: nobody waits for more links at a time. */
export const MAX_SIGN_IN_CODES = 10;

export interface NewSignInCode {
  secret: string;
  key: string;
  rotation: number;
  /** Of the sign-in. Absent: those of the key. */
  scopes?: readonly Scope[] | undefined;
  /** Of the sign-in, unless it brings its own. */
  label: string;
}

/** What a code is exchanged for. `scopes`: absent: those of the code. */
export type RedeemedSignIn = Omit<NewSignIn, "key" | "rotation"> & { code: string };

interface StoredRow {
  hash: string;
  key: string;
  rotation: number;
  scopes: string;
  label: string;
}

export interface SignInCodesDeps {
  sql: Sql;
  /** The key, if the secret of this rotation still works. */
  findKey(id: string, rotation: number, now: number): CheckedKey | null;
  signIns: Pick<SignInRows, "create">;
}

export const SIGN_IN_CODE_UNKNOWN = err(
  "sign_in_code_unknown",
  "This sign-in link was used already, has expired, or its key has ended. Run `talaria dashboard`, or `npm start` again, for a new one.",
);

export type SignInCodes = ReturnType<typeof createSignInCodes>;

export function createSignInCodes({ sql, findKey, signIns }: SignInCodesDeps) {
  const isMade = () => hasTable(sql, SIGN_IN_CODE_TABLE);

  /** The code and its key, if both are still good. Found by its hash: a secret of 260 bits is not guessed from how long that takes. */
  function find(code: string, now: number): { row: StoredRow; key: CheckedKey } | null {
    if (!isMade()) return null;
    const [row] = sql.run<StoredRow>(
      "SELECT hash, key, rotation, scopes, label FROM sign_in_code WHERE hash = ? AND expires_at > ?",
      ...[sha256Hex(code), now],
    );
    const key = row && findKey(row.key, row.rotation, now);
    return row && key ? { row, key } : null;
  }

  return {
    /** Says when the code ends, ms since 1970. Failures: `key_unknown`: the key has ended meanwhile; `scope_exceeded`. */
    create({ secret, key, rotation, label, ...asked }: NewSignInCode, now: number): Result<number> {
      const rights = findKey(key, rotation, now);
      if (!rights) return KEY_UNKNOWN;
      const scopes = [...new Set(asked.scopes ?? rights.scopes)];
      const exceeded = exceedScopes(scopes, rights.scopes, "key");
      if (exceeded) return exceeded;
      const expiresAt = Math.min(now + SIGN_IN_CODE_MS, rights.end ?? Infinity);
      sql.transaction(() => {
        sql.run(SCHEMA);
        sql.run("DELETE FROM sign_in_code WHERE expires_at <= ?", now);
        sql.run(
          `DELETE FROM sign_in_code WHERE hash IN
            (SELECT hash FROM sign_in_code ORDER BY created_at DESC, hash LIMIT -1 OFFSET ?)`,
          MAX_SIGN_IN_CODES - 1,
        );
        sql.run(
          "INSERT INTO sign_in_code VALUES (?, ?, ?, ?, ?, ?, ?)",
          ...[sha256Hex(secret), key, rotation, scopes.join(), label, now, expiresAt],
        );
      });
      return ok(expiresAt);
    },

    /** The key that made the code, as long as the code can be redeemed. Does not spend it. */
    check: (code: string, now: number): CheckedKey | null => find(code, now)?.key ?? null,

    /**
     * Spends the code and begins a sign-in as by its key. Runs in one go, so of two requests one finds no code. Failures:
     * `sign_in_code_unknown`; `scope_exceeded`, which does not spend it.
     */
    redeem({ code, ...wanted }: RedeemedSignIn, now: number): Result<SignInInfo> {
      const found = find(code, now);
      if (!found) return SIGN_IN_CODE_UNKNOWN;
      const { hash, key, rotation, scopes: own, label } = found.row;
      const scopes = wanted.scopes ?? toScopes(own);
      const exceeded = exceedScopes(scopes, toScopes(own), "sign-in link");
      if (exceeded) return exceeded;
      // First, so that a failure between the two loses the code and does not keep it.
      sql.run("DELETE FROM sign_in_code WHERE hash = ?", hash);
      return signIns.create({ ...wanted, key, rotation, scopes, label: wanted.label || label }, now);
    },

    /** The key has ended. */
    endOfKey(key: string): void {
      if (isMade()) sql.run("DELETE FROM sign_in_code WHERE key = ?", key);
    },

    /** Forgets what has ended by itself. */
    tidy(now: number): void {
      if (isMade()) sql.run("DELETE FROM sign_in_code WHERE expires_at <= ?", now);
    },
  };
}
