// Whether a message of somebody who may talk is for the agent. Called by durable-objects/channels after judge-sender.ts. Pure.
import { isCommandWord } from "../commands/parse-command.ts";
import type { InboundEvent } from "../schemas/channels/inbound.ts";
import type { ChannelOptions, ChannelRole, Listening } from "../schemas/channels/options.ts";

/**
 * In a direct chat everything is heard. In a group: by `listen`. A message of another bot must mention the agent or reply to it, whatever
 * `listen` says. A message that replies to somebody else is theirs, unless it also mentions the agent. Where `listen` is `off`, a command of an
 * owner or admin is heard that is addressed to the agent: `/listen` could not be taken back otherwise. A pressed button is always heard.
 */
export function isHeard(event: InboundEvent, listen: Listening, role: ChannelRole): boolean {
  if (event.kind === "press" || event.chat.kind === "direct") return true;
  if (listen === "off") return event.addressed && role !== "user" && isCommandWord(event.text, "channel");
  if (event.addressed) return true;
  if (event.from.isBot || (event.replyTo && !event.replyTo.ofBot)) return false;
  return listen === "all";
}

/** What is set for the chat, else for the channel; else only what addresses the agent. */
export function toListening(options: Pick<ChannelOptions, "chats" | "listen">, chat: string): Listening {
  const chosen = Object.hasOwn(options.chats, chat) ? options.chats[chat]!.listen : undefined;
  return chosen ?? options.listen ?? "mention";
}
