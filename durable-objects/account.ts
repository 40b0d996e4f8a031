// One Account a profile: its keys, its list of sessions, whose turn it is to be reviewed, and the ledger. Called by the API
// and by the profile's sessions. Holds no key, only hashes; an account that was never made stores nothing.
import { DurableObject } from "cloudflare:workers";
import { type Result, assert, err, messageOf, ok } from "../core/errors.ts";
import { sha256Hex } from "../core/schemas/learning/digest.ts";
import type { CreatedKey, KeyInfo, Learning, SessionInfo } from "../core/schemas/api.ts";
import { type CurationId, DAY_MS, type ProfileId, type SessionId, type SkillName } from "../core/schemas/ids.ts";
import type { Grant } from "../core/schemas/learning/review.ts";
import type { Settings } from "../core/schemas/settings.ts";
import type { Booking, Budget, UsageAsked, UsageReport } from "../core/schemas/usage.ts";
import type { ReviewPlace, ReviewRequest, TurnRequest } from "../core/session/context.ts";
import { createKeyId, createSecret, isSameHash, toKey } from "./account-key.ts";
import {
  type AccountEnv,
  ERASURE_SCHEMA,
  type ErasureKind,
  createErasures,
  eraseDue,
  toErasureStores,
} from "./account-erasure.ts";
import { CURATION_SCHEMA, collectSpent, countRequest, putAllowance, reserveRun } from "./account-curation.ts";
import { UPKEEP_SCHEMA, createUpkeep } from "./account-upkeep.ts";
import { type AccountLedger, DELETED, LEDGER_SCHEMA, createAccountLedger } from "./account-ledger.ts";
import { markProfileGone } from "../stores/erasure.ts";
import { createMemoryStore } from "../stores/memory-store.ts";
import { readSettings } from "../wiring/settings.ts";
import { toSql } from "./sql.ts";

/** Each check compares with all of them. */
const MAX_KEYS = 100;

/** An alarm that was set for work that died comes back after this. */
const WORK_RETRY_MS = 60_000;
const NEWER_RETRY_MS = 60 * 60_000;
/** All but what an erasure still needs. */
const OWN_TABLES = [
  ...["keys", "session", "review_slot", "booked", "usage_line", "reservation", "account_state", "curation_request"],
];
const MORE_SCHEMA = [...ERASURE_SCHEMA, ...CURATION_SCHEMA, ...UPKEEP_SCHEMA];

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS keys (id TEXT PRIMARY KEY, hash TEXT NOT NULL, label TEXT NOT NULL,
    created_at INTEGER NOT NULL, revoked_at INTEGER) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, title TEXT NOT NULL, learning TEXT NOT NULL,
    created_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
];

export class Account extends DurableObject<AccountEnv> {
  readonly #sql = this.ctx.storage.sql;
  #opened: AccountLedger | null = null;
  #working: Promise<void> | null = null;

  /** Makes the account. Again: changes nothing. */
  init(profile: ProfileId): void {
    assert(this.ctx.id.name === profile, "an account is named after its profile");
    this.#upkeep().checkVersion();
    this.ctx.storage.transactionSync(() => {
      for (const statement of [...SCHEMA, ...LEDGER_SCHEMA, ...MORE_SCHEMA]) this.#sql.exec(statement);
    });
  }

  /** The one time the key itself is seen. Failures: `profile_not_found`, `too_many_keys`. */
  createKey(label: string): Result<CreatedKey> {
    if (!this.#isWritable()) return err("profile_not_found", "There is no profile of that id.");
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

  /** `willWrite`: throws where a newer version made the tables, which are then read only. */
  check(secret: string, willWrite = false): boolean {
    if (!this.#exists()) return false;
    const hash = sha256Hex(secret);
    const hashes = this.#sql.exec<{ hash: string }>("SELECT hash FROM keys WHERE revoked_at IS NULL").toArray();
    // Every one is looked at, so that the time does not tell which.
    const isKnown = hashes.filter((row) => isSameHash(row.hash, hash)).length > 0;
    if (isKnown && willWrite) this.#upkeep().checkVersion();
    return isKnown;
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

  /** Failures: `key_not_found` for an unknown key, and for one that was revoked before; `last_key`. */
  revokeKey(id: string): Result<null> {
    this.#upkeep().checkVersion();
    const keys = this.listKeys();
    if (!keys.some((key) => key.id === id)) {
      return err("key_not_found", "This profile has no working key of that id.");
    }
    if (keys.length === 1) {
      return err(
        "last_key",
        "This is the profile's last key: have the operator make another one first (POST /v1/keys).",
      );
    }
    this.#sql.exec("UPDATE keys SET revoked_at = ? WHERE id = ?", Date.now(), id);
    return ok(null);
  }

  /** Before the session is made, so that every session of a profile is known here. False: the profile is gone. */
  registerSession({ session, title, learning, createdAt }: SessionInfo): boolean {
    if (!this.#isWritable()) return false;
    this.#sql.exec(
      "INSERT INTO session VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      session,
      title,
      learning,
      createdAt,
    );
    return true;
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
    assert(this.#isWritable(), "only an account that exists has reviews");
    return this.#ledger().reserveReview(request);
  }

  /** Up to where a turn may spend of the profile's day; `null` when nothing is left of it. */
  async reserveTurn(request: TurnRequest): Promise<Budget | null> {
    assert(this.#isWritable(), "only an account that exists has turns");
    const budget = this.#ledger().reserveTurn(request);
    if (budget) return budget;
    // What a curation has not spent may be free by now.
    await this.#collect();
    return this.#ledger().reserveTurn(request);
  }

  /**
   * Whether a curation may be asked for now, and what it may spend where a day's budget is set. Failures: `profile_gone`,
   * `too_many_runs` with the time of the next one.
   */
  async askForCuration(
    run: CurationId,
    asksModels: boolean,
  ): Promise<Result<{ allowance: { id: string; grant: Grant } | null }>> {
    if (!this.#isWritable()) return err("profile_gone", "This profile has been deleted.");
    const [ledger, settings, now] = [this.#ledger(), this.#settings(), Date.now()];
    const nextAt = countRequest(toSql(this.ctx.storage), now, settings.curation.maxRequests);
    if (nextAt !== null) {
      const { maxRequests } = settings.curation;
      const retryAfterSeconds = Math.max(1, Math.ceil((nextAt - now) / 1_000));
      const detail = `A profile may ask for ${maxRequests} curations in an hour: ask again in ${retryAfterSeconds} seconds.`;
      return err("too_many_runs", detail, { retryAfterSeconds });
    }
    if (!asksModels) return ok({ allowance: null });
    await this.#collect();
    return ok({ allowance: reserveRun(ledger, settings, run, now) });
  }

  /** Counted once, however often it comes. A profile that is gone has no ledger, and its sessions need not ask again. */
  book(booking: Booking): void {
    if (!this.#isWritable()) return;
    const { session, title } = booking;
    const ledger = this.#ledger();
    const isDeleted = this.#erasures().has("session", session);
    ledger.book(isDeleted ? { ...booking, session: DELETED } : booking);
    this.ctx.waitUntil(
      this.#noteDay(Date.now()).catch((error: unknown) => console.error(`account: upkeep: ${messageOf(error)}`)),
    );
    if (title) this.#sql.exec("UPDATE session SET title = ? WHERE id = ? AND title = ''", title, session);
  }

  /** `null`: the profile is gone. */
  async usage(asked: UsageAsked): Promise<UsageReport | null> {
    if (!this.#exists()) return null;
    await this.#collect();
    return this.#ledger().report({ ...asked, now: Date.now() });
  }

  /** The profile was used without a turn: what it removed is to be swept in its time. */
  async noteActivity(): Promise<void> {
    if (this.#isWritable()) await this.#noteDay(Date.now());
  }

  /** Once a day: the alarm moves on, so that a profile that sleeps is woken once, when its last day is over. */
  async #noteDay(now: number): Promise<void> {
    this.#ledger();
    if (!this.#upkeep().note(now, this.#settings().memory.sweepDays)) return;
    await this.#arm();
    await this.#collect();
    const { bucket } = toErasureStores(this.env);
    const place = { bucket, profile: this.ctx.id.name!, ledger: this.#ledger() };
    await putAllowance(place, this.#settings(), now);
  }

  /** What curations have spent since. The ledger answers all the same when R2 does not. */
  async #collect(): Promise<void> {
    const { bucket } = toErasureStores(this.env);
    try {
      await collectSpent({ bucket, profile: this.ctx.id.name!, ledger: this.#ledger() }, Date.now());
    } catch (error) {
      console.error(JSON.stringify({ event: "curation_not_booked", error: messageOf(error) }));
    }
  }

  /** Memory of a profile that has gone quiet, and what the ledger keeps for a while. */
  async #sweepDue(): Promise<void> {
    const upkeep = this.#upkeep();
    const now = Date.now();
    if (!upkeep.isDue(now)) return;
    this.#ledger().tidy(now);
    const before = now - this.#settings().memory.sweepDays * DAY_MS;
    const { kv, clock } = toErasureStores(this.env);
    const memory = createMemoryStore({ kv, profile: this.ctx.id.name!, clock, overlayMs: 0 });
    upkeep.swept(now, (await memory.sweep(before)).left);
  }

  #upkeep() {
    return createUpkeep(toSql(this.ctx.storage));
  }

  #settings(): Settings {
    return readSettings(this.env);
  }

  // ---- what is deleted ----

  /**
   * `unknown`: there is no such session. `pending`: a store failed, and the alarm tries again. What late writes leave behind is swept
   * by the alarm, too.
   */
  async eraseSession(session: SessionId): Promise<"unknown" | "pending" | "deleted"> {
    if (!this.#isWritable()) return "unknown";
    const ledger = this.#ledger();
    const known = this.ctx.storage.transactionSync(() => {
      const deleted = this.#sql.exec("DELETE FROM session WHERE id = ? RETURNING id", session).toArray();
      if (deleted.length === 0 && !this.#erasures().isPending("session", session)) return false;
      ledger.forgetSession(session);
      this.#erasures().begin("session", session, Date.now());
      return true;
    });
    return known ? this.#erase("session", session) : "unknown";
  }

  /** The same for a skill; whether there is one, the caller has seen. */
  async eraseSkill(skill: SkillName): Promise<"unknown" | "pending" | "deleted"> {
    if (!this.#isWritable()) return "unknown";
    this.#ledger();
    this.#erasures().begin("skill", skill, Date.now());
    return this.#erase("skill", skill);
  }

  async #erase(kind: ErasureKind, id: string): Promise<"pending" | "deleted"> {
    await this.#work();
    return this.#erasures().isPending(kind, id) ? "pending" : "deleted";
  }

  /** Keys, sessions and the ledger go at once; what is elsewhere by passes. False: there is no such profile. */
  async eraseProfile(): Promise<boolean> {
    const profile = this.ctx.id.name!;
    if (!this.#isWritable()) return false;
    this.#ledger();
    await markProfileGone({ bucket: toErasureStores(this.env).bucket, profile });
    // Somebody else has ordered the same meanwhile.
    if (!this.#exists()) {
      await this.#work();
      return true;
    }
    this.ctx.storage.transactionSync(() => {
      const erasures = this.#erasures();
      const now = Date.now();
      const listed = this.#sql.exec<{ id: string }>("SELECT id FROM session").toArray();
      const erased = this.#sql.exec<{ id: string }>("SELECT id FROM erasure WHERE kind = 'session'").toArray();
      for (const { id } of [...listed, ...erased]) erasures.begin("session", id, now);
      this.#sql.exec("DELETE FROM erasure WHERE kind = 'skill'");
      erasures.begin("profile", profile, now);
      for (const table of OWN_TABLES) this.#sql.exec(`DROP TABLE IF EXISTS ${table}`);
    });
    this.#opened = null;
    await this.#work();
    return true;
  }

  /** Whether something that was deleted is still to be swept for the first time. */
  isErasing(): boolean {
    return this.#hasErasures() && this.#sql.exec("SELECT 1 FROM erasure WHERE pass = 0 LIMIT 1").toArray().length > 0;
  }

  /** Waits for the newer version that made the tables, if one did: a throw would end the alarm after six times. */
  override async alarm(): Promise<void> {
    try {
      this.#upkeep().checkVersion();
    } catch (error) {
      console.error(messageOf(error));
      return this.ctx.storage.setAlarm(Date.now() + NEWER_RETRY_MS);
    }
    await this.#work();
  }

  /** One at a time; a second caller waits. The alarm is set before anything is done, so that a crash is made good. */
  async #work(): Promise<void> {
    while (this.#working) await this.#working;
    this.#working = this.#runDue().finally(() => (this.#working = null));
    await this.#working;
  }

  async #runDue(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + WORK_RETRY_MS);
    if (this.#hasErasures()) await this.#eraseDue();
    if (this.#exists()) await this.#sweepDue();
    await this.#arm();
  }

  async #eraseDue(): Promise<void> {
    const profile = this.ctx.id.name!;
    const isGone = !this.#exists();
    const erasures = this.#erasures();
    await eraseDue({ env: this.env, stores: toErasureStores(this.env), profile, erasures, isGone });
    // What is left of a profile that was swept for the last time is its mark, and nothing here.
    if (isGone && !erasures.isOpen()) {
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
    }
  }

  async #arm(): Promise<void> {
    const dues = [
      this.#hasErasures() ? this.#erasures().nextDue() : null,
      this.#exists() ? this.#upkeep().due() : null,
    ].filter((at) => at !== null);
    const due = dues.length === 0 ? null : Math.min(...dues);
    if (due === null) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(Math.max(due, Date.now()));
  }

  /** The tables must be there. */
  #erasures() {
    return createErasures(toSql(this.ctx.storage));
  }

  #hasErasures(): boolean {
    return this.#sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'erasure'").toArray().length > 0;
  }

  /** An account that was made before there was a ledger gets its tables here. */
  #ledger(): AccountLedger {
    if (this.#opened) return this.#opened;
    this.#upkeep().checkVersion();
    for (const statement of [...LEDGER_SCHEMA, ...MORE_SCHEMA]) this.#sql.exec(statement);
    this.#opened = createAccountLedger(toSql(this.ctx.storage));
    return this.#opened;
  }

  /** Throws where a newer version made the tables; false: there is no account. */
  #isWritable(): boolean {
    this.#upkeep().checkVersion();
    return this.#exists();
  }

  /** Anyone may name a profile in a key: a guess must not leave a row behind. */
  #exists(): boolean {
    return this.#sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'keys'").toArray().length > 0;
  }
}
