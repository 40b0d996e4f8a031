// Where a browser comes back to after its person has given an MCP server's access. Open to everyone: the random part of `state` proves that
// the owner began it, and it counts once. Not in the contract, because OAuth servers add query fields of their own.
import { ProfileId } from "../../../core/schemas/ids.ts";
import { openSecret } from "../../../wiring/mcp/dialer.ts";
import { AppError, unwrap } from "../problems.ts";
import { createRouter } from "../router.ts";
import { openMcpAccount } from "./mcp-account.ts";

export const mcpCallback = createRouter();

mcpCallback.get("/v1/mcp/callback", async (c) => {
  const { searchParams } = new URL(c.req.url);
  const nonce = searchParams.get("state") ?? "";
  const [profilePart, server = ""] = nonce.split(".");
  const profile = ProfileId.safeParse(profilePart);
  if (!profile.success) throw unknown();
  const account = openMcpAccount(c.env, profile.data);
  const entry = (await account.list()).find(({ name }) => name === server);
  if (!entry?.access) throw unknown();
  const secret = unwrap(await openSecret(account.deps.sealer, entry));
  if (!("url" in secret)) throw unknown();
  const { finishAccess } = await import("../../../wiring/mcp/oauth.ts");
  unwrap(await finishAccess(account.deps, entry.name, { url: secret.url, nonce, params: searchParams }));
  c.executionCtx.waitUntil(
    account
      .find(server)
      .then(account.ask)
      .then(
        () => undefined,
        () => undefined,
      ),
  ); // a session asks again
  c.header("referrer-policy", "no-referrer");
  c.header("cache-control", "no-store");
  return c.text("Access is given. You can close this window.");
});

function unknown(): AppError {
  return new AppError("mcp_oauth_unknown", "There is no such authorization, or it is too old. Start it again.");
}
