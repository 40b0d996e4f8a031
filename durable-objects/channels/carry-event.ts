// Carries out one event that came in: may this person talk, is it for the agent, which conversation, a command or a message for the session.
// Called by the pump. May run twice for one event, after a crash: what it does has the event's id as its key.
import { isHeard, toListening } from "../../core/channels/hearing.ts";
import type { InboundRow } from "../../core/channels/inbox/inbound-rows.ts";
import { judgeSender } from "../../core/channels/judge-sender.ts";
import { toChatId } from "../../core/channels/inbox/chat-rows.ts";
import { createIdRedaction } from "../../core/channels/people/redact-ids.ts";
import { toSessionKey } from "../../core/channels/session-key.ts";
import type { BusyMode } from "../../core/schemas/settings.ts";
import type { ChannelsContext, OpenedChannel } from "./context.ts";
import type { CarryDeps, Heard, HeardMessage } from "./heard.ts";
import { postMessage } from "./post-message.ts";

/** Throws: it is tried again. */
export async function carryEvent(context: ChannelsContext, deps: CarryDeps, row: InboundRow): Promise<void> {
  const { event } = row;
  const opened = await context.open(row.platform);
  if (!opened.ok) {
    if (opened.failure.code === "channel_not_found") return;
    throw new Error(`${opened.failure.code}: ${opened.failure.message}`);
  }
  const { platform } = opened.value;
  const { options } = opened.value.row.channel;
  const approved = deps.people.find(row.platform, event.from.id)?.role ?? null;
  const verdict = judgeSender({ from: event.from, chat: event.chat, options, approved, pairs: platform.pairs });
  if (verdict.may === "nothing") return;
  const place = toPlace(context, deps, opened.value, event);
  if (verdict.may === "pair") return answerStranger(context, deps, row, place);
  if (!isHeard(event, toListening(options, event.chat.id), verdict.role)) return;
  if (event.from.isBot && !deps.loopGuard.admit(row.platform, event.chat, context.clock.now())) return;
  const chat = context.chats.touch(place, context.clock.now());
  const heard: Heard = {
    ...opened.value,
    event,
    tries: row.tries,
    role: verdict.role,
    chat,
    hideName: place.hideName,
    hideId: place.hideId,
  };
  deps.reopen(chat.id);
  if (event.kind === "press") return deps.carryPress({ ...heard, event });
  if (await deps.runCommand({ ...heard, event })) return;
  await postAndFollow(context, deps, { ...heard, event });
}

/** Which conversation the event belongs to. */
function toPlace(context: ChannelsContext, deps: CarryDeps, opened: OpenedChannel, event: InboundRow["event"]) {
  const { platform, row } = opened;
  const isHidden = platform.capabilities.redactsIds && context.settings().privacy.redactIds;
  const { hideId, hideName } = createIdRedaction({ profile: context.profile, platform: platform.name }, isHidden);
  const base = toSessionKey(platform.name, event, row.channel.options, { hideId });
  const topic = deps.topics.current(base.key);
  const keyed = topic === undefined ? base : toSessionKey(platform.name, event, row.channel.options, { topic, hideId });
  const address = { ...event.chat, ...(event.context && { context: event.context }) };
  return { ...keyed, platform: platform.name, address, hideName, hideId };
}

/** With a code, once in a while, or not at all. The code and its message are stored together. */
function answerStranger(
  context: ChannelsContext,
  deps: CarryDeps,
  { platform, event }: InboundRow,
  place: ReturnType<typeof toPlace>,
): void {
  context.sql.transaction(() => {
    const answer = deps.pairing.request(platform, event.from, toChatId(platform, place.key));
    if (answer.tell === "nothing") return;
    const chat = context.chats.touch({ ...place, stranger: true }, context.clock.now());
    const text = answer.tell === "code" ? toCodeText(platform, answer.code) : FULL;
    deps.say({ id: `pair.${platform}.${event.id}`, chat: chat.id, text });
  });
}

const FULL = "I do not know you yet, and too many people are waiting to be let in. Please write again in an hour.";

function toCodeText(platform: string, code: string): string {
  return (
    `I do not know you yet. Your code is **${code}**. Give it to the person this agent belongs to; it is good for an hour. ` +
    `They let you in with \`talaria channels approve ${platform} ${code}\`.`
  );
}

/** Posts the message, or `text` in place of its own. What the session refuses is told to the person. */
export async function postAndFollow(
  context: ChannelsContext,
  deps: Pick<CarryDeps, "say" | "follow">,
  heard: HeardMessage,
  own: { text?: string; busy?: BusyMode } = {},
): Promise<void> {
  const { event, chat } = heard;
  const posted = await postMessage(context, heard, own);
  const replyTo = event.message === undefined ? {} : { replyTo: event.message };
  for (const [n, text] of posted.refusals.entries()) {
    deps.say({ id: `in.${heard.platform.name}.${event.id}.refused.${n}`, chat: chat.id, text, ...replyTo });
  }
  if (posted.turn) deps.follow(heard, posted.turn);
}
