// What the API asks of a profile's keys. The Account hands it out; account-keys.ts documents the calls. Each fails with
// `profile_not_found` if there is no profile.
import { RpcTarget } from "cloudflare:workers";
import { type Result, err } from "../../core/errors.ts";
import type { ChangeKey, CreateKey, CreatedKey, KeyInfo, SessionInfo } from "../../core/schemas/api.ts";
import type { AuditAsked, AuditEntry, NewAuditEntry, SkillAct } from "../../core/schemas/keys/audit.ts";
import type { Actor } from "../../core/schemas/keys/actor.ts";
import type { SessionId, SkillName } from "../../core/schemas/ids.ts";
import type { AccountKeys, SocketOpener } from "./account-keys.ts";
import { KEY_UNKNOWN } from "./key-rows.ts";
import { type SocketHolder, readBoardHolder } from "./key-sockets.ts";

const NO_SESSION = err("session_not_found", "This profile has no session with that id.");
const NO_PROFILE = err("profile_not_found", "There is no profile of that id.");

export class KeyDesk extends RpcTarget {
  readonly #open: (willWrite: boolean) => AccountKeys | null;
  readonly #arm: () => Promise<void>;
  readonly #findSession: (session: SessionId) => SessionInfo | undefined;
  readonly #noteWork: () => boolean;

  /** `noteWork`: what was done may concern the library; true if the alarm must be set. `open`: `null` for a deleted profile. Throws if a newer version made its tables, unless the call only reads. */
  constructor(
    open: (willWrite: boolean) => AccountKeys | null,
    arm: () => Promise<void>,
    findSession: (session: SessionId) => SessionInfo | undefined,
    noteWork: () => boolean,
  ) {
    super();
    this.#open = open;
    this.#arm = arm;
    this.#findSession = findSession;
    this.#noteWork = noteWork;
  }

  list(): KeyInfo[] {
    return this.#open(false)?.list(Date.now()) ?? [];
  }
  create(input: Omit<CreateKey, "profile">, actor: Actor): Result<CreatedKey> {
    return this.#open(true)?.create(input, actor, Date.now()) ?? NO_PROFILE;
  }
  async change(id: string, changes: ChangeKey, actor: Actor): Promise<Result<KeyInfo>> {
    const changed = this.#open(true)?.change(id, changes, actor, Date.now()) ?? NO_PROFILE;
    await this.#arm();
    return changed;
  }
  async rotate(id: string, graceMs: number, actor: Actor): Promise<Result<CreatedKey>> {
    const rotated = this.#open(true)?.rotate(id, graceMs, actor, Date.now()) ?? NO_PROFILE;
    await this.#arm();
    return rotated;
  }
  async revoke(id: string): Promise<Result<null>> {
    const revoked = this.#open(true)?.revoke(id, Date.now()) ?? NO_PROFILE;
    await this.#arm();
    return revoked;
  }
  /** A board must exist. Failures: `key_unknown`; `session_not_found`, of which nothing is noted. */
  async noteSocket(opener: SocketOpener, holder: SocketHolder): Promise<Result<string>> {
    const keys = this.#open(true);
    if (keys && readBoardHolder(holder) === null && !this.#findSession(holder)) return NO_SESSION;
    const noted = keys?.noteSocket(opener, holder, Date.now()) ?? KEY_UNKNOWN;
    await this.#arm();
    return noted;
  }
  /** Nothing is noted of a deleted profile. */
  async noteAct(entry: NewAuditEntry): Promise<void> {
    const keys = this.#open(true);
    keys?.noteAct(entry, Date.now());
    if (keys && this.#noteWork()) await this.#arm();
  }
  skillActs(name: SkillName): SkillAct[] {
    return this.#open(false)?.audit.ofSkill(name, Date.now()) ?? [];
  }
  listAudit(asked: AuditAsked): AuditEntry[] {
    return this.#open(false)?.audit.list(asked, Date.now()) ?? [];
  }
}
