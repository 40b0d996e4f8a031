// The sign-ins of a profile: they end with their key, with the secret of it that made them, or at their own time.
import { describe, expect, test } from "vitest";
import type { Result } from "../../../core/errors.ts";
import { ALL_SCOPES } from "../../../core/schemas/keys/scope.ts";
import { createAccountKeys } from "../../../durable-objects/keys/account-keys.ts";
import { KEY_SCHEMA, createKeyRows } from "../../../durable-objects/keys/key-rows.ts";
import { createKeySockets } from "../../../durable-objects/keys/key-sockets.ts";
import { createSignInCodes } from "../../../durable-objects/keys/sign-in-codes.ts";
import { type NewSignIn, createSignInRows } from "../../../durable-objects/keys/sign-in-rows.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

const OPERATOR = { name: "operator", scopes: ALL_SCOPES };
const NOW = 1_000_000_000_000;
const HOUR = 3_600_000;
const SESSION = "01J00000000000000000000000";

function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
}

function open() {
  const sql = createNodeSql();
  for (const statement of KEY_SCHEMA) sql.run(statement);
  const isSame = (a: string, b: string) => a === b;
  const rows = createKeyRows(sql, isSame);
  const ended: string[] = [];
  const signIns = createSignInRows({
    ...{ sql, isSame, findKey: rows.checkRotation },
    onEnd: (id) => void ended.push(id),
  });
  const signInCodes = createSignInCodes({ sql, findKey: rows.checkRotation, signIns });
  const keys = createAccountKeys({ sql, profile: "0".repeat(26), raiseVersion() {}, signIns, signInCodes });
  const { id: key } = unwrap(keys.create({}, OPERATOR, NOW));
  const begin = (id: string, more: Partial<NewSignIn> = {}, now = NOW) =>
    signIns.create({ id, secret: `secret of ${id}`, key, rotation: 0, label: "", ms: 24 * HOUR, ...more }, now);
  const check = (id: string, now = NOW) => signIns.check(id, `secret of ${id}`, now);
  return { sql, keys, key, signIns, begin, check, ended };
}

describe("a sign-in", () => {
  test("stores no secret, and is known by its own secret only", () => {
    const { sql, begin, check, signIns } = open();
    unwrap(begin("a"));
    unwrap(begin("b"));
    expect(JSON.stringify(sql.run("SELECT * FROM sign_in"))).not.toContain("secret of");
    expect(check("a")).toMatchObject({ id: "a", scopes: ALL_SCOPES, end: NOW + 24 * HOUR });
    expect(signIns.check("a", "secret of b", NOW)).toBeNull();
    expect(signIns.check("c", "secret of c", NOW)).toBeNull();
  });

  test("ends at its time, which use does not move, and never after its key", () => {
    const { begin, check, keys, key } = open();
    unwrap(begin("a"));
    expect(check("a", NOW + 24 * HOUR - 1)?.end).toBe(NOW + 24 * HOUR);
    expect(check("a", NOW + 24 * HOUR)).toBeNull();
    unwrap(keys.create({}, OPERATOR, NOW)); // a key without an end must remain
    unwrap(keys.change(key, { expiresAt: NOW + HOUR }, OPERATOR, NOW));
    expect(check("a")?.end).toBe(NOW + HOUR);
    expect(check("a", NOW + HOUR)).toBeNull();
    expect(unwrap(begin("b")).expiresAt).toBe(NOW + HOUR);
  });

  test("ends with the secret of the key that made it", () => {
    const { begin, check, keys, key } = open();
    unwrap(begin("a"));
    unwrap(keys.rotate(key, HOUR, OPERATOR, NOW));
    unwrap(begin("b", { rotation: 1 }));
    expect([check("a", NOW + HOUR - 1), check("a", NOW + HOUR)]).toEqual([expect.anything(), null]);
    expect(check("b", NOW + HOUR)).not.toBeNull();
    expect(begin("c", { rotation: 0 }, NOW + HOUR)).toMatchObject({ failure: { code: "key_unknown" } });
  });

  test("ends with its key, and leaves no row", () => {
    const { sql, begin, check, keys, key } = open();
    unwrap(begin("a"));
    unwrap(keys.create({}, OPERATOR, NOW));
    unwrap(keys.revoke(key, NOW));
    expect([check("a"), sql.run("SELECT id FROM sign_in")]).toEqual([null, []]);
    expect(begin("b")).toMatchObject({ failure: { code: "key_unknown" } });
  });

  test("has no scope that its key lacks, nor one that it was not given", () => {
    const { begin, check, keys } = open();
    const { id: reader } = unwrap(keys.create({ scopes: ["read"] }, OPERATOR, NOW));
    expect(begin("a", { key: reader, scopes: ["write"] })).toMatchObject({ failure: { code: "scope_exceeded" } });
    unwrap(begin("b", { key: reader }));
    unwrap(begin("c", { scopes: ["read", "read"] }));
    expect([check("b")?.scopes, check("c")?.scopes]).toEqual([["read"], ["read"]]);
  });

  test("of a key is one of twenty: the oldest makes room, and what it has opened is closed", () => {
    const { begin, check, signIns, ended } = open();
    for (let n = 0; n <= 20; n++) unwrap(begin(`s${n}`, {}, NOW + n));
    expect([ended, signIns.list(NOW + 20).length, check("s0"), check("s1")?.id]).toEqual([["s0"], 20, null, "s1"]);
    expect(signIns.end("s1", NOW)).toBe(true);
    expect([signIns.end("s1", NOW), ended]).toEqual([false, ["s0", "s1"]]);
  });

  test("notes its last use once an hour, and not while the tables are read-only", () => {
    const { begin, check, signIns } = open();
    unwrap(begin("a"));
    const usedAt = () => signIns.list(NOW)[0]!.usedAt;
    check("a", NOW + HOUR - 1);
    expect(usedAt()).toBe(NOW);
    signIns.check("a", "secret of a", NOW + HOUR, true);
    expect(usedAt()).toBe(NOW);
    check("a", NOW + HOUR);
    expect(usedAt()).toBe(NOW + HOUR);
  });

  test("is forgotten when it has ended by itself", () => {
    const { sql, begin, signIns } = open();
    unwrap(begin("a"));
    signIns.tidy(NOW + 24 * HOUR);
    expect(sql.run("SELECT id FROM sign_in")).toEqual([]);
  });

  test("costs a profile that has none no table", () => {
    const { sql, check, signIns } = open();
    expect([check("a"), signIns.list(NOW), signIns.end("a", NOW)]).toEqual([null, [], false]);
    expect(sql.run("SELECT 1 FROM sqlite_master WHERE name = 'sign_in'")).toEqual([]);
  });
});

test("a WebSocket is closed when the sign-in, or the token of the identity provider, that opened it ends", () => {
  const { sql, keys, begin } = open();
  unwrap(begin("a"));
  expect(keys.noteSocket({ kind: "cookie", id: "a" }, SESSION, NOW)).toEqual({ ok: true, value: "a" });
  expect(createKeySockets(sql).nextDue()).toBe(NOW + 24 * HOUR);
  const access = { kind: "access", who: "ann@acme.example", end: NOW + HOUR } as const;
  const owner = unwrap(keys.noteSocket(access, SESSION, NOW));
  expect(owner).not.toContain("ann");
  expect(createKeySockets(sql).nextDue()).toBe(NOW + HOUR);
  expect(keys.noteSocket({ kind: "cookie", id: "b" }, SESSION, NOW)).toMatchObject({
    failure: { code: "key_unknown" },
  });
});
