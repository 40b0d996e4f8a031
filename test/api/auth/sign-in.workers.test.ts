// Sign-in for browsers over the real bindings: the cookie, its CSRF token, and every request of a foreign page that must not get through.
import { env as bindings } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { START_MS, ask as askApi, createProfile, createSession, fetchApi } from "../api-calls.ts";

const ask = askApi as (...asked: Parameters<typeof askApi>) => Promise<{ status: number; headers: Headers; body: any }>;
const OWN = "https://talaria.test";
const LISTED = "https://chat.example";
const variables = bindings as unknown as { TALARIA_SETTINGS?: string };

beforeAll(async () => void (await createProfile()), START_MS);
beforeAll(() => void (variables.TALARIA_SETTINGS = JSON.stringify({ browsers: { origins: [LISTED] } })));
afterAll(() => void delete variables.TALARIA_SETTINGS);

async function signIn(key: string, body: object = {}) {
  const signedIn = await ask("POST", "/v1/sign-in", { key, body });
  expect(signedIn.status).toBe(201);
  const set = signedIn.headers.get("set-cookie")!;
  return { ...signedIn.body, set, cookie: set.split(";")[0]! } as {
    id: string;
    csrf: string;
    set: string;
    cookie: string;
  } & Record<string, any>;
}

const codeOf = ({ status, body }: { status: number; body: any }) => [status, body?.code];

describe("a sign-in", () => {
  it("is a cookie that scripts cannot read, other hosts cannot set, and other sites' requests do not carry", async () => {
    const { key, profile } = await createProfile();
    const { set, id, csrf, scopes } = await signIn(key);
    expect(set).toMatch(/^__Host-talaria=sin_\w+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/);
    const [token] = set.slice("__Host-talaria=".length).split(";");
    expect([token!.includes(profile), token!.includes(key.slice(-52)), csrf.includes(token!.slice(-52))]).toEqual([
      true,
      false,
      false,
    ]);
    expect([id, scopes]).toEqual([expect.stringMatching(/^sin_/), ["read", "write", "admin"]]);
  });

  it("over plain HTTP is possible on this machine only, under a name of its own", async () => {
    const { key } = await createProfile();
    const send = (url: string) =>
      fetchApi("POST", "/v1/sign-in", { key }).then(async () => {
        const { default: worker } = await import("../../../workers/api/index.ts");
        const request = new Request(url, { method: "POST", headers: { authorization: `Bearer ${key}` } });
        return (await worker.fetch(request, bindings as never)).headers.get("set-cookie");
      });
    expect(await send("http://127.0.0.1:8787/v1/sign-in")).toMatch(
      /^talaria=\S+ Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    expect(await send("http://talaria.example/v1/sign-in")).toMatch(/^__Host-talaria=.*; Secure$/);
  });

  it("says who it is, with the CSRF token again, and acts with it", async () => {
    const { key, profile } = await createProfile();
    const { cookie, csrf, id } = await signIn(key);
    const who = await ask("GET", "/v1/sign-in", { headers: { cookie } });
    expect(who.body).toEqual({ profile, scopes: ["read", "write", "admin"], by: "cookie", id, csrf });
    const headers = { cookie, origin: OWN, "x-csrf-token": csrf };
    expect((await ask("POST", "/v1/sessions", { headers, body: {} })).status).toBe(201);
    expect((await ask("GET", "/v1/sign-in", { key })).body).toMatchObject({ by: "key", profile });
  });

  it("is new each time, whatever cookie the request had", async () => {
    const { key } = await createProfile();
    const first = await signIn(key);
    const again = await ask("POST", "/v1/sign-in", { key, headers: { cookie: first.cookie } });
    expect(again.body.id).not.toBe(first.id);
    expect(again.headers.get("set-cookie")).not.toContain(first.cookie);
  });

  it("can only be made with a key, and by no page of another origin", async () => {
    const { key } = await createProfile();
    const { cookie, csrf } = await signIn(key);
    const byCookie = { headers: { cookie, origin: OWN, "x-csrf-token": csrf } };
    expect(codeOf(await ask("POST", "/v1/sign-in", byCookie))).toEqual([401, "key_missing"]);
    const foreign = { key, headers: { origin: "https://evil.example" } };
    const refused = await ask("POST", "/v1/sign-in", foreign);
    expect([...codeOf(refused), refused.headers.get("set-cookie")]).toEqual([403, "origin_refused", null]);
    expect((await ask("POST", "/v1/sign-in", { key, headers: { origin: LISTED } })).status).toBe(201);
  });

  it("has no more scopes than its key, and may have fewer", async () => {
    const { key } = await createProfile();
    const { cookie, csrf } = await signIn(key, { scopes: ["read"] });
    const post = { headers: { cookie, origin: OWN, "x-csrf-token": csrf }, body: {} };
    expect(codeOf(await ask("POST", "/v1/sessions", post))).toEqual([403, "scope_missing"]);
    expect((await ask("GET", "/v1/sessions", { headers: { cookie } })).status).toBe(200);
    expect(codeOf(await ask("GET", "/v1/sign-ins", { headers: { cookie } }))).toEqual([403, "scope_missing"]);
    expect((await ask("DELETE", "/v1/sign-in", post)).status).toBe(204);
  });

  it("ends when the person signs out, and the browser forgets it", async () => {
    const { key } = await createProfile();
    const { cookie, csrf } = await signIn(key);
    const headers = { cookie, origin: OWN, "x-csrf-token": csrf };
    const out = await ask("DELETE", "/v1/sign-in", { headers });
    expect([out.status, out.headers.get("set-cookie")]).toEqual([
      204,
      expect.stringMatching(/^__Host-talaria=; .*Max-Age=0/),
    ]);
    const after = await ask("GET", "/v1/sign-in", { headers: { cookie } });
    expect(codeOf(after)).toEqual([401, "sign_in_unknown"]);
    expect(after.headers.get("set-cookie")).toMatch(/^__Host-talaria=; .*Max-Age=0/);
  });

  it("ends with its key, and when an admin ends it; others stay", async () => {
    const { key, profile } = await createProfile();
    const other = await ask("POST", "/v1/keys", { key, body: { profile } });
    const [mine, theirs, third] = [await signIn(key), await signIn(other.body.key), await signIn(other.body.key)];
    const listed = (await ask("GET", "/v1/sign-ins", { key })).body.signIns;
    expect(listed.map((one: any) => [one.id, one.key])).toEqual([
      [mine.id, expect.any(String)],
      [theirs.id, other.body.id],
      [third.id, other.body.id],
    ]);
    expect(JSON.stringify(listed)).not.toContain("hash");
    const page = (await ask("GET", "/v1/sign-ins?limit=2", { key })).body;
    const rest = (await ask("GET", `/v1/sign-ins?limit=2&after=${page.next}`, { key })).body;
    expect([...page.signIns, ...rest.signIns]).toEqual(listed);
    expect((await ask("DELETE", `/v1/sign-ins/${theirs.id}`, { key })).status).toBe(204);
    expect(codeOf(await ask("DELETE", `/v1/sign-ins/${theirs.id}`, { key }))).toEqual([404, "sign_in_not_found"]);
    const alive = async () =>
      Promise.all(
        [mine, theirs, third].map(
          async ({ cookie }) => (await ask("GET", "/v1/sign-in", { headers: { cookie } })).status,
        ),
      );
    expect(await alive()).toEqual([200, 401, 200]);
    expect((await ask("DELETE", `/v1/keys/${other.body.id}`, { key })).status).toBe(204);
    expect(await alive()).toEqual([200, 401, 401]);
  });

  it("of one profile neither reads nor ends anything of another", async () => {
    const [own, other] = [await createProfile(), await createProfile()];
    const { cookie, csrf, id } = await signIn(own.key);
    const session = await createSession(other.key);
    expect((await ask("GET", `/v1/sessions/${session}`, { headers: { cookie } })).status).toBe(404);
    expect((await ask("DELETE", `/v1/sign-ins/${id}`, { key: other.key })).status).toBe(404);
    const moved = cookie.replace(own.profile, other.profile);
    expect(codeOf(await ask("GET", "/v1/sign-in", { headers: { cookie: moved } }))).toEqual([401, "sign_in_unknown"]);
    const headers = { cookie: moved, origin: OWN, "x-csrf-token": csrf };
    expect((await ask("POST", "/v1/sessions", { headers, body: {} })).status).toBe(403);
  });
});

describe("a request by cookie", () => {
  let cookie = "";
  let csrf = "";
  let key = "";
  beforeAll(async () => {
    ({ key } = await createProfile());
    ({ cookie, csrf } = await signIn(key));
  });
  const post = (headers: Record<string, string>, body: unknown = {}) =>
    ask("POST", "/v1/sessions", { headers: { cookie, ...headers }, body });

  it("that changes something needs the token of this very sign-in", async () => {
    const { csrf: another } = await signIn(key);
    expect(codeOf(await post({ origin: OWN }))).toEqual([403, "csrf_refused"]);
    expect(codeOf(await post({ origin: OWN, "x-csrf-token": another }))).toEqual([403, "csrf_refused"]);
    expect(codeOf(await post({ origin: OWN, "x-csrf-token": "" }))).toEqual([403, "csrf_refused"]);
    expect((await post({ origin: OWN, "x-csrf-token": csrf })).status).toBe(201);
  });

  it.each([
    ["a form as text", { "content-type": "text/plain" }, '{"title":"a='],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, "title=a"],
    ["a form of parts", { "content-type": "multipart/form-data; boundary=x" }, "--x--"],
  ])("that is %s of a foreign page is refused, before its body is read", async (_what, headers, body) => {
    for (const origin of [
      "https://evil.example",
      "null",
      "https://talaria.test.evil.example",
      "https://a.talaria.test",
    ])
      expect(codeOf(await post({ ...headers, origin }, body))).toEqual([403, "origin_refused"]);
    expect(codeOf(await post(headers, body))).toEqual([403, "origin_refused"]);
  });

  it.each(["https://evil.example", "null", "http://talaria.test", "https://talaria.test:8443", "https://sibling.test"])(
    "of a page of %s is answered without data, even with the token",
    async (origin) => {
      const read = await ask("GET", "/v1/sessions", { headers: { cookie, origin } });
      expect([...codeOf(read), read.body.sessions]).toEqual([403, "origin_refused", undefined]);
      expect(codeOf(await post({ origin, "x-csrf-token": csrf }))).toEqual([403, "origin_refused"]);
    },
  );

  it("that another page embeds is refused, although it names no origin", async () => {
    for (const site of ["cross-site", "same-site"])
      expect(codeOf(await ask("GET", "/v1/sessions", { headers: { cookie, "sec-fetch-site": site } }))).toEqual([
        403,
        "origin_refused",
      ]);
    for (const site of ["same-origin", "none"])
      expect((await ask("GET", "/v1/sessions", { headers: { cookie, "sec-fetch-site": site } })).status).toBe(200);
  });

  it("of a listed page is answered with CORS headers for it", async () => {
    const read = await ask("GET", "/v1/sessions", { headers: { cookie, origin: LISTED } });
    expect([read.status, read.headers.get("access-control-allow-origin")]).toEqual([200, LISTED]);
    expect((await post({ origin: LISTED, "x-csrf-token": csrf })).status).toBe(201);
  });

  it("with a key too is judged by the key alone, good or not", async () => {
    const bad = { authorization: "Bearer nope", origin: OWN, "x-csrf-token": csrf };
    expect(codeOf(await post(bad))).toEqual([401, "key_unknown"]);
    expect(codeOf(await post({ ...bad, authorization: "Basic YTpi" }))).toEqual([401, "key_missing"]);
    const { key: another } = await createProfile();
    const answer = await ask("GET", "/v1/sign-in", {
      key: another,
      headers: { cookie, origin: "https://evil.example" },
    });
    expect([answer.status, answer.body.by]).toEqual([200, "key"]);
  });

  it("with two such cookies is refused: one may be another host's", async () => {
    const { cookie: tossed } = await signIn((await createProfile()).key);
    const answer = await ask("GET", "/v1/sign-in", { headers: { cookie: `${tossed}; ${cookie}` } });
    expect(codeOf(answer)).toEqual([401, "sign_in_unknown"]);
    const unprefixed = cookie.replace("__Host-", "");
    expect(codeOf(await ask("GET", "/v1/sign-in", { headers: { cookie: unprefixed } }))).toEqual([401, "key_missing"]);
  });

  it("does not make an operator of an admin", async () => {
    const headers = { cookie, origin: OWN, "x-csrf-token": csrf };
    expect((await ask("POST", "/v1/profiles", { headers })).status).toBe(403);
  });

  it("opens a WebSocket for a page of our own or a listed one only", async () => {
    const session = await createSession(key);
    const open = async (headers: Record<string, string>) => {
      const answer = await fetchApi("GET", `/v1/sessions/${session}/socket`, {
        headers: { cookie, upgrade: "websocket", ...headers },
      });
      answer.webSocket?.accept();
      answer.webSocket?.close();
      return answer.status;
    };
    expect(await open({ origin: OWN })).toBe(101);
    expect(await open({ origin: LISTED })).toBe(101);
    for (const headers of [
      {},
      { origin: "null" },
      { origin: "https://evil.example" },
      { "sec-fetch-site": "same-origin" },
    ])
      expect(await open(headers as Record<string, string>)).toBe(403);
    expect(await open({ origin: OWN, host: "evil.example" })).toBe(403);
  });
});
