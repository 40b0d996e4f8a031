// Whether what a session hands over may still be said. Called by channels.ts before it stores a delivery.
import type { SessionDelivery } from "../../core/schemas/channels/delivery.ts";
import type { ChannelsContext } from "./context.ts";

/**
 * False: its channel was removed, its session deleted, or its person dismissed, while it was on its way. Nobody may read it any more, and the
 * deletion that would have erased it is over. The Account is asked only for a session that is not among the chat's own.
 */
export async function isOwed(
  { chats, account }: Pick<ChannelsContext, "chats" | "account">,
  { origin, session }: Pick<SessionDelivery, "origin" | "session">,
): Promise<boolean> {
  const chat = chats.find(origin.chat);
  if (!chat || chat.stranger) return false;
  return chat.sessions.includes(session) || (await account.findSessions([session])).length > 0;
}
