// Posts a person's message to the session of its chat, with its files. Called by carry-event.ts. The event's id is the idempotency key, so a
// message that was posted before a crash is not posted again.
import { type SessionId, fromTurnId } from "../../core/schemas/ids.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { toUsageLines } from "../../core/schemas/usage.ts";
import type { BusyMode } from "../../core/schemas/settings.ts";
import { toSenderPrefix } from "../../core/channels/session-key.ts";
import { clip } from "../../core/clip.ts";
import { DeletedError } from "../../core/errors.ts";
import { openOutbound } from "../../wiring/outbound.ts";
import { openTranscriber } from "../../wiring/voice.ts";
import { openChatSession } from "./begin-session.ts";
import type { ChannelsContext } from "./context.ts";
import type { HeardMessage } from "./heard.ts";
import { takeFiles } from "./take-files.ts";

/** [own] Of a quoted message: enough to know which one. */
const MAX_QUOTE_CHARS = 500;
/** A command or a skill's name. A path such as `/etc/hosts` is neither. */
const COMMAND = /^\/[a-z][a-z0-9_-]*(?:\s|$)/i;
/** The session may be deleted while the message is on its way. */
const MAX_SESSIONS = 3;

export interface PostedToSession {
  /** `null`: there was nothing to post, or it was refused. */
  turn: { session: SessionId; turn: number } | null;
  /** Sentences for the person. */
  refusals: string[];
}

/** Throws what passes: the pump tries again. */
export async function postMessage(
  context: ChannelsContext,
  heard: HeardMessage,
  own: { text?: string; busy?: BusyMode },
): Promise<PostedToSession> {
  const { chat } = heard;
  const settingsRev = await context.account.checkProfile();
  if (settingsRev === null) throw new DeletedError("profile_gone", "This profile has been deleted.");
  for (let n = 0; n < MAX_SESSIONS; n++) {
    const session = await openChatSession(context, heard, chat.id);
    const composed = await compose(context, heard, session, own.text);
    if (composed.text === "" && composed.images.length === 0) return { turn: null, refusals: composed.refusals };
    const busy = own.busy ?? heard.row.channel.options.busy;
    const posted = await context.session(session).post({
      text: composed.text,
      ...(composed.images.length > 0 && { images: composed.images }),
      key: `channel-${sha256Hex(`${heard.platform.name}\n${heard.event.id}`)}`,
      ...(busy && { busy }),
      ...(settingsRev > 0 && { settingsRev }),
      channel: {
        chat: chat.id,
        ...(heard.event.message !== undefined && { message: heard.event.message }),
        ...(isOwners(heard) ? {} : { source: "content" as const }),
        ...(heard.row.channel.options.learned && { learned: true as const }),
      },
    });
    if (posted.ok) return { turn: { session, turn: fromTurnId(posted.value.turn).n }, refusals: composed.refusals };
    const { code, message } = posted.failure;
    // Posted before a crash, and put together a little differently since: the turn is there.
    if (code === "idempotency_conflict") return { turn: null, refusals: [] };
    if (code !== "session_not_found" && code !== "session_gone")
      return { turn: null, refusals: [...composed.refusals, message] };
    context.chats.forgetSession(session);
  }
  throw new Error("the chat's sessions are deleted as fast as they are begun");
}

/** A quotation of somebody else, or a forwarded message, makes the whole message content: nobody can tell the parts apart later. */
function isOwners({ role, event }: HeardMessage): boolean {
  const isOwnText = event.replyTo === undefined || event.replyTo.ofBot || event.replyTo.text === "";
  return role === "owner" && isOwnText && event.forwarded !== true;
}

async function compose(context: ChannelsContext, heard: HeardMessage, session: SessionId, text = heard.event.text) {
  const { event, platform, channel, chat, tries } = heard;
  const settings = context.settings();
  const files = await takeFiles(event, {
    client: platform.open(channel),
    ...{ limits: platform.limits, settings, session: context.session(session), tries },
    transcriber: openTranscriber(context.env, settings, openOutbound(context.env, settings)),
    async book(id, spent) {
      const booked = `voice:${sha256Hex(`${platform.name}\n${event.id}`).slice(0, 32)}.${id}`;
      const lines = toUsageLines([{ kind: "voice", ...spent }]);
      await context.account.book({ id: booked, session, at: context.clock.now(), lines });
    },
  });
  const { replyTo } = event;
  const isCommand = COMMAND.test(text);
  const quote =
    replyTo && replyTo.text !== "" && !isCommand
      ? `> ${clip(replyTo.text, MAX_QUOTE_CHARS).replaceAll("\n", "\n> ")}\n\n`
      : "";
  const edited = event.edited ? "(This replaces what I wrote before.) " : "";
  const words = [text, ...files.spoken].filter((part) => part.trim() !== "").join("\n\n");
  // In shared sessions the agent must know who says what. Commands stay as they are.
  const prefix = chat.shared && !isCommand ? toSenderPrefix(heard.hideName(event.from)) : "";
  const said = words === "" ? "" : `${prefix}${isCommand ? "" : edited}${words}`;
  const parts = [said === "" ? "" : quote + said, files.notes.join("\n")].filter((part) => part !== "");
  return { text: parts.join("\n\n").toWellFormed(), images: files.images, refusals: files.refusals };
}
