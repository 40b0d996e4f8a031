// The one-time codes of sign-in links: each begins one sign-in, and ends with its key, with the secret of it that made it, or in time.
import { describe, expect, test } from "vitest";
import type { Result } from "../../../core/errors.ts";
import { ALL_SCOPES } from "../../../core/schemas/keys/scope.ts";
import {
  createSecret,
  parseKey,
  parseSignInCode,
  parseSignInToken,
  toSignInCode,
} from "../../../durable-objects/account-key.ts";
import { createAccountKeys } from "../../../durable-objects/keys/account-keys.ts";
import { KEY_SCHEMA, createKeyRows } from "../../../durable-objects/keys/key-rows.ts";
import {
  MAX_SIGN_IN_CODES,
  type NewSignInCode,
  type RedeemedSignIn,
  SIGN_IN_CODE_MS,
  createSignInCodes,
} from "../../../durable-objects/keys/sign-in-codes.ts";
import { createSignInRows } from "../../../durable-objects/keys/sign-in-rows.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

const OPERATOR = { name: "operator", scopes: ALL_SCOPES };
const NOW = 1_000_000_000_000;
const HOUR = 3_600_000;

function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
}
const failure = (code: string) => ({ ok: false, failure: { code } });

function open() {
  const sql = createNodeSql();
  for (const statement of KEY_SCHEMA) sql.run(statement);
  const isSame = (a: string, b: string) => a === b;
  const { checkRotation: findKey } = createKeyRows(sql, isSame);
  const signIns = createSignInRows({ sql, isSame, findKey, onEnd() {} });
  const codes = createSignInCodes({ sql, findKey, signIns });
  const keys = createAccountKeys({ sql, profile: "0".repeat(26), raiseVersion() {}, signIns, signInCodes: codes });
  const { id: key } = unwrap(keys.create({}, OPERATOR, NOW));
  unwrap(keys.create({}, OPERATOR, NOW)); // one admin key without an end must remain
  const make = (secret: string, more: Partial<NewSignInCode> = {}, now = NOW) =>
    codes.create({ secret, key, rotation: 0, label: "", ...more }, now);
  const redeem = (code: string, more: Partial<RedeemedSignIn> = {}, now = NOW) =>
    codes.redeem({ code, id: `of ${code}`, secret: "s", label: "", ms: 24 * HOUR, ...more }, now);
  const rows = () => sql.run("SELECT * FROM sign_in_code");
  return { sql, keys, key, signIns, codes, make, redeem, rows };
}

describe("the code of a sign-in link", () => {
  test("begins one sign-in, as by the key that made it, and is not stored", () => {
    const { make, redeem, codes, signIns, rows, key } = open();
    expect(unwrap(make("code", { label: "laptop" }))).toBe(NOW + SIGN_IN_CODE_MS);
    expect(JSON.stringify(rows())).not.toContain('code"');
    expect(codes.check("code", NOW)).toEqual({ id: key, rotation: 0, scopes: ALL_SCOPES, end: null });
    const wanted = { id: "of code", key, label: "laptop", scopes: [...ALL_SCOPES], createdAt: NOW };
    expect(unwrap(redeem("code"))).toEqual({ ...wanted, expiresAt: NOW + 24 * HOUR, usedAt: NOW });
    expect([codes.check("code", NOW), rows(), signIns.list(NOW).length]).toEqual([null, [], 1]);
    expect(redeem("code")).toMatchObject(failure("sign_in_code_unknown"));
    expect(signIns.list(NOW)).toHaveLength(1);
  });

  test("that nobody made begins none", () => {
    const { make, redeem, codes, signIns } = open();
    unwrap(make("code"));
    expect([codes.check("other", NOW), redeem("other")]).toMatchObject([null, failure("sign_in_code_unknown")]);
    expect(signIns.list(NOW)).toEqual([]);
  });

  test("ends after ten minutes, or with its key's own end, and is forgotten", () => {
    const { make, redeem, codes, keys, key, rows } = open();
    expect(SIGN_IN_CODE_MS).toBe(600_000);
    unwrap(make("a"));
    expect(codes.check("a", NOW + SIGN_IN_CODE_MS - 1)).not.toBeNull();
    expect(codes.check("a", NOW + SIGN_IN_CODE_MS)).toBeNull();
    expect(redeem("a", {}, NOW + SIGN_IN_CODE_MS)).toMatchObject(failure("sign_in_code_unknown"));
    unwrap(keys.change(key, { expiresAt: NOW + 1_000 }, OPERATOR, NOW));
    expect(unwrap(make("b"))).toBe(NOW + 1_000);
    expect(redeem("a", {}, NOW + 1_000)).toMatchObject(failure("sign_in_code_unknown"));
    keys.tidy(NOW + 1_000);
    expect(rows()).toHaveLength(1);
    expect(make("c", {}, NOW + 1_000)).toMatchObject(failure("key_unknown"));
    keys.tidy(NOW + SIGN_IN_CODE_MS);
    expect(rows()).toEqual([]);
  });

  test("ends with its key, and with the secret of the key that made it", () => {
    const { make, redeem, keys, key, rows } = open();
    unwrap(make("a"));
    unwrap(make("b"));
    unwrap(keys.rotate(key, 60_000, OPERATOR, NOW));
    expect(unwrap(redeem("a", {}, NOW + 59_999)).expiresAt).toBe(NOW + 60_000);
    expect(redeem("b", {}, NOW + 60_000)).toMatchObject(failure("sign_in_code_unknown"));
    unwrap(make("c", { rotation: 1 }));
    expect(make("d", { rotation: 0 }, NOW + 60_000)).toMatchObject(failure("key_unknown"));
    unwrap(keys.revoke(key, NOW));
    expect([rows(), redeem("c")]).toMatchObject([[], failure("sign_in_code_unknown")]);
  });

  test("gives no scope that its key lacks, nor one that it was not given, and a refusal does not spend it", () => {
    const { make, redeem, keys } = open();
    const { id: reader } = unwrap(keys.create({ scopes: ["read"] }, OPERATOR, NOW));
    expect(make("a", { key: reader, scopes: ["read", "write"] })).toMatchObject(failure("scope_exceeded"));
    unwrap(make("b", { key: reader }));
    unwrap(make("c", { scopes: ["read", "write", "read"] }));
    expect(redeem("b", { scopes: ["admin"] })).toMatchObject(failure("scope_exceeded"));
    expect(redeem("c", { scopes: ["admin"] })).toMatchObject(failure("scope_exceeded"));
    expect([unwrap(redeem("b")).scopes, unwrap(redeem("c")).scopes]).toEqual([["read"], ["read", "write"]]);
    unwrap(make("d", { scopes: ["read", "write"], label: "link" }));
    expect(unwrap(redeem("d", { scopes: ["read"], label: "own" }))).toMatchObject({ scopes: ["read"], label: "own" });
  });

  test("is one of ten: the oldest makes room", () => {
    const { make, codes, rows } = open();
    for (let n = 0; n <= MAX_SIGN_IN_CODES; n++) unwrap(make(`c${n}`, {}, NOW + n));
    const at = NOW + MAX_SIGN_IN_CODES;
    expect([rows().length, codes.check("c0", at), codes.check("c1", at)?.rotation]).toEqual([10, null, 0]);
  });

  test("costs a profile that has none no table", () => {
    const { sql, codes, keys, key, redeem } = open();
    expect([codes.check("a", NOW), redeem("a")]).toMatchObject([null, failure("sign_in_code_unknown")]);
    keys.tidy(NOW);
    unwrap(keys.revoke(key, NOW));
    expect(sql.run("SELECT 1 FROM sqlite_master WHERE name = 'sign_in_code'")).toEqual([]);
  });

  test("has a form of its own: neither a key nor a cookie", () => {
    const [profile, secret] = ["0".repeat(26), createSecret()];
    const code = toSignInCode(profile, secret);
    expect([parseSignInCode(code), parseKey(code), parseSignInToken(code)]).toEqual([{ profile, secret }, null, null]);
    expect([parseSignInCode(`tal_${profile}_${secret}`), parseSignInCode(`${code}0`)]).toEqual([null, null]);
  });
});
