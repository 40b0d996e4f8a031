// What a person may write as a tap, and what becomes of it.
import { expect, it } from "vitest";
import { GITHUB_ACCESS, githubApi, openAccess, sealAccess } from "../../core/hub/access.ts";
import { parseTap, toTapRepository } from "../../core/hub/taps.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { leaveSetting } from "../../core/moving/settings-rows.ts";
import { openSealer } from "../../wiring/sealing.ts";

it.each([
  ["anthropics/skills", { owner: "anthropics", repo: "skills", path: "" }],
  ["team/tools/skills/ours", { owner: "team", repo: "tools", path: "skills/ours" }],
  ["https://github.com/team/tools.git", { owner: "team", repo: "tools", path: "" }],
])("%s is a repository on GitHub", (text, place) => {
  const tap = parseTap(text);
  expect(tap).toMatchObject({ ok: true, value: { source: "github" } });
  expect(tap.ok && toTapRepository(tap.value)).toEqual(place);
});

it("an address is an index, which takes no pull request", () => {
  const tap = parseTap("https://example.com/p/abc");
  expect(tap).toEqual({ ok: true, value: { source: "well-known", identifier: "https://example.com/p/abc" } });
  expect(tap.ok && toTapRepository(tap.value)).toBeNull();
});

it.each([
  ...[
    "team",
    "team/../x",
    "../team",
    "team/tools@v1",
    "team/tools/skills@v1",
    "https://github.com/team/tools/tree/main/skills",
  ],
  ...[
    "https://a:b@example.com/",
    "file:///etc/passwd",
    "clawhub:rain",
    "https://example.com/a.zip",
    "https://example.com#rain",
  ],
])("%s is refused", (text) => {
  expect(parseTap(text)).toMatchObject({ ok: false, failure: { code: "bad_hub_ref" } });
});

it("a token opens for the server that it was given for only, also when another is put beside it", async () => {
  const sealer = openSealer({ TALARIA_SEALING_KEY: "a-secret-of-tests" }, "p");
  const server = githubApi(DEFAULTS);
  const other = githubApi({
    ...DEFAULTS,
    hub: { ...DEFAULTS.hub, github: { apiBase: "https://ghe.example/api/v3/" } },
  });
  expect([server, other]).toEqual(["https://api.github.com", "https://ghe.example/api/v3"]);
  const access = await sealAccess(sealer.ok ? sealer.value : null!, { server, token: "ghp_x" }, 1);
  expect(JSON.stringify(access)).not.toContain("ghp_x");
  expect(await openAccess(sealer, access, server)).toEqual({ ok: true, value: "ghp_x" });
  const missing = { failure: { code: "hub_token_missing" } };
  expect(await openAccess(sealer, access, other)).toMatchObject(missing);
  expect(await openAccess(sealer, { ...access, server: other }, other)).toMatchObject(missing);
  expect(await openAccess(sealer, undefined, server)).toMatchObject(missing);
  const foreign = openSealer({ TALARIA_SEALING_KEY: "a-secret-of-tests" }, "q");
  expect(await openAccess(foreign, access, server)).toMatchObject({ failure: { code: "secret_unreadable" } });
});

it("taps move with a profile, the token stays", () => {
  const tap = { section: "hubTaps", key: "team", value: '{"source":"github","identifier":"team/tools","addedAt":1}' };
  expect(leaveSetting(tap, 1)).toEqual(tap);
  expect(leaveSetting({ section: "hubAccess", key: GITHUB_ACCESS, value: "{}" }, 1)).toBeNull();
});
