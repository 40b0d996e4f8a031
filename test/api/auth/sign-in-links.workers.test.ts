// Sign-in links over the real bindings: a one-time code in place of a key, on one route only.
import { env as bindings } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { START_MS, ask as askApi, createProfile, env } from "../api-calls.ts";

const ask = askApi as (...asked: Parameters<typeof askApi>) => Promise<{ status: number; headers: Headers; body: any }>;
const OWN = "https://talaria.test";
const LISTED = "https://chat.example";
const variables = bindings as unknown as { TALARIA_SETTINGS?: string };

beforeAll(async () => void (await createProfile()), START_MS);
beforeAll(() => void (variables.TALARIA_SETTINGS = JSON.stringify({ browsers: { origins: [LISTED] } })));
afterAll(() => void delete variables.TALARIA_SETTINGS);

const codeOf = ({ status, body }: { status: number; body: any }) => [status, body?.code];
const REFUSED = [401, "sign_in_code_unknown"];

async function makeCode(key: string, body: object = {}): Promise<string> {
  const made = await ask("POST", "/v1/sign-in-links", { key, body });
  expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"]);
  return made.body.code;
}
const redeem = (code: string, more: { body?: object; headers?: Record<string, string> } = {}) =>
  ask("POST", "/v1/sign-in", { key: code, ...more });

describe("a sign-in link", () => {
  it("signs a browser in once, as by the key that made it", async () => {
    const { key, profile } = await createProfile();
    const made = await ask("POST", "/v1/sign-in-links", { key, body: { label: "laptop" } });
    expect(Object.keys(made.body).toSorted()).toEqual(["code", "expiresAt"]);
    expect(made.body.code).toMatch(new RegExp(`^tlink_${profile}_[0-9a-z]{52}$`));
    expect(made.body.code).not.toContain(key.slice(-52));
    expect(made.body.expiresAt - Date.now()).toBeLessThanOrEqual(600_000);
    expect(made.body.expiresAt - Date.now()).toBeGreaterThan(540_000);
    const signedIn = await redeem(made.body.code, { headers: { origin: OWN } });
    expect([signedIn.status, signedIn.body]).toMatchObject([201, { profile, label: "laptop" }]);
    expect(signedIn.body.scopes).toEqual(["read", "write", "admin"]);
    const [cookie] = signedIn.headers.get("set-cookie")!.split(";");
    const headers = { cookie: cookie!, origin: OWN, "x-csrf-token": signedIn.body.csrf };
    expect((await ask("POST", "/v1/sessions", { headers, body: {} })).status).toBe(201);
    const again = await redeem(made.body.code, { headers: { origin: OWN } });
    expect([...codeOf(again), again.headers.get("set-cookie")]).toEqual([...REFUSED, null]);
    expect(again.body.detail).toMatch(/talaria dashboard.*npm start/);
    expect((await ask("GET", "/v1/sign-ins", { key })).body.signIns).toHaveLength(1);
  });

  it("is used by one of several requests at once", async () => {
    const { key } = await createProfile();
    const code = await makeCode(key);
    const answers = await Promise.all([1, 2, 3, 4].map(() => redeem(code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 401, 401, 401]);
    expect((await ask("GET", "/v1/sign-ins", { key })).body.signIns).toHaveLength(1);
  });

  it("survives an eviction unspent, and stays spent after one", async () => {
    const { key, profile } = await createProfile();
    const account = () => env.ACCOUNT.getByName(profile);
    const code = await makeCode(key);
    await evictDurableObject(account());
    expect((await redeem(code)).status).toBe(201);
    await evictDurableObject(account());
    expect(codeOf(await redeem(code))).toEqual(REFUSED);
  });

  it("is no credential of any other route, spent or not", async () => {
    const { key, profile } = await createProfile();
    const code = await makeCode(key);
    const routes = [
      ["GET", "/v1/sign-in", 401],
      ["DELETE", "/v1/sign-in", 401],
      ["POST", "/v1/sign-in-links", 401],
      ["GET", "/v1/sessions", 401],
      ["POST", "/v1/sessions", 401],
      ["GET", "/v1/models", 401],
      ["POST", "/v1/keys", 401],
      ["DELETE", `/v1/profiles/${profile}`, 401],
    ] as const;
    for (const [method, path, status] of routes) {
      const answer = await askApi(method, path, { key: code });
      expect([method, path, answer.status]).toEqual([method, path, status]);
      expect((answer.body as { code: string }).code).toMatch(/^(?:key_unknown|operator_token_unknown)$/);
    }
    for (const header of ["x-api-key", "cookie"])
      expect((await ask("GET", "/v1/models", { headers: { [header]: code } })).status).toBe(401);
    expect(
      (await ask("POST", "/v1/sign-in", { headers: { cookie: `__Host-talaria=${code}`, origin: OWN } })).status,
    ).toBe(401);
    expect((await redeem(code)).status).toBe(201);
  });

  it("that is forged, or moved to another profile, signs nobody in and leaves no account", async () => {
    const [{ key, profile }, other] = [await createProfile(), await createProfile()];
    const code = await makeCode(key);
    const stranger = "0".repeat(26);
    for (const forged of [
      `${code.slice(0, -1)}${code.endsWith("0") ? "1" : "0"}`,
      code.replace(profile, other.profile),
      code.replace(profile, stranger),
    ])
      expect(codeOf(await redeem(forged))).toEqual(REFUSED);
    for (const odd of [`${code}0`, code.toUpperCase(), `tal_${code.slice(6)}`])
      expect(codeOf(await redeem(odd))).toEqual([401, "key_unknown"]);
    const tables = await runInDurableObject(env.ACCOUNT.getByName(stranger), (_, { storage }) =>
      storage.sql
        .exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'")
        .toArray(),
    );
    expect(tables).toEqual([]);
    expect((await redeem(code)).status).toBe(201);
  });

  it("ends in time, with its key, and with the secret that made it", async () => {
    const { key, profile } = await createProfile();
    const [late, rotated] = [await makeCode(key), await makeCode(key)];
    await runInDurableObject(env.ACCOUNT.getByName(profile), (_, { storage }) => {
      storage.sql.exec(
        "UPDATE sign_in_code SET expires_at = ? WHERE created_at = (SELECT min(created_at) FROM sign_in_code)",
        Date.now(),
      );
    });
    expect(codeOf(await redeem(late))).toEqual(REFUSED);
    const own = (await ask("GET", "/v1/keys", { key })).body.keys[0].id;
    const other = (await ask("POST", "/v1/keys", { key, body: {} })).body;
    const revoked = await makeCode(other.key);
    const { key: next } = (await ask("POST", `/v1/keys/${own}/rotate`, { key, body: {} })).body;
    expect(codeOf(await redeem(rotated))).toEqual(REFUSED);
    expect((await ask("DELETE", `/v1/keys/${other.id}`, { key: next })).status).toBe(204);
    expect(codeOf(await redeem(revoked))).toEqual(REFUSED);
    expect((await redeem(await makeCode(next))).status).toBe(201);
  });

  it("gives no more than its key or itself may, and a refusal does not spend it", async () => {
    const { key } = await createProfile();
    const { key: reader } = (await ask("POST", "/v1/keys", { key, body: { scopes: ["read"] } })).body;
    const wide = { key: reader, body: { scopes: ["read", "write"] } };
    expect(codeOf(await ask("POST", "/v1/sign-in-links", wide))).toEqual([403, "scope_exceeded"]);
    const code = await makeCode(key, { scopes: ["read"] });
    expect(codeOf(await redeem(code, { body: { scopes: ["read", "admin"] } }))).toEqual([403, "scope_exceeded"]);
    expect(codeOf(await redeem(code, { body: { scope: "admin" } }))).toEqual([400, "field_unknown"]);
    expect((await redeem(code)).body.scopes).toEqual(["read"]);
    expect((await redeem(await makeCode(reader))).body.scopes).toEqual(["read"]);
  });

  it("is used by no page of another origin, which does not spend it", async () => {
    const { key } = await createProfile();
    const code = await makeCode(key);
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ];
    for (const headers of foreign) {
      const refused = await redeem(code, { headers });
      expect([...codeOf(refused), refused.headers.get("set-cookie")]).toEqual([403, "origin_refused", null]);
    }
    expect((await redeem(code, { headers: { origin: LISTED } })).status).toBe(201);
  });

  it("is made by a key only, and judged alone beside a cookie", async () => {
    const { key } = await createProfile();
    const signedIn = await redeem(await makeCode(key));
    const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
    const headers = { cookie, origin: OWN, "x-csrf-token": signedIn.body.csrf };
    expect(codeOf(await ask("POST", "/v1/sign-in-links", { headers }))).toEqual([401, "key_missing"]);
    const other = await createProfile();
    const taken = await redeem(await makeCode(other.key), { headers });
    expect([taken.status, taken.body.profile]).toEqual([201, other.profile]);
  });

  it("is noted in the audit log by its key, without the code", async () => {
    const { key, profile } = await createProfile();
    const code = await makeCode(key, { label: "secret label" });
    const { id } = (await redeem(code)).body;
    await redeem(code);
    const { entries } = (await ask("GET", "/v1/audit", { key })).body;
    const own = (await ask("GET", "/v1/keys", { key })).body.keys[0].id;
    expect(entries.map(({ by, act, target }: any) => [by, act, target])).toEqual([
      [own, "sign_in", id],
      [own, "sign_in_link_create", ""],
      ["operator", "profile_create", profile],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/tlink_|secret label/);
  });

  it("ends with its profile, and leaves no table", async () => {
    const { key, profile } = await createProfile();
    const code = await makeCode(key);
    expect((await ask("DELETE", `/v1/profiles/${profile}?confirm=${profile}`, { key })).status).toBe(204);
    expect(codeOf(await redeem(code))).toEqual(REFUSED);
    const left = await runInDurableObject(env.ACCOUNT.getByName(profile), (_, { storage }) =>
      storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'sign_in_code'").toArray(),
    );
    expect(left).toEqual([]);
  });
});
