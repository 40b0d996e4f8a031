// Takes a request of a platform: proves it, reads it, and stores each event before the platform gets its answer. Called by channels.ts.
// Whatever is not proved has one answer, `null`, which says nothing.
import type { ChannelReply, ChannelRequest } from "../../core/channels/platform.ts";
import { InboundEvent, type PlatformName } from "../../core/schemas/channels/inbound.ts";
import { type ChannelsContext, type OpenedChannel } from "./context.ts";
import { moveChats } from "./move-chats.ts";
import { readPublicUrl } from "./open-channel.ts";

const DONE: ChannelReply = { status: 200 };

/**
 * `null`: the request is not proved, or there is no such channel. Throws `StateNewerError`: the platform repeats the request until the
 * version that can read the channel runs.
 */
export async function receive(
  context: ChannelsContext,
  platform: PlatformName,
  request: ChannelRequest,
): Promise<ChannelReply | null> {
  const opened = await context.open(platform);
  if (!opened.ok) return null;
  const heard = { ...request, url: toToldUrl(context, request.url) };
  const verified = await opened.value.platform.verify(heard, opened.value.channel);
  if (!verified) return null;
  return storeEvents(context, opened.value, { request: heard, text: verified.text });
}

/** Also for what was polled: `mark` is then stored with the events. `null`: the channel was removed meanwhile. */
export async function storeEvents(
  context: ChannelsContext,
  { row, platform, channel }: OpenedChannel,
  verified: { request: ChannelRequest; text: string },
  mark?: string,
): Promise<ChannelReply | null> {
  const { sql, clock, channels, inbound, keptFiles } = context;
  const { events, files = [], moved = [], reply = DONE } = await platform.parse(verified, channel);
  const now = clock.now();
  const valid = events.flatMap((event) => {
    const parsed = InboundEvent.safeParse(event);
    if (!parsed.success) context.report(`${platform.name}: an event is malformed`, parsed.error.issues[0]?.message);
    return parsed.success ? [parsed.data] : [];
  });
  const added = sql.transaction(() => {
    // Set up again meanwhile: the request was proved by settings that no longer count.
    if (channels.find(platform.name)?.channel.savedAt !== row.channel.savedAt) return null;
    for (const one of moved) moveChats(context, platform.name, one);
    const stored = valid.filter((event) => inbound.add(platform.name, event, now));
    if (stored.length > 0) for (const { ref, bytes } of files) keptFiles.put(platform.name, ref, bytes, now);
    if (stored.length > 0) channels.noteIn(platform.name, now);
    if (mark !== undefined) channels.setMark(platform.name, mark);
    return stored.length;
  });
  if (added === null) return null;
  if (added > 0) await context.arm();
  return reply;
}

/** The address by which the platform called, as it was told to it. */
function toToldUrl(context: ChannelsContext, url: string): string {
  const base = readPublicUrl(context.env, context.settings());
  const { pathname, search } = new URL(url);
  return base === null ? url : `${base}${pathname}${search}`;
}
