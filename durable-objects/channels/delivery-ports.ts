// What goes out to chats (core/channels/delivery) over the rows, platforms and sessions of a Channels object. Called by channels.ts.
import type { DeliveryPorts } from "../../core/channels/delivery/ports.ts";
import { ok } from "../../core/errors.ts";
import type { ChannelsContext } from "./context.ts";

const TOKEN_CHARS = 20;
/** 32 of them, so that a byte chooses each alike. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

export function createDeliveryPorts(context: ChannelsContext): DeliveryPorts {
  const { sql, clock, chats, channels } = context;
  return {
    ...{ sql, clock, random: Math.random, report: context.report },
    newToken: () =>
      Array.from(crypto.getRandomValues(new Uint8Array(TOKEN_CHARS)), (byte) => ALPHABET[byte % 32]).join(""),
    findChat: (chat) => chats.find(chat),
    // Loaded when there is something to say: the parser of Markdown is large.
    async toMessages(markdown, form) {
      const { toMessages } = await import("../../core/channels/render/to-messages.ts");
      return toMessages(markdown, form);
    },
    async openClient(name) {
      const opened = await context.open(name);
      if (!opened.ok) return opened;
      const { platform, channel } = opened.value;
      return ok({ platform, client: platform.open(channel) });
    },
    readFile(session, path) {
      return context.session(session).getFile(path);
    },
    onAttempt(platform, failure) {
      if (failure) channels.noteError(platform, { at: clock.now(), ...failure });
      else channels.noteOut(platform, clock.now());
    },
  };
}
