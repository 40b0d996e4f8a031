// The Account object of a profile: its keys, its sessions, its review slot, its ledger, and its erasures. Called by the API and by
// the profile's sessions. Stores hashes of keys, never keys. An account that was never created stores nothing.
import { DurableObject } from "cloudflare:workers";
import { type Result, assert, err, messageOf, ok } from "../core/errors.ts";
import type { ApprovalMode, StandingAllowance } from "../core/schemas/approvals/approval.ts";
import type { SessionInfo } from "../core/schemas/api.ts";
import {
  type CurationId,
  DAY_MS,
  type ProfileId,
  type SessionId,
  type Sha256,
  type SkillName,
} from "../core/schemas/ids.ts";
import {
  type ProfileSection,
  type ProfileSetting,
  type ProfileSettings,
  noProfileSettings,
} from "../core/schemas/profile/settings.ts";
import type { Settings } from "../core/schemas/settings.ts";
import type { Booking, Budget, MonthSpent, UsageAsked, UsageReport } from "../core/schemas/usage.ts";
import type { ProfileApprovals, ReviewAdmission, ReviewRequest, TurnRequest } from "../core/session/context.ts";
import { KeyDesk } from "./keys/key-desk.ts";
import { KEY_SCHEMA, KEY_UNKNOWN, type KnownKey } from "./keys/key-rows.ts";
import { openKeys } from "./keys/open-keys.ts";
import { createSocketCloser } from "./keys/close-sockets.ts";
import { createKeySockets, toBoardHolder } from "./keys/key-sockets.ts";
import { type AccountEnv, type ErasureKind, beginProfileErasure, createErasures, eraseDue } from "./account-erasure.ts";
import { SignInDesk } from "./keys/sign-in-desk.ts";
import { SIGN_IN_CODE_UNKNOWN } from "./keys/sign-in-codes.ts";
import { type KnownSignIn, SIGN_IN_UNKNOWN } from "./keys/sign-in-rows.ts";
import type { HookEvent } from "../core/schemas/profile/hooks.ts";
import { createAccountApprovals } from "./account-approvals.ts";
import { type SuggestionDecision, createAccountSuggestions } from "./account-suggestions.ts";
import { MORE_SCHEMA, OWN_TABLES, beginSessionErasure, tidyRows } from "./account-tables.ts";
import { ConversationDesk } from "./conversations/conversation-desk.ts";
import { type AccountHooks, createAccountHooks } from "./account-hooks.ts";
import { GrantDesk } from "./experiments/grant-desk.ts";
import { HookDesk } from "./hook-desk.ts";
import type { AccountLibrary } from "./library/account-library.ts";
import { LibraryDesk } from "./library/library-desk.ts";
import { openAccountLibrary } from "./library/open-library.ts";
import { MovingDesk } from "./moving-desk.ts";
import { TrainingDesk } from "./training/training-desk.ts";
import { type AccountSettings, createAccountSettings } from "./account-settings.ts";
import { type RunAllowance, beginDay, collectQuietly, refuseRequest, reserveRun } from "./account-curation.ts";
import { openMonth } from "./account-quota.ts";
import { createUpkeep, sweepMemory } from "./account-upkeep.ts";
import { type SessionPage, createSessionRows } from "./account-sessions.ts";
import { type AccountLedger, LEDGER_SCHEMA, createAccountLedger } from "./account-ledger.ts";
import { DELETED } from "./ledger-lines.ts";
import { createCurationStore } from "../stores/curation/curation-store.ts";
import { markProfileGone } from "../stores/erasure.ts";
import { hasExternalMemory, toErasureStores } from "../wiring/erasure-stores.ts";
import { readSettings } from "../wiring/settings.ts";
import { ResponseDesk } from "./responses/response-desk.ts";
import { type RunDesk, openRunDesk } from "./runs/run-desk.ts";
import { releaseSession } from "./release-session.ts";
import { hasTable, toSql } from "./sql.ts";

/** The alarm returns after this if its work dies. */
const WORK_RETRY_MS = 60_000;
const HOUR_MS = 60 * 60_000;
const PROFILE_GONE = err("profile_gone", "This profile has been deleted.");

export class Account extends DurableObject<AccountEnv> {
  readonly #sql = this.ctx.storage.sql;
  #opened: AccountLedger | null = null;
  #working: Promise<void> | null = null;
  #openedHooks: AccountHooks | null = null;
  #openedLibrary: AccountLibrary | null = null;
  readonly #sockets = () => createKeySockets(toSql(this.ctx.storage));
  readonly #upkeep = () => createUpkeep(toSql(this.ctx.storage));
  readonly #sessions = () => createSessionRows(toSql(this.ctx.storage));
  readonly #profileSettings = () => createAccountSettings(toSql(this.ctx.storage));
  /** The tables must exist. */
  readonly #erasures = () => createErasures(toSql(this.ctx.storage));
  readonly #toWrite = () => (this.#isWritable() ? (this.#ledger(), toSql(this.ctx.storage)) : null);
  readonly #approvals = () => createAccountApprovals(toSql(this.ctx.storage));
  /** What the desks share. `isThere`: false if there is no account; throws if a newer version made the tables, unless the call only reads. */
  readonly #sessionList = {
    isThere: (willWrite: boolean): boolean => (willWrite ? this.#isWritable() : this.#exists()),
    find: (session: SessionId): SessionInfo | undefined => this.findSessions([session])[0],
    register: (session: SessionInfo): boolean => this.registerSession(session),
  };

  /** Creates the account. Idempotent. */
  init(profile: ProfileId): void {
    assert(this.ctx.id.name === profile, "an account is named after its profile");
    this.#upkeep().checkVersion();
    this.ctx.storage.transactionSync(() => {
      for (const statement of [...KEY_SCHEMA, ...LEDGER_SCHEMA, ...MORE_SCHEMA]) this.#sql.exec(statement);
    });
  }

  // ---- keys; keys/account-keys.ts documents them ----

  keyDesk(): KeyDesk {
    const open = (willWrite: boolean) =>
      (willWrite ? this.#isWritable() : this.#exists()) ? this.#credentials().keys : null;
    const noteWork = () => this.#library().noteWork();
    return new KeyDesk(open, () => this.#arm(), this.#sessionList.find, noteWork);
  }

  /** Failures: `key_unknown`, also without a profile; `key_expired`. `willWrite`: throws if a newer version made the tables. */
  check(secret: string, willWrite = false): Result<KnownKey> {
    const checked = this.#exists()
      ? this.#credentials().keys.check(secret, Date.now(), !this.#upkeep().isNewer())
      : KEY_UNKNOWN;
    if (checked.ok && willWrite) this.#upkeep().checkVersion();
    return checked.ok ? ok({ ...checked.value, settingsRev: this.#profileSettings().rev() }) : checked;
  }

  // ---- sign-ins of browsers; keys/sign-in-rows.ts and keys/sign-in-codes.ts document them ----

  /** As `check`, for a cookie. Failure: `sign_in_unknown`. */
  checkSignIn(id: string, secret: string, willWrite = false): Result<KnownSignIn> {
    if (!this.#exists()) return SIGN_IN_UNKNOWN;
    const known = this.#credentials().signIns.check(id, secret, Date.now(), this.#upkeep().isNewer());
    if (known && willWrite) this.#upkeep().checkVersion();
    return known ? ok({ ...known, settingsRev: this.#profileSettings().rev() }) : SIGN_IN_UNKNOWN;
  }

  /** The key that made the code of a sign-in link. Does not spend the code. Failure: `sign_in_code_unknown`, also without a profile. */
  checkSignInCode(code: string): Result<KnownKey> {
    const key = this.#isWritable() ? this.#credentials().signInCodes.check(code, Date.now()) : null;
    return key ? ok({ ...key, settingsRev: this.#profileSettings().rev() }) : SIGN_IN_CODE_UNKNOWN;
  }

  /** The revision of the profile's settings, for a person whom somebody else has checked. `null`: there is no such profile. */
  checkProfile(willWrite = false): number | null {
    if (!(willWrite ? this.#isWritable() : this.#exists())) return null;
    return this.#profileSettings().rev();
  }

  signInDesk(): SignInDesk {
    const open = (willWrite: boolean) => (this.#sessionList.isThere(willWrite) ? this.#credentials() : null);
    return new SignInDesk(open, () => this.#arm());
  }

  #credentials() {
    const deps = { profile: this.ctx.id.name!, raiseVersion: () => this.#upkeep().raiseVersion() };
    return openKeys(toSql(this.ctx.storage), deps);
  }

  /**
   * Call before the session is created, so that every session of a profile is known here. False: the profile was deleted, or the
   * session that began this one.
   */
  registerSession(info: SessionInfo): boolean {
    if (!this.#isWritable()) return false;
    if (info.kind && info.kind !== "chat") this.#ledger(); // an older account has no table of kinds
    if (info.parent && !this.#sessionList.find(info.parent)) return false;
    this.#sessions().add(info);
    return true;
  }

  /**
   * The same, once for each key: the session that the key began before, or this one. `key`: SHA-256 of the idempotency key. `null`:
   * the profile was deleted.
   */
  registerSessionOnce(key: Sha256, info: SessionInfo): SessionId | null {
    return this.ctx.storage.transactionSync(() => {
      if (!this.#isWritable()) return null;
      const known = this.#sessions().begunBy(key);
      if (known !== null) return known;
      if (!this.registerSession(info)) return null;
      this.#sessions().putRequest(key, info.session);
      return info.session;
    });
  }

  /** Conversations of compatible clients; conversations/conversation-desk.ts documents the calls. */
  conversationDesk(): ConversationDesk {
    return new ConversationDesk(this.ctx.storage, this.#sessionList);
  }

  /** Newest first, those created before `after`. Chats, unless another kind is asked for. */
  listSessions({ kind = "chat", ...page }: Omit<SessionPage, "kind"> & Partial<SessionPage>): SessionInfo[] {
    return this.#exists() ? this.#sessions().list({ ...page, kind }) : [];
  }

  /** Those of these sessions that exist, in any order. */
  findSessions(sessions: SessionId[]): SessionInfo[] {
    return this.#exists() ? this.#sessions().find(sessions) : [];
  }

  /** A person has given the session a title. Idempotent. */
  renameSession(session: SessionId, title: string): void {
    if (this.#isWritable()) this.#sessions().rename(session, title);
  }

  reserveReview(request: ReviewRequest): ReviewAdmission {
    assert(this.#isWritable(), "only an account that exists has reviews");
    return this.#month().reserveReview(request);
  }

  /** How much a turn may spend of the profile's daily budget; `null` if nothing is left. */
  async reserveTurn(request: TurnRequest): Promise<Budget | MonthSpent | null> {
    assert(this.#isWritable(), "only an account that exists has turns");
    const budget = this.#month().reserveTurn(request);
    if (budget) return budget;
    // A finished curation may have released part of its reservation.
    await this.#collect();
    return this.#month().reserveTurn(request);
  }

  #month() {
    return openMonth(toSql(this.ctx.storage), this.#profileSettings(), this.#ledger());
  }

  /**
   * Requests a curation, and says what it may spend if there is a daily budget. Failures: `profile_gone`, `too_many_runs` with the
   * time of the next request.
   */
  async askForCuration(run: CurationId, asksModels: boolean): Promise<Result<RunAllowance>> {
    if (!this.#isWritable()) return err("profile_gone", "This profile has been deleted.");
    const [ledger, settings, now] = [this.#ledger(), this.#settings(), Date.now()];
    const refused = refuseRequest(toSql(this.ctx.storage), now, settings.curation.maxRequests);
    if (refused) return refused;
    if (!asksModels) return ok({ allowance: null });
    await this.#collect();
    return ok({ allowance: reserveRun(ledger, settings, run, now) });
  }

  /** Idempotent. A deleted profile has no ledger; its bookings are ignored, so that its sessions do not repeat them. */
  book(booking: Booking): void {
    if (!this.#isWritable()) return;
    const { session, title } = booking;
    const ledger = this.#ledger();
    const isDeleted = this.#erasures().has("session", session);
    ledger.book(isDeleted ? { ...booking, session: DELETED } : booking);
    const hasNews = this.#library().noteWork();
    this.ctx.waitUntil(
      Promise.all([this.#noteDay(Date.now()), this.#reportCurations()])
        .then(async () => hasNews && (await this.#arm()))
        .catch((error: unknown) => console.error(`account: upkeep: ${messageOf(error)}`)),
    );
    if (title) this.#sessions().entitle(session, title);
  }

  /** `null`: the profile was deleted. */
  async usage(asked: UsageAsked): Promise<UsageReport | null> {
    if (!this.#exists()) return null;
    await this.#collect();
    return this.#ledger().report({ ...asked, now: Date.now() });
  }

  /** The profile was used without a turn. Its removals in memory must be swept later. */
  async noteActivity(): Promise<void> {
    if (this.#isWritable()) await this.#noteDay(Date.now());
  }

  /** Once a day: postpones the alarm, so that an idle profile is woken only once, after its last day of use. */
  async #noteDay(now: number): Promise<void> {
    this.#ledger();
    const noted = this.#upkeep().note(now, this.#settings().memory.sweepDays);
    if (!noted) return;
    await this.#arm();
    await beginDay(this.#profileLedger(), { env: this.env, settings: this.#settings(), before: noted.before, now });
  }

  #collect(): Promise<void> {
    return collectQuietly(this.#profileLedger(), Date.now());
  }

  #profileLedger() {
    return { bucket: toErasureStores(this.env).bucket, profile: this.ctx.id.name!, ledger: this.#ledger() };
  }

  /** Sweeps the memory of an idle profile, and tidies the ledger. */
  async #sweepDue(): Promise<void> {
    const [upkeep, now] = [this.#upkeep(), Date.now()];
    if (!upkeep.isDue(now)) return;
    this.#ledger().tidy(now);
    this.#credentials().keys.tidy(now);
    if (this.#hasTable("hook_delivery")) this.#hooks().tidy(now);
    tidyRows(toSql(this.ctx.storage), now);
    upkeep.swept(now, await sweepMemory(this.env, this.ctx.id.name!, now - this.#settings().memory.sweepDays * DAY_MS));
  }

  // ---- approvals ----

  readApprovals(): ProfileApprovals {
    return this.#approvals().read();
  }

  /** Idempotent by `id`. Failures: `profile_gone`, `too_many_allowances`. */
  allow(allowance: Omit<StandingAllowance, "v">): Result<null> {
    return this.#isWritable() ? this.#approvals().allow(allowance) : PROFILE_GONE;
  }

  /** Failures: `profile_gone`, `allowance_not_found`. */
  revokeAllowance(id: string): Result<null> {
    if (!this.#isWritable()) return PROFILE_GONE;
    if (this.#approvals().revoke(id)) return ok(null);
    return err("allowance_not_found", "This profile has no allowance of that id.");
  }

  /** Failure: `profile_gone`. */
  putApprovalMode(mode: ApprovalMode | null): Result<null> {
    if (!this.#isWritable()) return PROFILE_GONE;
    this.#approvals().putMode(mode);
    return ok(null);
  }

  // ---- suggestions ----

  /** What was decided, with `decision`, which is stored first. Idempotent: what was said first stays. Failure: `profile_gone`. */
  suggestionDecisions(decision: SuggestionDecision | null): Result<SuggestionDecision[]> {
    return this.#isWritable() ? ok(createAccountSuggestions(toSql(this.ctx.storage)).put(decision)) : PROFILE_GONE;
  }

  // ---- settings of the profile ----

  readSettings(): ProfileSettings {
    return this.#exists() ? this.#profileSettings().read() : noProfileSettings();
  }

  /** Replaces the value of the key. Failures: `profile_gone`, `too_many_settings`, `setting_too_large`. */
  putSetting<Of extends ProfileSection>(section: Of, key: string, value: ProfileSetting<Of>): Result<null> {
    return this.#isWritable() ? this.#profileSettings().put(section, key, value) : PROFILE_GONE;
  }

  /** Sets values of a section, and removes those that are `null`; all or none. Failures: as `putSetting`. */
  changeSettings(...[section, changes]: Parameters<AccountSettings["change"]>): Result<null> {
    return this.#isWritable() ? this.#profileSettings().change(section, changes) : PROFILE_GONE;
  }

  /** Failures: `profile_gone`, `setting_not_found`. */
  removeSetting(section: ProfileSection, key: string): Result<null> {
    if (!this.#isWritable()) return PROFILE_GONE;
    if (section === "boards") this.#sockets().forgetSession(toBoardHolder(key));
    if (this.#profileSettings().remove(section, key)) return ok(null);
    return err("setting_not_found", `This profile has no ${section} of that name.`);
  }

  movingDesk(): MovingDesk {
    return new MovingDesk(this.#toWrite);
  }
  grantDesk(): GrantDesk {
    return new GrantDesk(this.#toWrite, this.env);
  }

  trainingDesk(): TrainingDesk {
    return new TrainingDesk((willWrite) => (this.#sessionList.isThere(willWrite) ? toSql(this.ctx.storage) : null));
  }

  // ---- webhooks; account-hooks.ts documents them ----

  hookDesk(): HookDesk {
    return new HookDesk((willWrite) => (this.#sessionList.isThere(willWrite) ? this.#hooks() : null));
  }

  /** An event of a session. Once this has answered, the event is sent to every hook that wants it. Ignores deleted sessions. */
  async takeHookEvent(event: HookEvent): Promise<void> {
    if (!this.#isWritable()) return;
    if (event.session && this.#hasTable("erasure") && this.#erasures().has("session", event.session)) return;
    if (!this.#hooks().take(event)) return;
    this.#sendHookEvents();
    await this.#arm();
  }

  /** Hands to the hooks what curations have withdrawn: the curator has no way out. */
  async #reportCurations(): Promise<void> {
    if (
      this.#profileSettings().rev() === 0 ||
      !(await this.#hooks().lookAtCurations(() => createCurationStore(toErasureStores(this.env))))
    )
      return;
    this.#sendHookEvents();
    await this.#arm();
  }

  /** Not awaited: receivers may be slow, and no alarm fires while one is handled. */
  #sendHookEvents(): void {
    const sent = this.#hooks()
      .sendDue()
      .then(() => this.#arm());
    this.ctx.waitUntil(sent.catch((error: unknown) => console.error(`account: hooks: ${messageOf(error)}`)));
  }

  #hooks(): AccountHooks {
    this.#openedHooks ??= createAccountHooks({
      sql: toSql(this.ctx.storage),
      env: this.env,
      profile: this.ctx.id.name!,
      settings: this.#profileSettings(),
      exists: () => this.#exists(),
    });
    return this.#openedHooks;
  }

  // ---- the shared library; library/account-library.ts documents it ----

  libraryDesk(): LibraryDesk {
    const open = (willWrite: boolean) => (this.#sessionList.isThere(willWrite) ? this.#library() : null);
    return new LibraryDesk(open, () => this.#arm());
  }

  /** Another profile no longer follows this one, or no longer shares with it. Called by the erasures of its Account. */
  async partLibrary(...parted: Parameters<AccountLibrary["part"]>): Promise<void> {
    if (this.#isWritable()) await this.#library().part(...parted);
  }

  /** A verdict has withdrawn a text that is shared. */
  async tellFollowers(): Promise<void> {
    if (this.#isWritable()) this.#library().planTelling(Date.now());
    await this.#arm();
  }

  #library(): AccountLibrary {
    const [sql, profile, makeTables] = [toSql(this.ctx.storage), this.ctx.id.name!, () => void this.#ledger()];
    return (this.#openedLibrary ??= openAccountLibrary({ sql, env: this.env, profile, makeTables }));
  }

  /** runs/account-runs.ts documents the calls. */
  runDesk(): RunDesk {
    return openRunDesk(this.ctx, this.env, this.#sessionList);
  }
  responseDesk(): ResponseDesk {
    return new ResponseDesk(this.ctx.storage, this.#sessionList);
  }

  /** In force for this profile. */
  #settings(): Settings {
    return this.#month().limit(this.#profileSettings().inForce(readSettings(this.env)), Date.now());
  }

  // ---- deletion ----

  /**
   * Also deletes the sessions that this one began. `unknown`: there is no such session. `pending`: a store failed, and the alarm
   * retries. The alarm also sweeps what late writes leave.
   */
  async eraseSession(session: SessionId): Promise<"unknown" | "pending" | "deleted"> {
    if (!this.#isWritable()) return "unknown";
    const ledger = this.#ledger();
    const isListed = this.#sessions().find([session]).length > 0;
    if (isListed) await releaseSession(this.env.SESSION, this.ctx.id.name!, session, ledger);
    if (!this.#isWritable()) return "unknown"; // the profile was deleted meanwhile
    const known = beginSessionErasure(this.ctx.storage, { session, ledger, now: Date.now() });
    return known ? this.#erase("session", session) : "unknown";
  }

  /** The same for a skill. The caller has checked that it exists. */
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

  /** Deletes keys, sessions and the ledger at once, and everything else in passes. False: there is no such profile. */
  async eraseProfile(): Promise<boolean> {
    const profile = this.ctx.id.name!;
    if (!this.#isWritable()) return false;
    this.#ledger();
    await markProfileGone({ bucket: toErasureStores(this.env).bucket, profile });
    // Another request has deleted the profile meanwhile.
    if (!this.#exists()) {
      await this.#work();
      return true;
    }
    const hasExternal = hasExternalMemory(this.env);
    this.#library().partFromAll();
    beginProfileErasure(toSql(this.ctx.storage), { profile, hasExternal, tables: OWN_TABLES, now: Date.now() });
    this.#opened = null;
    await this.#work();
    return true;
  }

  /** Whether a deletion still waits for its first pass. */
  isErasing(): boolean {
    return (
      this.#hasTable("erasure") && this.#sql.exec("SELECT 1 FROM erasure WHERE pass = 0 LIMIT 1").toArray().length > 0
    );
  }

  /** If a newer version made the tables, repeats until that version runs. A throw would end the alarm after six retries. */
  override async alarm(): Promise<void> {
    try {
      this.#upkeep().checkVersion();
    } catch (error) {
      console.error(messageOf(error));
      return this.ctx.storage.setAlarm(Date.now() + HOUR_MS);
    }
    await this.#work();
  }

  /** One run at a time; a second caller waits. The alarm is set before any work, so that a crash is recovered. */
  async #work(): Promise<void> {
    while (this.#working) await this.#working;
    this.#working = this.#runDue().finally(() => (this.#working = null));
    await this.#working;
  }

  async #runDue(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + WORK_RETRY_MS);
    await this.#sockets().closeDue(Date.now(), createSocketCloser(this.env, this.ctx.id.name!));
    if (this.#hasTable("erasure")) await this.#eraseDue();
    if (this.#exists()) await this.#sweepDue();
    if (this.#hasTable("hook_delivery")) this.#sendHookEvents();
    // Not awaited either: it waits for other Accounts.
    this.ctx.waitUntil(
      this.#library()
        .sendDue()
        .then(() => this.#arm()),
    );
    await this.#arm();
  }

  async #eraseDue(): Promise<void> {
    const profile = this.ctx.id.name!;
    const isGone = !this.#exists();
    const erasures = this.#erasures();
    const hasSkills = erasures.due(Date.now()).some(({ kind }) => kind === "skill");
    await eraseDue({ env: this.env, stores: toErasureStores(this.env), profile, erasures, isGone });
    // After each pass: while a store fails, the skill is still shared.
    if (hasSkills && !isGone) this.#library().planTelling(Date.now());
    // After the last pass only the profile's mark in R2 remains, and nothing here.
    if (isGone && !erasures.isOpen()) {
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
    }
  }

  async #arm(): Promise<void> {
    const dues = [
      this.#hasTable("erasure") ? this.#erasures().nextDue() : null,
      this.#exists() ? this.#upkeep().due() : null,
      this.#sockets().nextDue(),
      this.#hasTable("hook_delivery") ? this.#hooks().nextDue() : null,
      this.#library().nextDue(),
    ].filter((at) => at !== null);
    const due = dues.length === 0 ? null : Math.min(...dues);
    if (due === null) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(Math.max(due, Date.now()));
  }

  /** Creates missing tables: older accounts have no ledger. */
  #ledger(): AccountLedger {
    if (this.#opened) return this.#opened;
    this.#upkeep().checkVersion();
    for (const statement of [...LEDGER_SCHEMA, ...MORE_SCHEMA]) this.#sql.exec(statement);
    this.#opened = createAccountLedger(toSql(this.ctx.storage));
    return this.#opened;
  }

  /** False: there is no account. Throws if a newer version made the tables. */
  #isWritable(): boolean {
    this.#upkeep().checkVersion();
    return this.#exists();
  }

  /** Reads without creating tables: anyone may guess a profile's id, and a guess must not leave rows. */
  #exists(): boolean {
    return this.#hasTable("keys");
  }

  #hasTable(name: string): boolean {
    return hasTable(toSql(this.ctx.storage), name);
  }
}
