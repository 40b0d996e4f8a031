// The routes of a profile's MCP servers: what they store, what they refuse, and that no answer holds a secret.
import { beforeAll, describe, expect, test } from "vitest";
import { START_MS, ask, createProfile, env, expectProblem } from "../api-calls.ts";

let key: string;
let profile: string;
beforeAll(async () => {
  ({ profile, key } = await createProfile());
}, START_MS);

const PATH = "/v1/mcp/servers";
const URL_WITH_KEY = "https://mcp.example.com/secret-in-path/mcp?key=secret-in-query";
const body = {
  url: URL_WITH_KEY,
  headers: { authorization: "Bearer secret-in-header" },
  include: ["get_*"],
  exclude: ["x"],
};

describe("the routes of MCP servers", () => {
  test("store a server, list it without its secrets, and remove it", async () => {
    const put = await ask("PUT", `${PATH}/git`, { key, body: { ...body, enabled: false } });
    const info = {
      server: "git",
      kind: "remote",
      address: "https://mcp.example.com",
      enabled: false,
      secrets: ["authorization"],
      include: ["get_*"],
      exclude: ["x"],
      authorization: "none",
      state: "unknown",
      tools: 0,
    };
    expect(put).toMatchObject({ status: 200, body: info });
    expect((await ask("GET", PATH, { key })).body).toEqual({ servers: [info] });
    const settings = JSON.stringify(await env.ACCOUNT.getByName(profile).readSettings());
    for (const text of [JSON.stringify(put.body), settings]) expect(text).not.toMatch(/secret-in/);
    expect(settings).toContain('"sealed":"v1.');
    expect((await ask("DELETE", `${PATH}/git`, { key })).status).toBe(204);
    expect((await ask("GET", PATH, { key })).body).toEqual({ servers: [] });
    expectProblem(await ask("DELETE", `${PATH}/git`, { key }), 404, "mcp_server_not_found", "No such MCP server");
  });

  test("refuse what cannot work, with a code each", async () => {
    const put = (name: string, more: object) => ask("PUT", `${PATH}/${name}`, { key, body: more });
    expect(await put("Bad_Name", { url: "https://a.example" })).toMatchObject({
      status: 400,
      body: { code: "bad_mcp_server" },
    });
    for (const url of ["http://127.0.0.1:9/mcp", "http://169.254.169.254/", "http://localhost/", "ftp://a.example/"]) {
      expect(await put("a", { url }), url).toMatchObject({ status: 422, body: { code: "url_refused" } });
    }
    for (const wrong of [
      {},
      { url: "https://a.example", command: "x" },
      { command: "x", headers: {} },
      { url: "https://a.example", headers: { "a b": "x" } },
    ]) {
      expect(await put("a", wrong), JSON.stringify(wrong)).toMatchObject({
        status: 400,
        body: { code: "body_invalid" },
      });
    }
    expect(await put("a", { url: "https://a.example", shell: "x" })).toMatchObject({ body: { code: "field_unknown" } });
    expect(await put("a", { command: "node server.js" })).toMatchObject({
      status: 409,
      body: { code: "backend_unavailable" },
    });
    expect(await ask("POST", `${PATH}/nobody/test`, { key })).toMatchObject({ body: { code: "mcp_server_not_found" } });
    expect(await ask("POST", `${PATH}/nobody/authorize`, { key })).toMatchObject({
      body: { code: "mcp_server_not_found" },
    });
    expect((await ask("GET", PATH, { key })).body).toEqual({ servers: [] });
  });

  test("change what is offered of a server, and keep its address and secrets", async () => {
    await ask("PUT", `${PATH}/git`, { key, body: { ...body, enabled: false, timeoutMs: 5_000 } });
    const sealedIn = async () => {
      const settings: unknown = await env.ACCOUNT.getByName(profile).readSettings();
      return (settings as { sections: { mcp: Record<string, object> } }).sections.mcp.git;
    };
    const before = await sealedIn();
    const changed = await ask("PATCH", `${PATH}/git`, { key, body: { include: null, timeoutMs: 9_000 } });
    expect(changed).toMatchObject({ status: 200, body: { enabled: false, exclude: ["x"], timeoutMs: 9_000 } });
    expect(changed.body).not.toHaveProperty("include");
    const { include: _gone, ...kept } = before as Record<string, unknown>;
    expect(await sealedIn()).toEqual({ ...kept, timeoutMs: 9_000 });
    expect(await ask("PATCH", `${PATH}/nobody`, { key, body: {} })).toMatchObject({
      status: 404,
      body: { code: "mcp_server_not_found" },
    });
    expect(await ask("PATCH", `${PATH}/git`, { key, body: { url: "https://b.example" } })).toMatchObject({
      body: { code: "field_unknown" },
    });
    await ask("DELETE", `${PATH}/git`, { key });
  });

  test("keep at most ten servers", async () => {
    const answers = [];
    for (let at = 0; at < 11; at++) {
      answers.push(await ask("PUT", `${PATH}/s${at}`, { key, body: { url: "https://a.example", enabled: false } }));
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 409]);
    expect(answers[10]!.body).toMatchObject({ code: "too_many_settings" });
  });

  test("keep one profile's servers from another", async () => {
    const other = await createProfile();
    expect((await ask("GET", PATH, { key: other.key })).body).toEqual({ servers: [] });
    expect((await ask("DELETE", `${PATH}/s1`, { key: other.key })).status).toBe(404);
  });

  test("answer a browser that nobody sent with one refusal, whether the profile exists or not", async () => {
    for (const state of ["", "x", `${profile}.s1.${"0".repeat(36)}`, `${"0".repeat(26)}.s1.x`]) {
      const answer = await ask("GET", `/v1/mcp/callback?code=a&state=${state}&session_state=more`);
      expectProblem(answer, 404, "mcp_oauth_unknown", "No such authorization");
    }
  });
});
