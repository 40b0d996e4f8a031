// The keys of a profile: scopes, expiry, rotation, and who may give what.
import { describe, expect, test } from "vitest";
import type { Result } from "../../../core/errors.ts";
import type { CreatedKey } from "../../../core/schemas/api.ts";
import type { Actor } from "../../../core/schemas/keys/actor.ts";
import { ALL_SCOPES } from "../../../core/schemas/keys/scope.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { createSecret, parseKey } from "../../../durable-objects/account-key.ts";
import { createAccountKeys } from "../../../durable-objects/keys/account-keys.ts";
import { KEY_SCHEMA, createKeyRows } from "../../../durable-objects/keys/key-rows.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

const OPERATOR: Actor = { name: "operator", scopes: ALL_SCOPES };
const NOW = 1_000_000_000_000;
const HOUR = 3_600_000;
const by = (key: string, scopes = ALL_SCOPES, rotation = 0): Actor => ({ name: key, key, rotation, scopes });

const SIGN_IN = { id: "sin_1", key: "", rotation: 0, scopes: ALL_SCOPES, end: NOW + HOUR };

/** Every key has one sign-in. */
function open() {
  const sql = createNodeSql();
  for (const statement of KEY_SCHEMA) sql.run(statement);
  const seen = { versions: 0, ended: [] as string[] };
  const keys = createAccountKeys({
    sql,
    profile: "0".repeat(26),
    raiseVersion: () => void seen.versions++,
    signIns: {
      find: (id, now) => (id === SIGN_IN.id && now < SIGN_IN.end ? SIGN_IN : null),
      ofKey: () => [SIGN_IN],
      endOfKey: (key) => void seen.ended.push(key),
      tidy: () => {},
    },
    signInCodes: { endOfKey: () => {}, tidy: () => {} },
  });
  return { sql, keys, seen, rows: createKeyRows(sql, (a, b) => a === b) };
}

function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
}
const secretOf = ({ key }: CreatedKey) => parseKey(key)!.secret;
const failure = (code: string) => ({ ok: false, failure: { code } });

describe("a key", () => {
  test("has all scopes from the operator, no end, and its maker's name", () => {
    const { keys, seen } = open();
    const made = unwrap(keys.create({ label: "first" }, OPERATOR, NOW));
    expect(keys.list(NOW)).toEqual([
      { id: made.id, label: "first", scopes: ["read", "write", "admin"], createdAt: NOW, madeBy: "operator" },
    ]);
    expect(seen.versions).toBe(0);
  });

  test("that may not do everything, or expires, locks out versions that would let it", () => {
    const { keys, seen } = open();
    unwrap(keys.create({ scopes: ["read"] }, OPERATOR, NOW));
    expect(seen.versions).toBe(1);
    const { id } = unwrap(keys.create({}, OPERATOR, NOW));
    expect(seen.versions).toBe(1);
    unwrap(keys.create({ expiresAt: NOW + 1 }, OPERATOR, NOW));
    unwrap(keys.create({}, OPERATOR, NOW));
    unwrap(keys.change(id, { expiresAt: NOW + 5 }, OPERATOR, NOW));
    expect(seen.versions).toBe(3);
  });

  test("ends at its expiry, and not a millisecond later", () => {
    const { keys, rows } = open();
    const made = unwrap(keys.create({ expiresAt: NOW + HOUR }, OPERATOR, NOW));
    const check = (at: number) => rows.check(secretOf(made), at);
    expect(check(NOW + HOUR - 1)).toMatchObject({ value: { id: made.id, end: NOW + HOUR } });
    expect(check(NOW + HOUR)).toMatchObject(failure("key_expired"));
    expect(rows.check(createSecret(), NOW + HOUR)).toMatchObject(failure("key_unknown"));
    expect(keys.create({ expiresAt: NOW }, OPERATOR, NOW)).toMatchObject(failure("bad_expiry"));
  });

  test("notes its last use once an hour", () => {
    const { sql, keys, rows } = open();
    const { id } = unwrap(keys.create({}, OPERATOR, NOW));
    const usedAt = () => keys.list(NOW)[0]!.usedAt;
    rows.noteUse(id, NOW);
    const changes = () => sql.run<{ n: number }>("SELECT total_changes() AS n")[0]!.n;
    const before = changes();
    rows.noteUse(id, NOW + HOUR - 1);
    expect([usedAt(), changes()]).toEqual([NOW, before]);
    rows.noteUse(id, NOW + HOUR);
    expect(usedAt()).toBe(NOW + HOUR);
  });

  test("of an account without the newer columns has all scopes, and gets the columns with its first use", () => {
    const { sql, keys, rows } = open();
    const secret = createSecret();
    sql.run("INSERT INTO keys VALUES ('key_old', ?, 'old', ?, NULL)", sha256Hex(secret), NOW);
    sql.run("INSERT INTO keys VALUES ('key_gone', ?, 'gone', ?, ?)", sha256Hex("gone"), NOW, NOW);
    const old = { id: "key_old", label: "old", scopes: ["read", "write", "admin"], createdAt: NOW };
    expect(keys.list(NOW)).toEqual([old]);
    expect(rows.check(secret, NOW)).toEqual({
      ok: true,
      value: { id: "key_old", rotation: 0, scopes: ALL_SCOPES, end: null },
    });
    expect(rows.check("gone", NOW)).toMatchObject(failure("key_unknown"));
    rows.noteUse("key_old", NOW);
    expect(keys.list(NOW)).toEqual([{ ...old, usedAt: NOW }]);
    expect(rows.check(secret, NOW)).toMatchObject({ ok: true });
  });
});

describe("nobody gives more than they have", () => {
  test("not a scope, by a new key or a rotated one", () => {
    const { keys } = open();
    const whole = unwrap(keys.create({}, OPERATOR, NOW));
    const admin = unwrap(keys.create({ scopes: ["read", "admin"] }, OPERATOR, NOW));
    expect(keys.create({ scopes: ["write"] }, by(admin.id), NOW)).toMatchObject(failure("scope_exceeded"));
    expect(keys.rotate(whole.id, 0, by(admin.id), NOW)).toMatchObject(failure("scope_exceeded"));
    expect(unwrap(keys.create({}, by(admin.id), NOW))).toMatchObject({ scopes: ["read", "admin"], madeBy: admin.id });
    // A sign-in with fewer scopes than its key.
    expect(keys.create({ scopes: ["read"] }, by(whole.id, ["admin"]), NOW)).toMatchObject(failure("scope_exceeded"));
  });

  test("not a later end, by a new key, a changed one or a rotated one", () => {
    const { keys } = open();
    const whole = unwrap(keys.create({}, OPERATOR, NOW));
    const guest = unwrap(keys.create({ expiresAt: NOW + HOUR }, OPERATOR, NOW));
    const asGuest = by(guest.id);
    expect(keys.create({ expiresAt: NOW + HOUR + 1 }, asGuest, NOW)).toMatchObject(failure("scope_exceeded"));
    expect(keys.change(guest.id, { expiresAt: null }, asGuest, NOW)).toMatchObject(failure("scope_exceeded"));
    expect(keys.rotate(whole.id, 0, asGuest, NOW)).toMatchObject(failure("scope_exceeded"));
    expect(unwrap(keys.create({}, asGuest, NOW)).expiresAt).toBe(NOW + HOUR);
    expect(unwrap(keys.change(guest.id, { label: "guest" }, asGuest, NOW)).label).toBe("guest");
  });

  test("not with the old secret of a rotated key: nothing that it makes or rotates outlives its grace time", () => {
    const { keys } = open();
    const { id } = unwrap(keys.create({}, OPERATOR, NOW));
    unwrap(keys.rotate(id, HOUR, by(id), NOW));
    const [old, present] = [by(id), by(id, ALL_SCOPES, 1)];
    expect(unwrap(keys.create({}, old, NOW)).expiresAt).toBe(NOW + HOUR);
    expect(keys.create({ expiresAt: NOW + HOUR + 1 }, old, NOW)).toMatchObject(failure("scope_exceeded"));
    expect(keys.rotate(id, 0, old, NOW)).toMatchObject(failure("scope_exceeded"));
    expect(keys.change(id, { expiresAt: null }, old, NOW)).toMatchObject(failure("scope_exceeded"));
    expect(keys.create({}, old, NOW + HOUR)).toMatchObject(failure("key_unknown"));
    expect(unwrap(keys.create({}, present, NOW))).not.toHaveProperty("expiresAt");
  });

  test("not by a browser's sign-in, which ends before its key", () => {
    const { keys } = open();
    const { id } = unwrap(keys.create({}, OPERATOR, NOW));
    const signIn: Actor = { name: SIGN_IN.id, key: id, scopes: ALL_SCOPES };
    expect(unwrap(keys.create({}, signIn, NOW)).expiresAt).toBe(SIGN_IN.end);
    expect(keys.rotate(id, 0, signIn, NOW)).toMatchObject(failure("scope_exceeded"));
    expect(keys.create({}, signIn, SIGN_IN.end)).toMatchObject(failure("key_unknown"));
  });

  test("not by a name that is the operator's", () => {
    const { keys } = open();
    const person: Actor = { name: "operator", scopes: ["admin"] };
    expect(keys.create({ scopes: ["write"] }, person, NOW)).toMatchObject(failure("scope_exceeded"));
  });

  test("nothing once their own key is revoked, although an isolate may still know it", () => {
    const { keys } = open();
    unwrap(keys.create({}, OPERATOR, NOW));
    const gone = unwrap(keys.create({}, OPERATOR, NOW));
    unwrap(keys.revoke(gone.id, NOW));
    expect(keys.create({}, by(gone.id), NOW)).toMatchObject(failure("key_unknown"));
    expect(keys.revoke(gone.id, NOW)).toMatchObject(failure("key_not_found"));
  });
});

describe("one admin key without an expiry", () => {
  test("always remains: it is neither revoked nor given an end while there is no other", () => {
    const { keys, seen } = open();
    const last = unwrap(keys.create({}, OPERATOR, NOW));
    unwrap(keys.create({ scopes: ["read", "write"] }, OPERATOR, NOW));
    const passing = unwrap(keys.create({ expiresAt: NOW + HOUR }, OPERATOR, NOW));
    expect(keys.revoke(last.id, NOW)).toMatchObject(failure("last_key"));
    expect(keys.change(last.id, { expiresAt: NOW + HOUR }, OPERATOR, NOW)).toMatchObject(failure("last_key"));
    unwrap(keys.revoke(passing.id, NOW));
    const other = unwrap(keys.create({ scopes: ["admin"] }, OPERATOR, NOW));
    unwrap(keys.revoke(last.id, NOW));
    expect(seen.ended).toEqual([passing.id, last.id]);
    expect(keys.revoke(other.id, NOW)).toMatchObject(failure("last_key"));
  });
});

describe("a rotated key", () => {
  test("has a new secret, and the old one works until the grace time ends", () => {
    const { keys, rows } = open();
    const made = unwrap(keys.create({ label: "ci" }, OPERATOR, NOW));
    const next = unwrap(keys.rotate(made.id, HOUR, by(made.id), NOW));
    expect(next).toMatchObject({ id: made.id, label: "ci", oldSecretUntil: NOW + HOUR });
    expect(rows.check(secretOf(next), NOW)).toMatchObject({ value: { rotation: 1, end: null } });
    expect(rows.check(secretOf(made), NOW)).toMatchObject({ value: { rotation: 0, end: NOW + HOUR } });
    expect(rows.check(secretOf(made), NOW + HOUR)).toMatchObject(failure("key_unknown"));
    expect(keys.list(NOW + HOUR)[0]).not.toHaveProperty("oldSecretUntil");
    expect([rows.checkRotation(made.id, 0, NOW), rows.checkRotation(made.id, 0, NOW + HOUR)]).toEqual([
      expect.objectContaining({ end: NOW + HOUR }),
      null,
    ]);
  });

  test("has one old secret at most: without a grace time, or at the next rotation, it ends at once", () => {
    const { keys, rows } = open();
    const first = unwrap(keys.create({}, OPERATOR, NOW));
    const second = unwrap(keys.rotate(first.id, 0, OPERATOR, NOW));
    expect(rows.check(secretOf(first), NOW)).toMatchObject(failure("key_unknown"));
    const third = unwrap(keys.rotate(first.id, HOUR, OPERATOR, NOW));
    unwrap(keys.rotate(first.id, HOUR, OPERATOR, NOW));
    expect(rows.check(secretOf(second), NOW)).toMatchObject(failure("key_unknown"));
    expect(rows.check(secretOf(third), NOW)).toMatchObject({ ok: true });
  });

  test("closes the sockets that its old secret and the sign-ins of it have opened, at the end of the grace time", () => {
    const { sql, keys } = open();
    const { id } = unwrap(keys.create({}, OPERATOR, NOW));
    unwrap(keys.noteSocket({ kind: "cookie", id: SIGN_IN.id }, "s", NOW));
    unwrap(keys.noteSocket({ kind: "key", id, rotation: 0 }, "s", NOW));
    const due = () => sql.run<{ due: number }>("SELECT due FROM key_socket ORDER BY owner").map((row) => row.due);
    unwrap(keys.rotate(id, 60_000, OPERATOR, NOW));
    expect(due()).toEqual([NOW + 60_000, NOW + 60_000]);
    unwrap(keys.rotate(id, 60_000, OPERATOR, NOW + 1));
    expect(due()).toEqual([NOW + 1, NOW + 1]);
  });

  test("keeps its expiry: the old secret ends with it", () => {
    const { keys, rows } = open();
    const made = unwrap(keys.create({ expiresAt: NOW + 10 }, OPERATOR, NOW));
    unwrap(keys.rotate(made.id, HOUR, OPERATOR, NOW));
    expect(rows.check(secretOf(made), NOW + 9)).toMatchObject({ value: { end: NOW + 10 } });
    expect(rows.check(secretOf(made), NOW + 10)).toMatchObject(failure("key_expired"));
  });
});
