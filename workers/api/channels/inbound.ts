// The address that platforms call, `/channels/<platform>/<profile>`. Open to everyone: the channel proves each request. Not in the contract,
// because platforms send what they like. Everything that is not proved has one answer, byte for byte, so that it tells nothing of a profile.
import type { Context } from "hono";
import { PlatformName } from "../../../core/schemas/channels/inbound.ts";
import { ProfileId } from "../../../core/schemas/ids.ts";
import type { ChannelReply } from "../../../core/channels/platform.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { PROBLEMS } from "../problems.ts";
import { createRouter } from "../router.ts";

export const inboundChannels = createRouter();

/** Some platforms add a path of their own to the address, such as Matrix. */
for (const path of ["/channels/:platform/:profile", "/channels/:platform/:profile/:rest{[^]+}"]) {
  inboundChannels.all(path, answerPlatform);
}

async function answerPlatform(c: Context<ApiEnv, "/channels/:platform/:profile">): Promise<Response> {
  const platform = PlatformName.safeParse(c.req.param("platform"));
  if (!platform.success) return c.notFound();
  const body = new Uint8Array(await c.req.arrayBuffer());
  const profile = ProfileId.safeParse(c.req.param("profile"));
  if (!profile.success) return refuse();
  const { method, url, headers } = c.req.raw;
  const request = { method, url, headers: Object.fromEntries(headers), body };
  const reply = await c.env.CHANNELS.getByName(profile.data).receive(platform.data, request);
  return reply ? toResponse(reply) : refuse();
}

function toResponse({ status, headers, body }: ChannelReply): Response {
  return new Response(body ?? null, { status, headers: { "cache-control": "no-store", ...headers } });
}

function refuse(): Response {
  const [status, title] = PROBLEMS.channel_refused;
  const code = "channel_refused";
  const detail = "This request is not accepted here. Check the address and the secret that the platform was given.";
  return new Response(JSON.stringify({ type: `urn:talaria:problem:${code}`, title, status, code, detail }), {
    status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store" },
  });
}
