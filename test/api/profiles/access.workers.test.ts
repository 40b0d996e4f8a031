// Authentication: profiles, their keys, and the refusal of every other request.
import { beforeAll, describe, expect, it } from "vitest";
import { createAcceptedKeys } from "../../../workers/api/auth/accepted-keys.ts";
import type { Principal } from "../../../workers/api/auth/principal.ts";
import { VERSION } from "../../../workers/api/health.ts";
import worker from "../../../workers/api/index.ts";
import { OPERATOR, START_MS, type Answer, ask, createProfile, env, expectProblem } from "../api-calls.ts";

beforeAll(async () => void (await createProfile()), START_MS);

const BY_OPERATOR = { name: "operator", scopes: [] };
const KEY = /^tal_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{52}$/;

describe("a profile", () => {
  it("is created with its first key by the operator's token", async () => {
    const { status, body } = await ask("POST", "/v1/profiles", { key: OPERATOR });
    const { profile, key } = body as { profile: string; key: string };
    expect(status).toBe(201);
    expect(Object.keys(body as object)).toEqual(["profile", "key"]);
    expect(profile).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
    expect(key).toMatch(KEY);
    expect(key.startsWith(`tal_${profile}_`)).toBe(true);
    expect((await ask("GET", "/v1/sessions", { key })).body).toEqual({ sessions: [] });
  });

  it("is not created without the operator's token; the code depends on what was sent instead", async () => {
    const { key } = await createProfile();
    const post = (token?: string) => ask("POST", "/v1/profiles", { key: token });
    expectProblem(await post(), 401, "key_missing", "No key");
    expectProblem(await post("guess"), 401, "operator_token_unknown", "Unknown operator token");
    expectProblem(await post(`${OPERATOR}x`), 401, "operator_token_unknown", "Unknown operator token");
    expectProblem(await post(key), 403, "operator_required", "Operator only");
  });

  it("cannot be created while no operator token is configured", async () => {
    for (const token of [undefined, ""]) {
      const request = new Request("https://talaria.test/v1/profiles", {
        method: "POST",
        headers: { authorization: "Bearer " },
      });
      const response = await worker.fetch(request, { ...env, TALARIA_OPERATOR_TOKEN: token });
      const answer: Answer = { status: response.status, headers: response.headers, body: await response.json() };
      expectProblem(answer, 503, "operator_token_missing", "No operator token is configured");
    }
  });
});

describe("a request", () => {
  it("without a key is refused on every route except two, and on unknown routes", async () => {
    const routes = [
      "/v1/sessions",
      "/v1/keys",
      "/v1/skills",
      "/v1/memory",
      "/v1/reviews",
      "/v1/usage",
      "/v1/curator/runs",
      "/index.html",
      "/x",
    ];
    for (const path of routes) expectProblem(await ask("GET", path), 401, "key_missing", "No key");
    expect((await ask("GET", "/health")).body).toEqual({ ok: true, version: VERSION, model: "rehearsal" });
    expect((await ask("GET", "/openapi.json")).status).toBe(200);
  });

  it("with a scheme other than Bearer counts as having no key", async () => {
    const answer = await ask("GET", "/v1/sessions", { headers: { authorization: "Basic dGFsOng=" } });
    expectProblem(answer, 401, "key_missing", "No key");
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="talaria"');
  });

  it("with an unknown key is refused, whatever is wrong with the key", async () => {
    const { profile, key } = await createProfile();
    const flipped = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
    const stranger = `tal_${"0".repeat(26)}_${"0".repeat(52)}`;
    for (const wrong of ["x", profile, flipped, stranger, `${key}0`, key.toUpperCase(), OPERATOR]) {
      expectProblem(await ask("GET", "/v1/sessions", { key: wrong }), 401, "key_unknown", "Unknown key");
    }
  });

  it("with a valid key to an unknown route is a 404", async () => {
    const { key } = await createProfile();
    expectProblem(await ask("GET", "/v1/nothing", { key }), 404, "route_not_found", "No such route");
    expectProblem(await ask("DELETE", "/v1/sessions", { key }), 404, "route_not_found", "No such route");
  });
});

describe("keys", () => {
  it("are added by the operator, listed without secrets and revoked by their profile", async () => {
    const { profile, key: first } = await createProfile();
    const made = await ask("POST", "/v1/keys", { key: OPERATOR, body: { profile, label: "laptop" } });
    const { key, ...info } = made.body as { key: string; id: string; createdAt: number };
    expect(made.status).toBe(201);
    expect(key).toMatch(KEY);
    expect(info).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{12}$/),
      label: "laptop",
      scopes: ["read", "write", "admin"],
      createdAt: info.createdAt,
      madeBy: "operator",
      profile,
    });

    const listed = (await ask("GET", "/v1/keys", { key })).body as { keys: { id: string; label: string }[] };
    expect(listed.keys.map(({ label }) => label)).toEqual(["first", "laptop"]);
    expect(JSON.stringify(listed)).not.toContain(key.slice(-52));
    expect(listed.keys.map((line) => Object.keys(line).toSorted())).toEqual([
      ["createdAt", "id", "label", "madeBy", "scopes"],
      ["createdAt", "id", "label", "madeBy", "scopes", "usedAt"],
    ]);

    const revoked = await ask("DELETE", `/v1/keys/${info.id}`, { key: first });
    expect([revoked.status, revoked.body]).toEqual([204, null]);
    expectProblem(await ask("GET", "/v1/keys", { key }), 401, "key_unknown", "Unknown key");
    expectProblem(await ask("DELETE", `/v1/keys/${info.id}`, { key: first }), 404, "key_not_found", "No such key");
    expect(((await ask("GET", "/v1/keys", { key: first })).body as { keys: unknown[] }).keys).toHaveLength(1);
  });

  it("cannot all be revoked: the last one stays, so that the owner keeps access", async () => {
    const { profile, key: first } = await createProfile();
    const { keys } = (await ask("GET", "/v1/keys", { key: first })).body as { keys: { id: string }[] };
    const last = () => ask("DELETE", `/v1/keys/${keys[0]!.id}`, { key: first });
    expectProblem(await last(), 409, "last_key", "Last admin key of the profile");
    expect((await ask("GET", "/v1/sessions", { key: first })).status).toBe(200);
    await ask("POST", "/v1/keys", { key: OPERATOR, body: { profile } });
    expect((await last()).status).toBe(204);
  });

  it("are not created for a missing profile or from an invalid body", async () => {
    const post = (body: unknown) => ask("POST", "/v1/keys", { key: OPERATOR, body });
    expectProblem(await post({ profile: "z".repeat(26) }), 404, "profile_not_found", "No such profile");
    expect((await post({ profile: "Z" })).body).toMatchObject({ status: 400, code: "bad_profile_id" });
    expect((await post({ profile: "z".repeat(26), admin: true })).body).toMatchObject({
      status: 400,
      code: "field_unknown",
    });
    expect((await post({ profile: "z".repeat(26), label: 1 })).body).toMatchObject({
      status: 400,
      code: "body_invalid",
    });
  });

  it("cannot be created with a key of another profile, nor a profile with any key, however the path is written", async () => {
    const [{ profile }, { key }] = [await createProfile(), await createProfile()];
    for (const path of [
      "/v1/keys",
      "/v1/keys/",
      "/v1/%6Beys",
      "/v1//keys",
      "/v1/./keys",
      "/v1/profiles",
      "/v1/%70rofiles",
    ]) {
      const { status } = await ask("POST", path, { key, body: { profile } });
      expect([path, status === 403 || status === 404]).toEqual([path, true]);
    }
  });

  it("of one profile are invisible to another", async () => {
    const [a, b] = [await createProfile(), await createProfile()];
    const ofA = (await ask("GET", "/v1/keys", { key: a.key })).body as { keys: { id: string }[] };
    const answer = await ask("DELETE", `/v1/keys/${ofA.keys[0]!.id}`, { key: b.key });
    expectProblem(answer, 404, "key_not_found", "No such key");
    expect((await ask("DELETE", "/v1/keys/first", { key: a.key })).body).toMatchObject({ code: "bad_key_id" });
  });

  it("are limited to a hundred per profile", async () => {
    const { profile } = await createProfile();
    const account = env.ACCOUNT.getByName(profile);
    for (let n = 1; n < 100; n++)
      expect(await account.keyDesk().create({ label: `${n}` }, BY_OPERATOR)).toMatchObject({ ok: true });
    const answer = await ask("POST", "/v1/keys", { key: OPERATOR, body: { profile } });
    expectProblem(answer, 409, "too_many_keys", "Too many keys");
  });
});

const toPrincipal = (profile: string): Principal => ({
  ...{ profile, settingsRev: 3, scopes: ["read"] },
  via: { kind: "key", id: "key_a", rotation: 0 },
});

describe("the keys that an isolate caches", () => {
  it("are valid until they expire", () => {
    const checked = createAcceptedKeys(30_000, 10);
    checked.add("key", toPrincipal("p"), 1_000, null);
    expect(checked.get("key", 30_999)).toEqual(toPrincipal("p"));
    expect([checked.get("key", 31_000), checked.get("other", 1_000)]).toEqual([null, null]);
  });

  it("are valid no longer than the key itself", () => {
    const checked = createAcceptedKeys(30_000, 10);
    checked.add("key", toPrincipal("p"), 1_000, 5_000);
    expect([checked.get("key", 4_999), checked.get("key", 5_000)]).toEqual([toPrincipal("p"), null]);
  });

  it("are limited in number: the oldest is dropped first", () => {
    const checked = createAcceptedKeys(30_000, 2);
    for (const key of ["a", "b", "c"]) checked.add(key, toPrincipal(key), 0, null);
    expect(["a", "b", "c"].map((key) => checked.get(key, 1) !== null)).toEqual([false, true, true]);
  });

  it("can be dropped for one profile", () => {
    const checked = createAcceptedKeys(30_000, 10);
    checked.add("a", toPrincipal("p"), 0, null);
    checked.add("b", toPrincipal("q"), 0, null);
    checked.forget("p");
    expect(["a", "b"].map((key) => checked.get(key, 1) !== null)).toEqual([false, true]);
  });
});
