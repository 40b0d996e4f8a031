// How a profile is set up: keys, webhooks in and out, a channel with people, MCP servers, personalities. Nothing here needs a network:
// every address is one that nobody answers. Called by world.ts.
import { createHmac } from "node:crypto";
import type { Owner } from "../owner.ts";
import { NOWHERE } from "../settings.ts";

export interface Setup {
  hook: string;
  webhook: string;
  channel: "webhook";
  mcpServer: string;
  keys: string[];
}

export async function seedSetup(owner: Owner): Promise<Setup> {
  const { call, profile, url } = owner;
  const keys: string[] = [];
  for (const fields of [
    { label: "The report's script", scopes: ["read"] },
    { label: "Ada's laptop", scopes: ["read", "write"], expiresAt: Date.now() + 30 * 24 * 60 * 60_000 },
  ])
    keys.push((await call<{ id: string }>("POST", "/v1/keys", fields)).id);
  const { id: hook } = await call<{ id: string }>("POST", "/v1/hooks", {
    ...{ url: `${NOWHERE}/hooks`, events: ["turn.ended", "pending.created"], description: "The team's chat" },
  });
  const secret = "a-secret-of-forty-characters-for-tests-01";
  await call("POST", "/v1/webhooks", {
    ...{ name: "tickets", scheme: "hmac", secret, description: "New tickets", prompt: "A ticket: {title}" },
  });
  const body = JSON.stringify({ title: "The printer prints nothing" });
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  await fetch(`${url}/hooks/${profile}/tickets`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-signature": signature },
    body,
  });
  await call("PUT", "/v1/channels/webhook", { secret: `whsec_${"B".repeat(43)}=`, url: `${NOWHERE}/channel` });
  await call("PUT", "/v1/channels/webhook/people/7", { role: "user", name: "Ada" });
  await call("PUT", "/v1/mcp/servers/notes", { url: `${NOWHERE}/mcp`, headers: { "x-notes-key": "k" } });
  await call("PUT", "/v1/personalities/brisk", { description: "Short and dry", text: "Answer in one sentence." });
  return { hook, webhook: "tickets", channel: "webhook", mcpServer: "notes", keys };
}
