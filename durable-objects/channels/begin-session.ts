// The session of a chat: found, or begun once. Called while an event of the chat is carried out, so one at a time for each chat. A beginning that
// a crash cut off finds the same session again, because its key counts the chat's sessions.
import { ulid } from "ulid";
import type { ChatRow } from "../../core/channels/inbox/chat-rows.ts";
import { DeletedError } from "../../core/errors.ts";
import type { ChatOptions, ChannelOptions } from "../../core/schemas/channels/options.ts";
import type { SessionId } from "../../core/schemas/ids.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import type { ChannelsContext, OpenedChannel } from "./context.ts";

/** A session may be deleted while it is begun, but not for ever. */
const MAX_BEGINNINGS = 5;

/** What is set for the chat goes before what is set for the channel. */
export function toChatOptions(options: ChannelOptions, chat: string): ChatOptions {
  const { model, prompt, tools, listen } = options;
  const own = Object.hasOwn(options.chats, chat) ? options.chats[chat] : undefined;
  return { model, prompt, tools, listen, ...own };
}

/** Throws `DeletedError` if the profile was deleted. */
export async function openChatSession(
  context: ChannelsContext,
  { platform, row }: OpenedChannel,
  id: ChatRow["id"],
): Promise<SessionId> {
  const { chats, account, clock } = context;
  for (let n = 0; n < MAX_BEGINNINGS; n++) {
    const chat = chats.find(id);
    if (!chat) throw new Error("the chat was removed");
    if (chat.session !== null) return chat.session;
    const createdAt = clock.now();
    const created = { title: "", learning: "on", createdAt } as const;
    // Registered first: the deletion of a profile must know every session.
    const key = sha256Hex(`channel ${chat.id} ${chat.createdAt} ${chat.begun}`);
    const session = await account.registerSessionOnce(key, { session: ulid(), ...created });
    if (session === null) throw new DeletedError("profile_gone", "This profile has been deleted.");
    const { model, prompt, tools } = toChatOptions(row.channel.options, chat.address.id);
    const made = await context.session(session).create({
      ...created,
      ...(model !== undefined && { choice: { model } }),
      ...(tools !== undefined && { tools }),
      channel: {
        ...{ platform: platform.title, kind: chat.address.kind, shared: chat.shared },
        files: platform.capabilities.filesOut,
        ...(prompt !== undefined && { prompt }),
      },
    });
    if (!made) {
      chats.countBegun(id);
      continue;
    }
    chats.bind(id, session);
    return session;
  }
  throw new Error("the chat's sessions are deleted as fast as they are begun");
}

/** The next message begins another session. */
export function leaveSession(context: ChannelsContext, id: ChatRow["id"]): void {
  context.sql.transaction(() => {
    context.chats.countBegun(id);
    context.chats.bind(id, null);
  });
}
