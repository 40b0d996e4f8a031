// What the object with Discord's socket asks of the profile's Channels object: the token for a connection, and that messages are stored. Called by
// channels.ts.
import { DiscordFields, atDiscord } from "../../channels/discord/api.ts";
import { callApi } from "../../channels/support/call.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import { toObject } from "../../core/unknown-object.ts";
import type { ChannelsContext } from "./context.ts";
import type { SocketAccess } from "./discord-socket.ts";
import { storeEvents } from "./receive.ts";

/** The socket's messages are no requests: nothing of one is read. */
const NO_REQUEST = { method: "SOCKET", url: "https://discord.invalid/", headers: {}, body: new Uint8Array() };

/** `null`: the channel is gone, or wants no socket. */
export async function openSocketAccess(context: ChannelsContext): Promise<Result<SocketAccess> | null> {
  const opened = await context.open("discord");
  if (!opened.ok) return null;
  const { channel } = opened.value;
  const fields = DiscordFields.parse(channel.fields);
  if (!fields.gateway) return null;
  const { deps } = channel;
  const headers = { authorization: `Bot ${fields.botToken}` };
  const reply = await callApi(deps, atDiscord({ deps }, "/gateway/bot"), { headers });
  if (!reply.ok) return reply;
  const { url, session_start_limit: limit } = toObject(reply.value.json);
  const { remaining, reset_after: resetMs } = toObject(limit);
  if (typeof url !== "string") return err("channel_unavailable", "Discord did not say where its Gateway is.");
  return ok({
    ...{ botToken: fields.botToken, apiBase: deps.apiBase, url },
    remaining: typeof remaining === "number" ? remaining : 1,
    resetMs: typeof resetMs === "number" ? resetMs : 0,
  });
}

/** Throws if the message cannot be stored now: the socket then asks Discord for it again. */
export async function takeSocketText(context: ChannelsContext, text: string): Promise<void> {
  const opened = await context.open("discord");
  // The channel is gone, or set up again: the socket learns it when it connects again.
  if (!opened.ok) return;
  await storeEvents(context, opened.value, { request: NO_REQUEST, text });
}

export function noteSocket({ channels, clock }: ChannelsContext, message: string): void {
  channels.noteError("discord", { at: clock.now(), code: "socket_closed", message });
}
