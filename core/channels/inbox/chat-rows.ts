// The conversations of a profile's channels: one row for each session key, with the place, the newest context of replies and the session.
// Over any Sql, synchronous. Called by durable-objects/channels and core/channels/delivery.
import { assertKnownVersion } from "../../errors.ts";
import type { Sql } from "../../ports.ts";
import type { ChatAddress } from "../platform.ts";
import { ChatPlace, type PlatformName, ReplyContext } from "../../schemas/channels/inbound.ts";
import { SessionId } from "../../schemas/ids.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import * as z from "zod";

export const CHAT_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS channel_chat (id TEXT PRIMARY KEY, platform TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL,
    session TEXT, last_in INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
];

/** [own] Older ones are found in the profile's list. */
const MAX_SESSIONS = 50;

const StoredChat = z.object({
  v: z.literal(1),
  address: ChatPlace.extend({ context: ReplyContext.optional() }),
  /** Several people write in the session. */
  shared: z.boolean(),
  /** How many sessions the chat has had; names the next one, so that a repeated beginning finds it. */
  begun: z.int().min(0),
  createdAt: z.int(),
  /** The sessions that it has had, the newest last. */
  sessions: z.array(SessionId).max(MAX_SESSIONS),
});
type StoredChat = z.infer<typeof StoredChat>;

/** `id`: what `ChannelOrigin.chat` names. `key`: the session key. */
export interface ChatRow extends Omit<StoredChat, "v"> {
  id: string;
  platform: PlatformName;
  key: string;
  session: SessionId | null;
  lastIn: number;
}

type RawRow = Pick<ChatRow, "id" | "platform" | "key" | "lastIn"> & { body: string; session: string | null };

export type ChatRows = ReturnType<typeof createChatRows>;

/** 32 hex characters of a hash, so that an id shows nobody's number. */
export function toChatId(platform: PlatformName, key: string): string {
  return sha256Hex(`${platform}\n${key}`).slice(0, 32);
}

/** The tables must exist. */
export function createChatRows(sql: Sql) {
  const columns = "id, platform, key, body, session, last_in AS lastIn";
  const find = (id: string): ChatRow | null => {
    const row = sql.run<RawRow>(`SELECT ${columns} FROM channel_chat WHERE id = ?`, id)[0];
    return row ? toRow(row) : null;
  };
  function write({ id, platform, key, session, lastIn, ...chat }: ChatRow): void {
    sql.run(
      "INSERT OR REPLACE INTO channel_chat VALUES (?, ?, ?, ?, ?, ?)",
      ...[id, platform, key, JSON.stringify({ v: 1, ...chat }), session, lastIn],
    );
  }
  return {
    find,
    /** Newest message first. */
    list: (platform: PlatformName): ChatRow[] =>
      sql
        .run<RawRow>(`SELECT ${columns} FROM channel_chat WHERE platform = ? ORDER BY last_in DESC, id`, platform)
        .map(toRow),
    ofSession: (session: SessionId): ChatRow[] =>
      sql.run<RawRow>(`SELECT ${columns} FROM channel_chat WHERE session = ?`, session).map(toRow),
    /** Makes the row, or renews its address. */
    touch(heard: { platform: PlatformName; key: string; address: ChatAddress; shared: boolean }, now: number): ChatRow {
      const id = toChatId(heard.platform, heard.key);
      const known = find(id);
      const { address } = heard;
      const context = address.context ?? known?.address.context;
      const chat: ChatRow = {
        ...{ begun: 0, createdAt: now, session: null, sessions: [] },
        ...known,
        ...{ ...heard, id, lastIn: now, address: { ...address, ...(context && { context }) } },
      };
      write(chat);
      return chat;
    },
    /** `null`: the next message begins a session. */
    bind(id: string, session: SessionId | null): void {
      const chat = find(id);
      if (!chat) return;
      const others = chat.sessions.filter((one) => one !== session);
      write({ ...chat, session, sessions: session === null ? others : [...others, session].slice(-MAX_SESSIONS) });
    },
    /** Those that the chat has had, also the present one. */
    sessionsOf: (id: string): SessionId[] => find(id)?.sessions ?? [],
    /** Counts a session that is about to begin. */
    countBegun(id: string): void {
      const chat = find(id);
      if (chat) write({ ...chat, begun: chat.begun + 1 });
    },
    forgetSession(session: SessionId): void {
      const ofIt =
        "SELECT id FROM channel_chat WHERE session = ?1 OR EXISTS (SELECT 1 FROM json_each(body, '$.sessions') WHERE value = ?1)";
      for (const { id } of sql.run<{ id: string }>(ofIt, session)) {
        const chat = find(id);
        if (!chat) continue;
        const sessions = chat.sessions.filter((one) => one !== session);
        write({ ...chat, sessions, session: chat.session === session ? null : chat.session });
      }
    },
    forget(platform: PlatformName): void {
      sql.run("DELETE FROM channel_chat WHERE platform = ?", platform);
    },
  };
}

function toRow({ body, session, ...row }: RawRow): ChatRow {
  const raw: unknown = JSON.parse(body);
  const parsed = StoredChat.safeParse(raw);
  if (!parsed.success) {
    assertKnownVersion("A chat of a channel", raw, parsed.error);
    throw parsed.error;
  }
  const { v: _, ...chat } = parsed.data;
  return { ...row, ...chat, session: session === null ? null : SessionId.parse(session) };
}
