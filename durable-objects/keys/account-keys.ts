// What may be done with the keys of a profile, and by whom: made, listed, changed, rotated, revoked. Nobody gives more rights than
// they have, and one admin key without an expiry always remains. Called by the Account. Has no clock: callers pass the time.
import { type Result, err, ok } from "../../core/errors.ts";
import type { ChangeKey, CreateKey, CreatedKey, KeyInfo } from "../../core/schemas/api.ts";
import { DAY_MS } from "../../core/schemas/ids.ts";
import type { Actor } from "../../core/schemas/keys/actor.ts";
import type { NewAuditEntry } from "../../core/schemas/keys/audit.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { ALL_SCOPES, type Scope } from "../../core/schemas/keys/scope.ts";
import { createKeyId, createSecret, toKey } from "../account-key.ts";
import type { Sql } from "../../core/ports.ts";
import { createAuditRows } from "./audit-rows.ts";
import { type CheckedKey, KEY_UNKNOWN, type KeyRow, createKeyRows } from "./key-rows.ts";
import { type NewSocket, type SocketHolder, createKeySockets } from "./key-sockets.ts";
import type { SignInCodes } from "./sign-in-codes.ts";
import type { SignInRows } from "./sign-in-rows.ts";

/** [own] Limited because each check compares with all keys. */
const MAX_KEYS = 100;

/** How long an expired key stays listed. */
const KEEP_EXPIRED_MS = 90 * DAY_MS;

/** What somebody may give a key: no other scopes, and no later end. */
interface Rights {
  scopes: readonly Scope[];
  end: number | null;
}

export interface AccountKeysDeps {
  sql: Sql;
  profile: string;
  /** A version that ignores scopes and expiry must not write this account any more. */
  raiseVersion(): void;
  signIns: Pick<SignInRows, "find" | "ofKey" | "endOfKey" | "tidy">;
  signInCodes: Pick<SignInCodes, "endOfKey" | "tidy">;
}

/** What opens a WebSocket. */
export type SocketOpener =
  | { kind: "key"; id: string; rotation: number }
  | { kind: "cookie"; id: string }
  | { kind: "access"; who: string; end: number };

export type AccountKeys = ReturnType<typeof createAccountKeys>;

export function createAccountKeys({ sql, profile, raiseVersion, signIns, signInCodes }: AccountKeysDeps) {
  const rows = createKeyRows(sql);
  const sockets = createKeySockets(sql);
  const audit = createAuditRows(sql);

  /**
   * Of the credential itself: the old secret of a key and the sign-in of a browser end before their key, and nothing that they make
   * may outlive them. Failure: `key_unknown`: what asks has ended meanwhile.
   */
  function rightsOf({ name, key, rotation, scopes }: Actor, now: number): Result<Rights> {
    if (key === undefined) return ok({ scopes, end: null });
    const checked = rotation === undefined ? signIns.find(name, now) : rows.checkRotation(key, rotation, now);
    if (!checked) return KEY_UNKNOWN;
    return ok({ scopes: checked.scopes.filter((scope) => scopes.includes(scope)), end: checked.end });
  }

  function findKey(id: string): Result<KeyRow> {
    const row = rows.find(id);
    return row ? ok(row) : err("key_not_found", "This profile has no working key of that id.");
  }

  /** Whether a permanent admin key remains without this one. Failure: `last_key`. */
  function checkOthers(id: string): Result<null> {
    const isPermanent = ({ scopes, expiresAt }: KeyRow) => scopes.includes("admin") && expiresAt === null;
    const row = rows.find(id);
    if (!row || !isPermanent(row) || rows.list().some((other) => other.id !== id && isPermanent(other)))
      return ok(null);
    return err(
      "last_key",
      "This is the profile's last admin key that does not expire: make another one first (POST /v1/keys).",
    );
  }

  return {
    audit,
    /** With the label that the key has now. */
    noteAct(entry: NewAuditEntry, now: number): void {
      audit.add(entry, now, entry.key === undefined ? undefined : rows.find(entry.key)?.label);
    },
    /** Failures: `key_unknown`, `key_expired`. `mayWrite`: the use is noted. */
    check(secret: string, now: number, mayWrite: boolean): Result<CheckedKey> {
      const checked = rows.check(secret, now);
      if (checked.ok && mayWrite) rows.noteUse(checked.value.id, now);
      return checked;
    },
    /** Call before a WebSocket is opened: it is closed when its key ends. Gives the tag of the socket. Failure: `key_unknown`. */
    noteSocket(opener: SocketOpener, holder: SocketHolder, now: number): Result<string> {
      const socket = toSocket(opener, now);
      if (!socket) return KEY_UNKNOWN;
      sockets.note({ ...socket, session: holder }, now);
      return ok(socket.owner);
    },
    /** Forgets keys that expired long ago. */
    tidy(now: number): void {
      rows.tidy(now - KEEP_EXPIRED_MS);
      signIns.tidy(now);
      signInCodes.tidy(now);
      audit.tidy(now);
    },
    /** Oldest first. */
    list: (now: number): KeyInfo[] => rows.list().map((row) => toKeyInfo(row, now)),

    /** The answer is the only place where the key appears. Failures: `too_many_keys`, `scope_exceeded`, `bad_expiry`, `key_unknown`. */
    create(
      { label = "", scopes, expiresAt }: Omit<CreateKey, "profile">,
      actor: Actor,
      now: number,
    ): Result<CreatedKey> {
      const rights = rightsOf(actor, now);
      if (!rights.ok) return rights;
      const end = expiresAt ?? rights.value.end;
      const wanted = { scopes: scopes ?? rights.value.scopes, end };
      const allowed = checkRights(wanted, rights.value, now);
      if (!allowed.ok) return allowed;
      if (rows.list().length >= MAX_KEYS) {
        return err("too_many_keys", `A profile has at most ${MAX_KEYS} keys: revoke one first.`);
      }
      const secret = createSecret();
      const row = {
        id: createKeyId(),
        label,
        createdAt: now,
        scopes: wanted.scopes,
        expiresAt: end,
        madeBy: actor.name,
      };
      sql.transaction(() => {
        rows.put(row, secret);
        if (end !== null || wanted.scopes.length < ALL_SCOPES.length) raiseVersion();
      });
      return toCreated(row.id, secret, now);
    },

    /** Failures: `key_not_found`, `last_key`, `scope_exceeded`, `bad_expiry`, `key_unknown`. */
    change(id: string, { label, expiresAt }: ChangeKey, actor: Actor, now: number): Result<KeyInfo> {
      const found = findKey(id);
      if (!found.ok) return found;
      const rights = rightsOf(actor, now);
      if (!rights.ok) return rights;
      const row = { label: label ?? found.value.label, expiresAt: found.value.expiresAt };
      if (expiresAt !== undefined) {
        const allowed = checkRights({ scopes: found.value.scopes, end: expiresAt }, rights.value, now);
        if (!allowed.ok) return allowed;
        const others = expiresAt === null ? ok(null) : checkOthers(id);
        if (!others.ok) return others;
        row.expiresAt = expiresAt;
      }
      sql.transaction(() => {
        rows.change(id, row);
        if (expiresAt !== undefined) sockets.moveEnd(id, expiresAt);
        if (row.expiresAt !== null) raiseVersion();
      });
      return ok(toKeyInfo(rows.find(id)!, now));
    },

    /** The old secret works until `graceMs` from now. Failures: `key_not_found`, `scope_exceeded`, `key_expired`, `key_unknown`. */
    rotate(id: string, graceMs: number, actor: Actor, now: number): Result<CreatedKey> {
      const found = findKey(id);
      if (!found.ok) return found;
      const rights = rightsOf(actor, now);
      if (!rights.ok) return rights;
      const { scopes, expiresAt: end, rotation } = found.value;
      // The caller learns the new secret.
      const allowed = checkRights({ scopes, end }, rights.value, now);
      if (!allowed.ok) return allowed;
      const secret = createSecret();
      sql.transaction(() => {
        rows.rotate(id, secret, graceMs > 0 ? now + graceMs : null);
        sockets.endOwner(toSocketOwner(id, rotation), now + graceMs, "rotated");
        if (rotation > 0) sockets.endOwner(toSocketOwner(id, rotation - 1), now, "rotated");
        for (const signIn of signIns.ofKey(id))
          sockets.endOwner(signIn.id, signIn.rotation === rotation ? now + graceMs : now, "rotated");
      });
      return toCreated(id, secret, now);
    },

    /** Failures: `key_not_found`, also for a key that is revoked already; `last_key`. */
    revoke(id: string, now: number): Result<null> {
      const found = findKey(id);
      if (!found.ok) return found;
      const others = checkOthers(id);
      if (!others.ok) return others;
      sql.transaction(() => {
        rows.remove(id);
        sockets.endKey(id, now, "revoked");
        signIns.endOfKey(id);
        signInCodes.endOfKey(id);
      });
      return ok(null);
    },
  };

  /** `null`: what opens it has ended. */
  function toSocket(opener: SocketOpener, now: number): Omit<NewSocket, "session"> | null {
    if (opener.kind === "cookie") {
      const signIn = signIns.find(opener.id, now);
      return signIn && { owner: signIn.id, key: signIn.key, ownerEnd: signIn.end, keyEnd: null };
    }
    if (opener.kind === "access") {
      const owner = `access.${sha256Hex(opener.who).slice(0, 16)}`;
      return { owner, key: "access", ownerEnd: opener.end, keyEnd: null };
    }
    const { id, rotation } = opener;
    const checked = rows.checkRotation(id, rotation, now);
    const keyEnd = rows.find(id)?.expiresAt ?? null;
    const ownerEnd = checked?.end === keyEnd ? null : (checked?.end ?? null);
    return checked && { owner: toSocketOwner(id, rotation), key: id, ownerEnd, keyEnd };
  }

  function toCreated(id: string, secret: string, now: number): Result<CreatedKey> {
    return ok({ ...toKeyInfo(rows.find(id)!, now), profile, key: toKey(profile, secret) });
  }
}

/** The tag of the sockets that a secret has opened. */
function toSocketOwner(key: string, rotation: number): string {
  return `${key}.${rotation}`;
}

/** Failures: `bad_expiry`, `scope_exceeded`. */
function checkRights(wanted: Rights, own: Rights, now: number): Result<null> {
  if (wanted.end !== null && wanted.end <= now) {
    return err("bad_expiry", "`expiresAt` is in the past. Give a later time, in milliseconds since 1970.");
  }
  const missing = wanted.scopes.filter((scope) => !own.scopes.includes(scope));
  if (missing.length > 0) {
    return err("scope_exceeded", `Your own key does not have ${missing.join(" and ")}, so it cannot give it to a key.`);
  }
  if (own.end !== null && (wanted.end === null || wanted.end > own.end)) {
    return err("scope_exceeded", "Your own key or sign-in expires, so it cannot give a key a later end than its own.");
  }
  return ok(null);
}

function toKeyInfo(
  { id, label, scopes, createdAt, expiresAt, usedAt, madeBy, oldUntil }: KeyRow,
  now: number,
): KeyInfo {
  return {
    ...{ id, label, scopes: [...scopes], createdAt },
    ...(expiresAt !== null && { expiresAt }),
    ...(usedAt !== null && { usedAt }),
    ...(madeBy !== null && { madeBy }),
    ...(oldUntil !== null && oldUntil > now && { oldSecretUntil: oldUntil }),
  };
}
