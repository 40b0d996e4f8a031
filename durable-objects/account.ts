// One Account a profile: its keys, its list of sessions, whose turn it is to be reviewed, and the ledger. Called by the API
// and by the profile's sessions. Holds no key, only hashes; an account that was never made stores nothing.
import { DurableObject } from "cloudflare:workers";
import { type Result, assert, err, ok } from "../core/errors.ts";
import { sha256Hex } from "../core/schemas/digest.ts";
import type { CreatedKey, KeyInfo, Learning, SessionInfo } from "../core/schemas/api.ts";
import type { ProfileId, SessionId } from "../core/schemas/ids.ts";
import type { Booking, Budget, UsageAsked, UsageReport } from "../core/schemas/usage.ts";
import type { ReviewPlace, ReviewRequest, TurnRequest } from "../core/session/context.ts";
import { createKeyId, createSecret, isSameHash, toKey } from "./account-key.ts";
import { type AccountLedger, LEDGER_SCHEMA, createAccountLedger } from "./account-ledger.ts";
import { toSql } from "./sql.ts";

/** Each check compares with all of them. */
const MAX_KEYS = 100;

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS keys (id TEXT PRIMARY KEY, hash TEXT NOT NULL, label TEXT NOT NULL,
    created_at INTEGER NOT NULL, revoked_at INTEGER) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, title TEXT NOT NULL, learning TEXT NOT NULL,
    created_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
];

export class Account extends DurableObject {
  readonly #sql = this.ctx.storage.sql;
  #opened: AccountLedger | null = null;

  /** Makes the account. Again: changes nothing. */
  init(profile: ProfileId): void {
    assert(this.ctx.id.name === profile, "an account is named after its profile");
    this.ctx.storage.transactionSync(() => {
      for (const statement of [...SCHEMA, ...LEDGER_SCHEMA]) this.#sql.exec(statement);
    });
  }

  /** The one time the key itself is seen. Failures: `profile_not_found`, `too_many_keys`. */
  createKey(label: string): Result<CreatedKey> {
    if (!this.#exists()) return err("profile_not_found", "There is no profile of that id.");
    if (this.listKeys().length >= MAX_KEYS) {
      return err("too_many_keys", `A profile has at most ${MAX_KEYS} keys: revoke one first.`);
    }
    const profile = this.ctx.id.name!;
    const secret = createSecret();
    const info: KeyInfo = { id: createKeyId(), label, createdAt: Date.now() };
    this.#sql.exec(
      "INSERT INTO keys (id, hash, label, created_at) VALUES (?, ?, ?, ?)",
      info.id,
      sha256Hex(secret),
      label,
      info.createdAt,
    );
    return ok({ ...info, profile, key: toKey(profile, secret) });
  }

  check(secret: string): boolean {
    if (!this.#exists()) return false;
    const hash = sha256Hex(secret);
    const hashes = this.#sql.exec<{ hash: string }>("SELECT hash FROM keys WHERE revoked_at IS NULL").toArray();
    // Every one is looked at, so that the time does not tell which.
    return hashes.filter((row) => isSameHash(row.hash, hash)).length > 0;
  }

  /** Those that work, oldest first. */
  listKeys(): KeyInfo[] {
    if (!this.#exists()) return [];
    return this.#sql
      .exec<{ id: string; label: string; createdAt: number }>(
        "SELECT id, label, created_at AS createdAt FROM keys WHERE revoked_at IS NULL ORDER BY created_at, id",
      )
      .toArray();
  }

  /** False for an unknown key, and for one that was revoked before. */
  revokeKey(id: string): boolean {
    if (!this.#exists()) return false;
    const revoked = this.#sql.exec(
      "UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING id",
      Date.now(),
      id,
    );
    return revoked.toArray().length > 0;
  }

  registerSession({ session, title, learning, createdAt }: SessionInfo): void {
    assert(this.#exists(), "only an account that exists has sessions");
    this.#sql.exec(
      "INSERT INTO session VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      session,
      title,
      learning,
      createdAt,
    );
  }

  /** Newest first, those created before `after`. */
  listSessions({ after, limit }: { after?: SessionId | undefined; limit: number }): SessionInfo[] {
    if (!this.#exists()) return [];
    return this.#sql
      .exec<{ session: string; title: string; learning: Learning; createdAt: number }>(
        `SELECT id AS session, title, learning, created_at AS createdAt FROM session
          WHERE ? IS NULL OR id < ? ORDER BY id DESC LIMIT ?`,
        after ?? null,
        after ?? null,
        limit,
      )
      .toArray();
  }

  reserveReview(request: ReviewRequest): ReviewPlace {
    assert(this.#exists(), "only an account that exists has reviews");
    return this.#ledger().reserveReview(request);
  }

  /** Up to where a turn may spend of the profile's day; `null` when nothing is left of it. */
  reserveTurn(request: TurnRequest): Budget | null {
    assert(this.#exists(), "only an account that exists has turns");
    return this.#ledger().reserveTurn(request);
  }

  /** Counted once, however often it comes. A profile that is gone has no ledger, and its sessions need not ask again. */
  book(booking: Booking): void {
    if (!this.#exists()) return;
    this.#ledger().book(booking);
    const { session, title } = booking;
    if (title) this.#sql.exec("UPDATE session SET title = ? WHERE id = ? AND title = ''", title, session);
  }

  usage(asked: UsageAsked): UsageReport {
    assert(this.#exists(), "only an account that exists is asked what it used");
    return this.#ledger().report({ ...asked, now: Date.now() });
  }

  /** An account that was made before there was a ledger gets its tables here. */
  #ledger(): AccountLedger {
    if (this.#opened) return this.#opened;
    for (const statement of LEDGER_SCHEMA) this.#sql.exec(statement);
    this.#opened = createAccountLedger(toSql(this.ctx.storage));
    return this.#opened;
  }

  /** Anyone may name a profile in a key: a guess must not leave a row behind. */
  #exists(): boolean {
    return this.#sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'keys'").toArray().length > 0;
  }
}
