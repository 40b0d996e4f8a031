// Carries out a command of a channel for one event: makes its scene, and says what came of it. Called by carry-event.ts.
import { runChannelCommand } from "../../core/channels/commands/run-channel-command.ts";
import { toListening } from "../../core/channels/hearing.ts";
import { toSessionKey } from "../../core/channels/session-key.ts";
import type { TopicRows } from "../../core/channels/topics/topic-rows.ts";
import { createCommandPorts } from "./command-ports.ts";
import type { ChannelsContext } from "./context.ts";
import type { CarryDeps, HeardMessage } from "./heard.ts";

/** True: it was a command, and is carried out. */
export async function runCommand(
  context: ChannelsContext,
  deps: CarryDeps & { topics: TopicRows },
  heard: HeardMessage,
): Promise<boolean> {
  const { event, platform, row, chat, role } = heard;
  const { options } = row.channel;
  const { thread: _, ...place } = event.chat;
  const base = toSessionKey(platform.name, { chat: place, from: event.from }, options, { hideId: heard.hideId });
  const outcome = await runChannelCommand(
    {
      ...{ platform: platform.title, role, chat: event.chat, base: base.key, shared: chat.shared },
      from: { id: event.from.id, name: heard.hideName(event.from) },
      listening: toListening(options, event.chat.id),
      ...{ ports: createCommandPorts(context, deps, heard), topics: deps.topics, now: context.clock.now() },
    },
    event,
  );
  if (outcome.kind === "message") return false;
  if (outcome.kind === "said") {
    const replyTo = event.message !== undefined && event.chat.kind === "group" && { replyTo: event.message };
    deps.say({ id: `in.${platform.name}.${event.id}`, chat: chat.id, text: outcome.text, ...replyTo });
  }
  return true;
}
