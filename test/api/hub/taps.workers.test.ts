// Taps and the token of GitHub over the API: what is stored and shown, who may change it, and what is refused before GitHub is asked.
import { beforeAll, expect, it } from "vitest";
import { type Answer, START_MS, ask, createProfile, env } from "../api-calls.ts";

const TOKEN = "ghp_0123456789abcdefghij";
let key = "";
let profile = "";
let writer = "";
beforeAll(async () => {
  ({ key, profile } = await createProfile());
  const made = await ask("POST", "/v1/keys", { key, body: { scopes: ["read", "write"] } });
  writer = (made.body as { key: string }).key;
}, START_MS);

function expectRefusal({ status, body }: Answer, ...[as, code, words]: [number, string, string]): void {
  expect({ status, ...(body as object) }).toMatchObject({ status: as, code, detail: expect.stringContaining(words) });
}

const SKILL = (text: string) => `---\nname: tides\ndescription: Reads tides.\n---\n\n# Tides\n\n${text}\n`;

it("lists taps by name, with where they are, and changes them", async () => {
  for (const [tap, source] of [
    ["team", "https://github.com/team/skills"],
    ["docs", "https://example.com/p/abc"],
    ["team", "team/skills/ours"],
  ])
    expect((await ask("PUT", `/v1/hub/taps/${tap}`, { key, body: { source } })).status).toBe(200);
  expect((await ask("GET", "/v1/hub/taps", { key })).body).toEqual({
    taps: [
      { tap: "docs", source: "well-known", identifier: "https://example.com/p/abc", addedAt: expect.any(Number) },
      { tap: "team", source: "github", identifier: "team/skills/ours", addedAt: expect.any(Number) },
    ],
    githubToken: null,
  });
  expect((await ask("DELETE", "/v1/hub/taps/docs", { key })).status).toBe(204);
  expectRefusal(await ask("DELETE", "/v1/hub/taps/docs", { key }), 404, "tap_not_found", "no tap of that name");
});

it("refuses what is no place of skills, and addresses inside", async () => {
  const put = (source: string, tap = "x") => ask("PUT", `/v1/hub/taps/${tap}`, { key, body: { source } });
  expectRefusal(await put("no"), 422, "bad_hub_ref", "not a tap");
  expectRefusal(await put("http://169.254.169.254/index.json"), 422, "url_refused", "not public");
  expectRefusal(await put("a/b", "A_b"), 400, "bad_tap", "lower-case");
});

it("shows of a token that it is set, and never the token; only an admin sets it", async () => {
  const body = { token: TOKEN };
  expectRefusal(await ask("PUT", "/v1/hub/github-token", { key: writer, body }), 403, "scope_missing", "admin");
  const publish = await ask("POST", "/v1/hub/publish", { key: writer, body: { skill: "a", tap: "b" } });
  expectRefusal(publish, 403, "scope_missing", "admin");
  const before = Date.now();
  expect((await ask("PUT", "/v1/hub/github-token", { key, body })).status).toBe(204);
  const { body: listed } = await ask("GET", "/v1/hub/taps", { key });
  const { githubToken } = listed as { githubToken: { setAt: number } };
  expect(githubToken).toEqual({ server: "https://api.github.com", setAt: expect.any(Number), usable: true });
  expect(githubToken.setAt).toBeGreaterThanOrEqual(before);
  const stored = await env.ACCOUNT.getByName(profile).readSettings();
  expect(JSON.stringify([listed, stored])).not.toContain(TOKEN);
  expect((await ask("DELETE", "/v1/hub/github-token", { key })).status).toBe(204);
  expectRefusal(await ask("DELETE", "/v1/hub/github-token", { key }), 409, "hub_token_missing", "No GitHub token");
});

it("publishes nothing without a tap, without a token, with a secret or of an archived skill", async () => {
  const publish = (skill: string, tap = "team") => ask("POST", "/v1/hub/publish", { key, body: { skill, tap } });
  await ask("PUT", "/v1/hub/taps/docs", { key, body: { source: "https://example.com/" } });
  await ask("PUT", "/v1/skills/tides", { key, body: { files: { "SKILL.md": SKILL(`Use ${TOKEN}.`) } } });
  expectRefusal(await publish("tides", "none"), 404, "tap_not_found", "no tap of that name");
  expectRefusal(await publish("tides", "docs"), 422, "tap_not_github", "Only a repository on GitHub");
  expectRefusal(await publish("tides"), 409, "hub_token_missing", "No GitHub token");
  await ask("PUT", "/v1/hub/github-token", { key, body: { token: TOKEN } });
  expectRefusal(await publish("clouds"), 404, "skill_not_found", "clouds");
  const refused = await publish("tides");
  expectRefusal(refused, 422, "publish_secret", "SKILL.md line 8 (GitHub token)");
  expect(JSON.stringify(refused.body)).not.toContain(TOKEN);
  await ask("POST", "/v1/skills/tides/archive", { key });
  expectRefusal(await publish("tides"), 409, "skill_archived", "archived");
});
