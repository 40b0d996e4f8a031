// Sealed secrets in the table of another profile, as a mistake in a migration or a restored backup would leave them: they do not open,
// and nothing is sent with them.
import { beforeAll, expect, it } from "vitest";
import type { ProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { START_MS, ask, createProfile, env } from "../api-calls.ts";

const SERVER = "/v1/mcp/servers/notes";
let owner: { profile: string; key: string };
let other: typeof owner;
let hook: string;

beforeAll(async () => {
  [owner, other] = [await createProfile(), await createProfile()];
  const url = "https://notes.example.com/mcp";
  const server = { url, headers: { authorization: "Bearer secret-in-header" }, enabled: false };
  expect((await ask("PUT", SERVER, { key: owner.key, body: server })).status).toBe(200);
  const body = { url: "https://receiver.example.com/in", events: ["turn.ended"] };
  hook = ((await ask("POST", "/v1/hooks", { key: owner.key, body })).body as { id: string }).id;
  const [from, to] = [owner, other].map(({ profile }) => env.ACCOUNT.getByName(profile));
  const { sections } = (await from!.readSettings()) as ProfileSettings;
  await to!.putSetting("mcp", "notes", sections.mcp.notes!);
  await to!.putSetting("hooks", hook, sections.hooks[hook]!);
}, START_MS);

const test = async ({ key }: typeof owner, path: string) => (await ask("POST", `${path}/test`, { key })).body;

it("a copied MCP server is one that cannot be opened, not one that is asked with the other's header", async () => {
  // The owner's is tried, and cannot be reached from a test.
  expect(await test(owner, SERVER)).toMatchObject({ reason: { code: "mcp_unreachable" } });
  expect(await test(other, SERVER)).toMatchObject({ state: "unavailable", reason: { code: "mcp_not_supported" } });
});

it("a copied MCP server cannot be given access by OAuth", async () => {
  const begun = await ask("POST", `${SERVER}/authorize`, { key: other.key });
  expect([begun.status, begun.body]).toMatchObject([422, { code: "mcp_not_supported" }]);
});

it("a copied webhook sends nothing", async () => {
  expect(await test(owner, `/v1/hooks/${hook}`)).toMatchObject({ error: "unreachable" });
  expect(await test(other, `/v1/hooks/${hook}`)).toMatchObject({ error: "secret_unreadable" });
});
