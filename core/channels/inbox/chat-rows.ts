// The conversations of a profile's channels: one row for each session key, with the place, the newest context of replies and the session.
// Over any Sql, synchronous. Called by durable-objects/channels and core/channels/delivery.
import { assertKnownVersion } from "../../errors.ts";
import type { Sql } from "../../ports.ts";
import type { ChatAddress } from "../platform.ts";
import { ChatPlace, type PlatformName, ReplyContext } from "../../schemas/channels/inbound.ts";
import { DAY_MS, SessionId } from "../../schemas/ids.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { type MovedPlace, isKeyOfPerson, moveKey } from "../session-key.ts";
import * as z from "zod";

export const CHAT_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS channel_chat (id TEXT PRIMARY KEY, platform TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL,
    session TEXT, last_in INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
];

/** [own] Older ones are found in the profile's list. */
const MAX_SESSIONS = 50;

/** [own] Longer than a pairing code is good for, and than its message may take to arrive. */
const STRANGER_MS = 2 * DAY_MS;

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
  /** Nobody who writes there may talk. */
  stranger: z.literal(true).optional(),
});
type StoredChat = z.infer<typeof StoredChat>;

/** `id`: what `ChannelOrigin.chat` names; it stays when the chat gets another id on its platform. `key`: the session key. */
export interface ChatRow extends Omit<StoredChat, "v"> {
  id: string;
  platform: PlatformName;
  key: string;
  session: SessionId | null;
  lastIn: number;
}

type RawRow = Pick<ChatRow, "id" | "platform" | "key" | "lastIn"> & { body: string; session: string | null };

/** `stranger`: the person who wrote may not talk. */
export interface TouchedChat extends Pick<ChatRow, "platform" | "key" | "shared"> {
  address: ChatAddress;
  stranger?: true;
}

export type ChatRows = ReturnType<typeof createChatRows>;

/** 32 hex characters of a hash, so that an id shows nobody's number. */
export function toChatId(platform: PlatformName, key: string): string {
  return sha256Hex(`${platform}\n${key}`).slice(0, 32);
}

/** The tables must exist. */
export function createChatRows(sql: Sql) {
  const columns = "id, platform, key, body, session, last_in AS lastIn";
  const read = (where: string, ...values: string[]): ChatRow[] =>
    sql.run<RawRow>(`SELECT ${columns} FROM channel_chat WHERE ${where}`, ...values).map(toRow);
  const find = (id: string): ChatRow | null => read("id = ?", id)[0] ?? null;
  const findKey = (platform: PlatformName, key: string): ChatRow | null =>
    read("platform = ? AND key = ?", platform, key)[0] ?? null;
  function write({ id, platform, key, session, lastIn, ...chat }: ChatRow): void {
    sql.run(
      "INSERT OR REPLACE INTO channel_chat VALUES (?, ?, ?, ?, ?, ?)",
      ...[id, platform, key, JSON.stringify({ v: 1, ...chat }), session, lastIn],
    );
  }
  return {
    find,
    /** Newest message first. */
    list: (platform: PlatformName): ChatRow[] => read("platform = ? ORDER BY last_in DESC, id", platform),
    ofSession: (session: SessionId): ChatRow[] => read("session = ?", session),
    /** Makes the row, or renews its address. */
    touch(heard: TouchedChat, now: number): ChatRow {
      const id = toChatId(heard.platform, heard.key);
      const known = findKey(heard.platform, heard.key) ?? find(id);
      // The row of that id has moved on: the event came late, under the old id of its place.
      const { key, address } = known && known.key !== heard.key ? known : heard;
      const context = heard.address.context ?? known?.address.context;
      const { stranger: _, ...rest } = known ?? { begun: 0, createdAt: now, session: null, sessions: [] };
      const chat: ChatRow = {
        ...{ ...rest, id: known?.id ?? id, platform: heard.platform, key, shared: heard.shared, lastIn: now },
        address: { ...address, ...(context && { context }) },
        ...(heard.stranger && { stranger: true as const }),
      };
      write(chat);
      return chat;
    },
    /** The person who writes there may talk now. */
    admit(id: string): void {
      const chat = find(id);
      if (!chat?.stranger) return;
      const { stranger: _, ...rest } = chat;
      write(rest);
    },
    /** The person may not talk any more: what is theirs alone goes when its session has, after a while. */
    dismiss(platform: PlatformName, person: string): void {
      for (const chat of read("platform = ?", platform)) {
        if (isOwnChat(chat, person)) write({ ...chat, stranger: true });
      }
    },
    /** The platform gives the place another id: its chats follow, with their ids and sessions. Idempotent. */
    move(platform: PlatformName, moved: MovedPlace): void {
      for (const chat of read("platform = ?", platform)) {
        const key = moveKey(chat.key, moved);
        if (key === null || chat.address.id !== moved.from) continue;
        const address = { ...chat.address, id: moved.to };
        const taken = findKey(platform, key);
        if (taken === null) {
          write({ ...chat, key, address });
          continue;
        }
        // A message under the new id came first. Its row stays, since a turn may owe it an answer, and goes on with the older session.
        const sessions = [...taken.sessions.filter((one) => one !== chat.session), ...chat.sessions];
        write({ ...taken, session: chat.session ?? taken.session, sessions: sessions.slice(-MAX_SESSIONS) });
        write({ ...chat, address, session: null, sessions: [] });
      }
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
    /** Removes chats of strangers that have no session. */
    tidy(now: number): void {
      sql.run(
        "DELETE FROM channel_chat WHERE last_in < ? AND json_extract(body, '$.stranger') AND session IS NULL",
        now - STRANGER_MS,
      );
    },
  };
}

/** As far as ids tell: some platforms give a direct chat an id of its own. */
function isOwnChat({ key, address }: ChatRow, person: string): boolean {
  return address.kind === "direct" ? address.id === person : isKeyOfPerson(key, person);
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
