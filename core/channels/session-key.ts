// Which conversation a message belongs to: the key of its session. Called by the pump of durable-objects/channels before it gets or creates
// the session. Pure. Nobody's name is in a key, only ids of the platform.
import type { ChannelOptions } from "../schemas/channels/options.ts";
import type { ChatPlace, InboundEvent, PlatformName } from "../schemas/channels/inbound.ts";

export interface KeyedSession {
  /**
   * Such as `slack:thread:team=T1:chat=C1:thread=1712.5`. Unique in the profile, and the same for all events of one conversation. Each part
   * is named, so that no id can pass for another.
   */
  key: string;
  /** Several people write in the session: each message then begins with `[name] `. */
  shared: boolean;
}

export type SessionCuts = Pick<ChannelOptions, "groupSessions" | "threadSessions">;

export interface KeyDetails {
  /** The named topic that the chat is in (`topics/topic-rows.ts`). Threads have none. */
  topic?: number | undefined;
  /** Of people: where ids are to be hidden (`people/redact-ids.ts`). */
  hideId?: (id: string) => string;
}

/**
 * | where | key has | shared |
 * |---|---|---|
 * | direct chat | chat | no |
 * | thread of a direct chat | chat, thread | no |
 * | group, `groupSessions: person` | chat, user | no |
 * | group, `groupSessions: shared` | chat | yes |
 * | thread of a group, `threadSessions: shared` | chat, thread | yes |
 * | thread of a group, `threadSessions: person` | chat, thread, user | no |
 *
 * A team or tenant (`scope`) is part of every key that has one.
 */
export function toSessionKey(
  platform: PlatformName,
  { chat, from }: Pick<InboundEvent, "chat" | "from">,
  cuts: SessionCuts,
  { topic, hideId = (id) => id }: KeyDetails = {},
): KeyedSession {
  const shared = isSharedPlace(chat, cuts);
  const isOwn = chat.kind === "group" && !shared;
  const kind = chat.kind === "direct" ? "direct" : chat.thread === undefined ? "group" : "thread";
  const parts = [
    ...(chat.scope === undefined ? [] : [`team=${escapePart(chat.scope)}`]),
    `chat=${escapePart(chat.kind === "direct" ? hideId(chat.id) : chat.id)}`,
    ...(chat.thread === undefined ? [] : [`thread=${escapePart(chat.thread)}`]),
    ...(isOwn ? [`user=${escapePart(hideId(from.id))}`] : []),
    ...(topic === undefined || chat.thread !== undefined ? [] : [`topic=${topic}`]),
  ];
  return { key: [platform, kind, ...parts].join(":"), shared };
}

/** Whose topics those of a place are: the key of the chat itself, also for an event in one of its threads. */
export function toTopicBase(
  platform: PlatformName,
  { chat, from }: Pick<InboundEvent, "chat" | "from">,
  cuts: SessionCuts,
  { hideId }: Pick<KeyDetails, "hideId"> = {},
): string {
  const { thread: _, ...root } = chat;
  return toSessionKey(platform, { chat: root, from }, cuts, hideId ? { hideId } : {}).key;
}

/** The platform's old and new id of a place. */
export interface MovedPlace {
  from: string;
  to: string;
}

/** The key of a place that has another id now; `null`: the key is of another place. */
export function moveKey(key: string, { from, to }: MovedPlace): string | null {
  const parts = key.split(":");
  const at = parts.indexOf(`chat=${escapePart(from)}`);
  return at === -1 ? null : parts.with(at, `chat=${escapePart(to)}`).join(":");
}

/** Whether the conversation is this person's own in a group. `person`: as the key names people. */
export function isKeyOfPerson(key: string, person: string): boolean {
  return key.split(":").includes(`user=${escapePart(person)}`);
}

/** Whether the conversation is one member's own in a group, and that member is somebody else. */
export function isKeyOfAnother(key: string, person: string): boolean {
  return key.split(":").some((part) => part.startsWith("user=")) && !isKeyOfPerson(key, person);
}

/** Whether everybody in the place writes in one session. */
export function isSharedPlace(chat: ChatPlace, { groupSessions, threadSessions }: SessionCuts): boolean {
  if (chat.kind === "direct") return false;
  return (chat.thread === undefined ? groupSessions : threadSessions) === "shared";
}

/** [own] Characters of a name before a message. */
const MAX_NAME_CHARS = 40;

/**
 * What a message in a shared session begins with: `[Ada] `. The name is one line, without brackets, so that a name cannot imitate another
 * person's message.
 */
export function toSenderPrefix(name: string): string {
  const plain = name
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .replace(/[[\]]/g, "")
    .trim();
  const clipped = [...plain].slice(0, MAX_NAME_CHARS).join("");
  return `[${clipped === "" ? "somebody" : clipped}] `;
}

/** `:` separates parts of a key. */
function escapePart(id: string): string {
  return id.replace(/%/g, "%25").replace(/:/g, "%3A");
}
