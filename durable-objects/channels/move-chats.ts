// A place that has another id on its platform from now on, such as a Telegram group that became a supergroup: its chats, topics, waiting messages and
// options follow. Called by receive.ts, inside the transaction that stores the request's events. Idempotent.
import { createTopicRows } from "../../core/channels/topics/topic-rows.ts";
import type { MovedPlace } from "../../core/channels/session-key.ts";
import type { PlatformName } from "../../core/schemas/channels/inbound.ts";
import type { ChannelOptions } from "../../core/schemas/channels/options.ts";
import type { ChannelsContext } from "./context.ts";

/** The channel must exist. What refers to a chat's row (deliveries, the home chat, webhooks) needs no change: the row keeps its id. */
export function moveChats(
  { sql, channels, chats, inbound }: ChannelsContext,
  platform: PlatformName,
  moved: MovedPlace,
) {
  chats.move(platform, moved);
  createTopicRows(sql).move(platform, moved);
  inbound.move(platform, moved);
  const { options, savedAt } = channels.find(platform)!.channel;
  if (Object.hasOwn(options.chats, moved.from)) {
    channels.change(platform, savedAt, { options: moveOptions(options, moved) });
  }
}

/** What a person has set for the new id goes before. */
function moveOptions(options: ChannelOptions, { from, to }: MovedPlace): ChannelOptions {
  const { [from]: former, ...others } = options.chats;
  const own = Object.hasOwn(others, to) ? others[to] : {};
  return { ...options, chats: { ...others, [to]: { ...former, ...own } } };
}
