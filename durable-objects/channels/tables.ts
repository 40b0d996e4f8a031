// The tables of a Channels object. Each part lists its own here: it is made with the first channel and leaves with the last. Tables that hold
// rows of one platform also say how these are forgotten.
import { OUT_SCHEMA } from "../../core/channels/delivery/deliver.ts";
import { CHANNEL_SCHEMA, createChannelRows } from "../../core/channels/inbox/channel-rows.ts";
import { CHAT_SCHEMA, createChatRows } from "../../core/channels/inbox/chat-rows.ts";
import { INBOUND_SCHEMA, createInboundRows } from "../../core/channels/inbox/inbound-rows.ts";
import { KEPT_FILE_SCHEMA, createKeptFiles } from "../../core/channels/inbox/kept-files.ts";
import { LOOP_SCHEMA, createLoopGuard } from "../../core/channels/loop-guard.ts";
import { PAIRING_SCHEMA, createPairingRows } from "../../core/channels/people/pairing-rows.ts";
import { PEOPLE_SCHEMA, createPeopleRows } from "../../core/channels/people/people-rows.ts";
import { TOPIC_SCHEMA, createTopicRows } from "../../core/channels/topics/topic-rows.ts";
import type { Sql } from "../../core/ports.ts";
import type { PlatformName } from "../../core/schemas/channels/inbound.ts";
import type { SessionId } from "../../core/schemas/ids.ts";

export const CHANNELS_SCHEMA: readonly string[] = [
  CHANNEL_SCHEMA,
  ...INBOUND_SCHEMA,
  KEPT_FILE_SCHEMA,
  ...CHAT_SCHEMA,
  ...OUT_SCHEMA,
  PEOPLE_SCHEMA,
  ...PAIRING_SCHEMA,
  LOOP_SCHEMA,
  TOPIC_SCHEMA,
];

/** A pairing code, and a lock after wrong codes, end within it. */
const HOUR_MS = 3_600_000;

/** What remains of a channel that was removed: the lock after wrong codes, for an hour. Inside the caller's transaction. */
export function forgetPlatform(sql: Sql, platform: PlatformName): boolean {
  const removed = createChannelRows(sql).remove(platform);
  createInboundRows(sql).forget(platform);
  createKeptFiles(sql).forget(platform);
  createChatRows(sql).forget(platform);
  createPeopleRows(sql).forget(platform);
  createPairingRows(sql).forget(platform);
  createLoopGuard(sql).forget(platform);
  createTopicRows(sql).forget(platform);
  return removed;
}

/** What remains of a session that was deleted: nothing. Inside the caller's transaction. */
export function forgetSession(sql: Sql, session: SessionId): void {
  createChatRows(sql).forgetSession(session);
}

/** [own] Of people, and of chats. */
const MAX_KNOWN_IDS = 5_000;

/** The ids that platforms gave to people and chats, the newest chats first. */
export function listKnownIds(sql: Sql): string[] {
  const people = sql.run<{ id: string }>(`SELECT id FROM channel_person LIMIT ${MAX_KNOWN_IDS}`);
  const chats = sql.run<{ id: string }>(
    `SELECT json_extract(body, '$.address.id') AS id FROM channel_chat ORDER BY last_in DESC LIMIT ${MAX_KNOWN_IDS}`,
  );
  return [...new Set([...people, ...chats].map(({ id }) => id))];
}

/** Removes what is too old. */
export function tidyRows(sql: Sql, now: number): void {
  createInboundRows(sql).tidy(now);
  createChatRows(sql).tidy(now);
  createKeptFiles(sql).tidy(now);
  createLoopGuard(sql).tidy(now);
  createPairingRows(sql).tidy(now - HOUR_MS);
}
