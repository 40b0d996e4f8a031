// Access by OAuth, from the discovery of the authorization server to a refreshed token, against a server of its own.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { finishAccess, startAccess } from "../../../wiring/mcp/oauth.ts";
import { openSealer } from "../../../wiring/sealing.ts";
import { openTestDialer, toEntry, toRemote } from "../../support/mcp/everything.ts";

const SIGNAL = new AbortController().signal;
const REDIRECT = "https://talaria.example/v1/mcp/callback";
let origin = "";
let close: () => void;
/** Bodies of token requests. */
const exchanged: Record<string, string>[] = [];
const registered: Record<string, unknown>[] = [];
let challenge = "";
let accepted = "access-1";

beforeAll(async () => {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces).toString();
      const { pathname } = new URL(request.url!, origin);
      const json = (value: unknown, status = 200) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
      if (pathname.startsWith("/.well-known/oauth-protected-resource")) {
        return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
      }
      if (pathname === "/.well-known/oauth-authorization-server") {
        return json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        });
      }
      if (pathname === "/register") {
        registered.push(JSON.parse(body));
        return json({ ...JSON.parse(body), client_id: "client-1" }, 201);
      }
      if (pathname === "/token") {
        const asked = Object.fromEntries(new URLSearchParams(body));
        exchanged.push(asked);
        const isCode = asked.grant_type === "authorization_code";
        const fits =
          createHash("sha256")
            .update(asked.code_verifier ?? "")
            .digest("base64url") === challenge;
        if (isCode && (asked.code !== "code-1" || !fits))
          return json({ error: "invalid_grant", error_description: body }, 400);
        if (!isCode && asked.refresh_token !== "refresh-1")
          return json({ error: "invalid_grant", error_description: body }, 400);
        const access = isCode ? "access-1" : "access-2";
        return json({ access_token: access, token_type: "Bearer", expires_in: 3600, refresh_token: "refresh-1" });
      }
      if (pathname !== "/mcp") return response.writeHead(404).end();
      if (request.headers.authorization !== `Bearer ${accepted}`) {
        const where = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
        return response.writeHead(401, { "www-authenticate": where }).end();
      }
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method } = JSON.parse(body);
      if (id === undefined) return response.writeHead(202).end();
      const begun = {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "o", version: "1" },
      };
      if (method === "initialize") return json({ jsonrpc: "2.0", id, result: begun });
      if (method === "tools/list") return json({ jsonrpc: "2.0", id, result: { tools: [] } });
      return json({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => server.close();
});
afterAll(() => close());
beforeEach(() => {
  exchanged.length = 0;
  registered.length = 0;
  accepted = "access-1";
});

async function give() {
  const { deps, dialer, accesses } = openTestDialer([origin]);
  const url = `${origin}/mcp`;
  const config = toRemote(url);
  const begun = await startAccess(deps, "oauth", {
    url,
    of: config.target,
    redirectUrl: REDIRECT,
    nonce: "p.oauth.nonce",
  });
  if (!begun.ok) throw new Error(begun.failure.code);
  const open = new URL(begun.value.open);
  challenge = open.searchParams.get("code_challenge")!;
  const finish = (params: Record<string, string>, nonce = "p.oauth.nonce") =>
    finishAccess(deps, "oauth", { url, nonce, params: new URLSearchParams(params) });
  const connect = () =>
    dialer.open(toEntry("oauth", config, { access: accesses.get("oauth")! }), { timeoutMs: 5_000, signal: SIGNAL });
  return { deps, dialer, accesses, open, finish, connect };
}

test("a client registers itself, sends the person to the server with PKCE, and gets tokens for the code", async () => {
  const { accesses, open, finish, connect } = await give();
  expect(registered).toMatchObject([{ client_name: "Talaria", redirect_uris: [REDIRECT] }]);
  expect(open.origin + open.pathname).toBe(`${origin}/authorize`);
  expect(Object.fromEntries(open.searchParams)).toMatchObject({
    client_id: "client-1",
    code_challenge_method: "S256",
    redirect_uri: REDIRECT,
    state: "p.oauth.nonce",
  });
  expect(accesses.get("oauth")).toMatchObject({ state: "asked" });
  expect(await finish({ code: "code-1" })).toEqual({ ok: true, value: null });
  expect(accesses.get("oauth")).toMatchObject({ state: "granted" });
  const opened = await connect();
  expect(opened.ok).toBe(true);
  if (opened.ok) await opened.value.close();
});

test("an answer to another request, a late one and a second one change nothing", async () => {
  const { accesses, finish } = await give();
  expect(await finish({ code: "code-1" }, "p.oauth.other")).toMatchObject({ failure: { code: "mcp_oauth_unknown" } });
  expect(exchanged).toEqual([]);
  accesses.set("oauth", { ...accesses.get("oauth")!, at: Date.now() - 16 * 60_000 });
  expect(await finish({ code: "code-1" })).toMatchObject({ failure: { code: "mcp_oauth_unknown" } });
  accesses.set("oauth", { ...accesses.get("oauth")!, at: Date.now() });
  expect((await finish({ code: "code-1" })).ok).toBe(true);
  expect(await finish({ code: "code-1" })).toMatchObject({ failure: { code: "mcp_oauth_unknown" } });
});

test("an access that another profile has sealed is neither finished nor used", async () => {
  const env = { TALARIA_SEALING_KEY: "a secret of sixteen or more" };
  const [owner, other] = ["p", "q"].map((profile) => openTestDialer([origin], { sealer: openSealer(env, profile) }));
  const url = `${origin}/mcp`;
  const asked = { url, of: toRemote(url).target, redirectUrl: REDIRECT, nonce: "p.oauth.nonce" };
  const begun = await startAccess(owner!.deps, "oauth", asked);
  if (!begun.ok) throw new Error(begun.failure.code);
  challenge = new URL(begun.value.open).searchParams.get("code_challenge")!;
  const copy = () => other!.accesses.set("oauth", owner!.accesses.get("oauth")!);
  const back = { url, nonce: asked.nonce, params: new URLSearchParams({ code: "code-1" }) };
  copy();
  expect(await finishAccess(other!.deps, "oauth", back)).toMatchObject({ failure: { code: "mcp_oauth_unknown" } });
  expect(exchanged).toEqual([]);
  expect((await finishAccess(owner!.deps, "oauth", back)).ok).toBe(true);
  copy();
  const connect = async ({ deps, dialer, accesses }: ReturnType<typeof openTestDialer>) => {
    if (!deps.sealer.ok) throw new Error("no sealer");
    const config = { ...toRemote(url), sealed: await deps.sealer.value.seal(JSON.stringify({ url, headers: {} })) };
    const entry = toEntry("oauth", config, { access: accesses.get("oauth")! });
    return dialer.open(entry, { timeoutMs: 5_000, signal: SIGNAL });
  };
  const opened = await connect(owner!);
  expect(opened.ok).toBe(true);
  if (opened.ok) await opened.value.close();
  expect(await connect(other!)).toMatchObject({ ok: false, failure: { code: "mcp_unauthorized" } });
  expect(registered.length).toBe(1);
  expect(other!.requests.filter(({ headers }) => headers.has("authorization"))).toEqual([]);
});

test("a refused code is told and logged without the code or the server's words", async () => {
  const { finish } = await give();
  const logged = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const failed = await finish({ code: "secret-code" });
  expect(JSON.stringify(logged.mock.calls)).not.toContain("secret-code");
  logged.mockRestore();
  expect(failed).toMatchObject({ ok: false, failure: { code: "mcp_oauth_failed" } });
  expect(JSON.stringify(failed)).not.toContain("secret-code");
});

test("an expired token is refreshed at the next connection, and the new one is stored sealed", async () => {
  const { deps, accesses, finish, connect } = await give();
  await finish({ code: "code-1" });
  accepted = "access-2";
  const opened = await connect();
  expect(opened.ok).toBe(true);
  if (opened.ok) await opened.value.close();
  expect(exchanged.at(-1)).toMatchObject({ grant_type: "refresh_token", refresh_token: "refresh-1" });
  const { sealed } = accesses.get("oauth")!;
  expect(sealed).not.toContain("access-2");
  if (!deps.sealer.ok) throw new Error("no sealer");
  expect(await deps.sealer.value.open(sealed)).toMatchObject({ value: expect.stringContaining("access-2") });
});

test("a token that cannot be refreshed makes the server unauthorized", async () => {
  const { finish, connect } = await give();
  await finish({ code: "code-1" });
  accepted = "another";
  expect(await connect()).toMatchObject({ ok: false, failure: { code: "mcp_unauthorized" } });
});

test("a connection to the server's old address gets no token of its new one, and does not replace it", async () => {
  const { deps, dialer, accesses, finish } = await give();
  await finish({ code: "code-1" });
  const access = accesses.get("oauth")!;
  const opened = deps.sealer.ok && (await deps.sealer.value.open(access.sealed));
  if (!deps.sealer.ok || !opened || !opened.ok) throw new Error("no state");
  const tokens = { access_token: "of-another", token_type: "Bearer", refresh_token: "refresh-of-another" };
  const sealed = await deps.sealer.value.seal(JSON.stringify({ ...JSON.parse(opened.value), tokens }));
  const fresh = { ...access, of: "https://another.example/mcp", sealed };
  accesses.set("oauth", fresh);
  accepted = "of-another";
  const old = toEntry("oauth", toRemote(`${origin}/mcp`), { access });
  await dialer.open(old, { timeoutMs: 5_000, signal: SIGNAL });
  expect(JSON.stringify(exchanged)).not.toContain("of-another");
  expect(accesses.get("oauth")).toBe(fresh);
});
