// Tokens of an identity provider, inside workerd, with keys made here and a provider that answers what a test wants.
import { env as bindings } from "cloudflare:workers";
import { type CryptoKey, type JWTPayload, SignJWT, exportJWK, exportSPKI, generateKeyPair } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { START_MS, ask as askApi, createProfile, createSession, fetchApi } from "../api-calls.ts";

const ask = askApi as (...asked: Parameters<typeof askApi>) => Promise<{ status: number; headers: Headers; body: any }>;
const variables = bindings as unknown as { TALARIA_ACCESS?: string };
const AUDIENCE = "aud-of-this-application";

let own: { profile: string; key: string };
let other: { profile: string; key: string };
/** A new provider for each test: an isolate keeps a provider's keys. */
let issuer = "";
let keys: { kid: string; privateKey: CryptoKey; publicKey: CryptoKey }[] = [];
let reply: () => Response | Promise<Response>;
let asked: string[] = [];
let count = 0;

async function addKey(kid: string, alg = "RS256") {
  const pair = await generateKeyPair(alg, { extractable: true });
  keys.push({ kid, ...pair });
  return pair;
}

const publish = async () =>
  Response.json({
    keys: await Promise.all(
      keys.map(async ({ kid, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, use: "sig" })),
    ),
  });

function setAccess(people: object[] = [{ email: "Ann@acme.example", profile: own.profile }]) {
  variables.TALARIA_ACCESS = JSON.stringify({ issuer, audience: [AUDIENCE], people });
}

interface TokenOptions {
  claims?: JWTPayload;
  header?: Record<string, unknown>;
  key?: CryptoKey | Uint8Array;
}
async function createToken({
  claims = {},
  header = {},
  key = keys[0]!.privateKey,
}: TokenOptions = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const standard = {
    iss: issuer,
    aud: [AUDIENCE],
    sub: "user-1",
    email: "ann@acme.example",
    iat: now,
    nbf: now,
    exp: now + 600,
  };
  return new SignJWT({ ...standard, ...claims })
    .setProtectedHeader({ alg: "RS256", kid: "k1", ...header })
    .sign(key, { crit: { "x-unknown": true } });
}

const get = (token: string, headers: Record<string, string> = {}) =>
  ask("GET", "/v1/sign-in", { headers: { "cf-access-jwt-assertion": token, ...headers } });
const codeOf = ({ status, body }: { status: number; body: any }) => [status, body?.code];

beforeAll(async () => {
  own = await createProfile();
  other = await createProfile();
}, START_MS);
beforeEach(async () => {
  issuer = `https://team-${++count}.cloudflareaccess.com`;
  [keys, asked, reply] = [[], [], publish];
  await addKey("k1");
  setAccess();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    asked.push(String(input instanceof Request ? input.url : input));
    return reply();
  });
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => void delete variables.TALARIA_ACCESS);

describe("a token of the identity provider", () => {
  it("takes the place of a key, and its keys are asked for once", async () => {
    const answer = await get(await createToken());
    expect([answer.status, answer.body]).toEqual([
      200,
      { profile: own.profile, scopes: ["read", "write"], by: "access", who: "ann@acme.example" },
    ]);
    await get(await createToken({ claims: { jti: "another" } }));
    expect(asked).toEqual([`${issuer}/cdn-cgi/access/certs`]);
    const created = await ask("POST", "/v1/sessions", {
      headers: { "cf-access-jwt-assertion": await createToken() },
      body: {},
    });
    expect(created.status).toBe(201);
  });

  it.each<[string, () => Promise<string>]>([
    ["of another issuer", () => createToken({ claims: { iss: "https://evil.cloudflareaccess.com" } })],
    ["of a longer issuer", () => createToken({ claims: { iss: `${issuer}.evil.example` } })],
    ["for another application", () => createToken({ claims: { aud: ["another"] } })],
    ["without an audience", () => createToken({ claims: { aud: undefined as never } })],
    ["that has expired", () => createToken({ claims: { exp: Math.floor(Date.now() / 1_000) - 60 } })],
    ["that never expires", () => createToken({ claims: { exp: undefined as never } })],
    ["that is not valid yet", () => createToken({ claims: { nbf: Math.floor(Date.now() / 1_000) + 600 } })],
    ["of an unknown key", async () => createToken({ key: (await generateKeyPair("RS256")).privateKey })],
    ["whose kid is a path", () => createToken({ header: { kid: "../../etc/passwd" } })],
    [
      "whose kid is a URL",
      () => createToken({ header: { kid: "https://evil.example/key", jku: "https://evil.example/jwks" } }),
    ],
    ["with a critical extension", () => createToken({ header: { crit: ["x-unknown"], "x-unknown": true } })],
    ["that is cut", async () => (await createToken()).slice(0, -4)],
    ["that is no token", async () => "nonsense"],
    ["that is empty", async () => ""],
    ["that is very long", async () => "a".repeat(20_000)],
  ])("%s is refused", async (_what, make) => {
    expect(codeOf(await get(await make()))).toEqual([401, "access_token_invalid"]);
    expect(asked.filter((url) => !url.startsWith(issuer))).toEqual([]);
  });

  it("without a signature, or signed with the public key as a secret, is refused", async () => {
    const [, payload] = (await createToken()).split(".");
    const encode = (value: object) => btoa(JSON.stringify(value)).replaceAll("=", "");
    const none = [encode({ alg: "none" }), payload, ""].join(".");
    expect(codeOf(await get(none))).toEqual([401, "access_token_invalid"]);
    const secret = new TextEncoder().encode(await exportSPKI(keys[0]!.publicKey));
    for (const alg of ["HS256", "HS384", "HS512"]) {
      const confused = await createToken({ header: { alg }, key: secret });
      expect(codeOf(await get(confused))).toEqual([401, "access_token_invalid"]);
    }
  });

  it("of a key of another algorithm than the list has is refused", async () => {
    const { privateKey } = await addKey("k2", "PS256");
    expect(codeOf(await get(await createToken({ key: privateKey, header: { alg: "PS256", kid: "k2" } })))).toEqual([
      401,
      "access_token_invalid",
    ]);
  });
});

describe("the provider's keys", () => {
  it("are read again for a new one, and for unknown ones no more than once in half a minute", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      expect((await get(await createToken())).status).toBe(200);
      vi.setSystemTime(Date.now() + 31_000);
      const { privateKey } = await addKey("k2");
      const rotated = await createToken({ key: privateKey, header: { kid: "k2" } });
      expect((await get(rotated)).status).toBe(200);
      for (const kid of ["x1", "x2", "x3"])
        expect((await get(await createToken({ header: { kid } }))).status).toBe(401);
      expect(asked).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each<[string, () => Response | Promise<Response>]>([
    ["cannot be reached", () => Promise.reject(new TypeError("unreachable"))],
    ["are answered with 500", () => new Response("no", { status: 500 })],
    ["are not JSON", () => new Response("<html>")],
    ["are another form", () => Response.json({ keys: "none" })],
    ["are a redirect", () => Response.redirect("https://evil.example/jwks")],
    ["are larger than any such list", () => new Response("a".repeat(300_000))],
  ])("that %s open nothing: 503, and the next request works when they are back", async (_what, broken) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    reply = broken;
    const token = await createToken();
    const first = await get(token);
    expect([...codeOf(first), first.headers.get("retry-after")]).toEqual([503, "access_unavailable", "5"]);
    await get(token);
    await get(token);
    expect(asked.length).toBeLessThanOrEqual(3);
    reply = publish;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_000 });
    try {
      expect((await get(token)).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a person", () => {
  it("who is not in the map is refused, and learns nothing of the profiles", async () => {
    for (const email of ["bob@acme.example", "ann@acme.example.evil.example", "ann@evil.example"]) {
      const answer = await get(await createToken({ claims: { email } }));
      expect(codeOf(answer)).toEqual([403, "access_not_mapped"]);
      expect(JSON.stringify(answer.body)).not.toContain(own.profile);
    }
    expect(codeOf(await get(await createToken({ claims: { email_verified: false } })))).toEqual([
      403,
      "access_not_mapped",
    ]);
    setAccess([{ domain: "acme.example", profile: own.profile }]);
    for (const email of ["acme.example", "@acme.example", "ann@evil.example@acme.example", "ann @acme.example"])
      expect(codeOf(await get(await createToken({ claims: { email } })))).toEqual([403, "access_not_mapped"]);
    const unsure = { email_verified: "false" };
    expect(codeOf(await get(await createToken({ claims: unsure })))).toEqual([403, "access_not_mapped"]);
    expect(codeOf(await get(await createToken({ claims: { email: undefined as never, sub: "" } })))).toEqual([
      403,
      "access_not_mapped",
    ]);
  });

  it("gets the profile and the scopes of the closest description", async () => {
    setAccess([
      { domain: "acme.example", profile: other.profile, scopes: ["read"] },
      { email: "ann@acme.example", profile: own.profile, scopes: ["admin", "read", "write"] },
      { sub: "user-9", profile: other.profile },
    ]);
    const who = async (claims: JWTPayload) => (await get(await createToken({ claims }))).body;
    expect(await who({})).toMatchObject({ profile: own.profile, scopes: ["admin", "read", "write"] });
    expect(await who({ email: "bob@acme.example" })).toMatchObject({ profile: other.profile, scopes: ["read"] });
    expect(await who({ sub: "user-9" })).toMatchObject({ profile: other.profile, scopes: ["read", "write"] });
    const bob = { "cf-access-jwt-assertion": await createToken({ claims: { email: "bob@acme.example" } }) };
    expect(codeOf(await ask("POST", "/v1/sessions", { headers: bob, body: {} }))).toEqual([403, "scope_missing"]);
  });

  it("of a profile that does not exist is refused", async () => {
    setAccess([{ email: "ann@acme.example", profile: "0".repeat(26) }]);
    expect(codeOf(await get(await createToken()))).toEqual([403, "access_not_mapped"]);
  });

  it("is not the operator, whatever the scopes", async () => {
    setAccess([{ email: "ann@acme.example", profile: own.profile, scopes: ["read", "write", "admin"] }]);
    const headers = { "cf-access-jwt-assertion": await createToken() };
    expect((await ask("POST", "/v1/profiles", { headers })).status).toBe(403);
  });

  it("cannot make a sign-in of a token: it ends with the provider's session", async () => {
    const headers = { "cf-access-jwt-assertion": await createToken() };
    expect(codeOf(await ask("POST", "/v1/sign-in", { headers, body: {} }))).toEqual([401, "key_missing"]);
  });
});

describe("a browser", () => {
  const CREDENTIALS = ["header", "cookie"] as const;
  const send = async (
    by: (typeof CREDENTIALS)[number],
    method: string,
    path: string,
    headers: Record<string, string> = {},
  ) => {
    const token = await createToken();
    const credential: Record<string, string> =
      by === "header" ? { "cf-access-jwt-assertion": token } : { cookie: `CF_Authorization=${token}` };
    return fetchApi(method, path, { headers: { ...credential, ...headers }, ...(method === "POST" && { body: {} }) });
  };

  it.each(CREDENTIALS)("that a foreign page drives gets nothing by the %s", async (by) => {
    for (const origin of ["https://evil.example", "null"]) {
      expect((await send(by, "POST", "/v1/sessions", { origin })).status).toBe(403);
      expect((await send(by, "GET", "/v1/sessions", { origin })).status).toBe(403);
    }
    expect((await send(by, "GET", "/v1/sessions", { "sec-fetch-site": "same-site" })).status).toBe(403);
    expect((await send(by, "POST", "/v1/sessions", { origin: "https://talaria.test" })).status).toBe(201);
    expect((await send(by, "GET", "/v1/sessions", { "sec-fetch-site": "same-origin" })).status).toBe(200);
  });

  it("that does not say which page it is changes nothing by the cookie, and opens no WebSocket", async () => {
    expect((await send("cookie", "POST", "/v1/sessions")).status).toBe(403);
    const session = await createSession(own.key);
    const open = await send("cookie", "GET", `/v1/sessions/${session}/socket`, { upgrade: "websocket" });
    expect(open.status).toBe(403);
    expect((await send("header", "POST", "/v1/sessions")).status).toBe(201); // a program with a service token
  });

  it("with two such cookies is refused", async () => {
    const token = await createToken();
    const cookie = `CF_Authorization=${token}; CF_Authorization=${token}`;
    expect(codeOf(await ask("GET", "/v1/sign-in", { headers: { cookie } }))).toEqual([401, "access_token_invalid"]);
  });
});

describe("TALARIA_ACCESS", () => {
  it("that is not set lets no token in", async () => {
    delete variables.TALARIA_ACCESS;
    expect(codeOf(await get(await createToken()))).toEqual([401, "key_missing"]);
  });

  it.each([
    "{",
    "{}",
    '{"issuer":"x","audience":"a","people":[]}',
    '{"issuer":"https://a.example","audience":"a","people":[{"profile":"x"}]}',
  ])("that is %s answers 503 for a token, and keys still work", async (json) => {
    variables.TALARIA_ACCESS = json;
    expect(codeOf(await get(await createToken()))).toEqual([503, "bad_settings"]);
    expect((await ask("GET", "/v1/sign-in", { key: own.key })).status).toBe(200);
  });

  it("does not weaken a key: a request with both is judged by the key", async () => {
    const headers = { "cf-access-jwt-assertion": await createToken(), origin: "https://evil.example" };
    expect((await ask("GET", "/v1/sign-in", { key: other.key, headers })).body).toMatchObject({
      by: "key",
      profile: other.profile,
    });
    expect(codeOf(await ask("GET", "/v1/sign-in", { key: "nope", headers }))).toEqual([401, "key_unknown"]);
  });
});
