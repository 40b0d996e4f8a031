// Messages as the profile's Archive indexes them: what sessions send, what searches ask, and what they find. Types only; the
// objects exchange them by RPC.
import type { SessionId } from "./ids.ts";

export type MessageRole = "user" | "assistant" | "tool";

/** One message of a turn. `n`: the number of its log entry. `at`: Unix time in ms. `speaker`: whom people would name, if known. */
export interface ArchivedMessage {
  n: number;
  role: MessageRole;
  at: number;
  text: string;
  speaker?: string;
}

export interface ArchivedTurn {
  session: SessionId;
  turn: number;
  /** The session's title, if it has one. Its words count for each message of the session. */
  title?: string;
  /** When the turn ended, Unix time in ms: its year (UTC) says which part of the archive takes it. Absent: the time of its last message. */
  endedAt?: number;
  messages: ArchivedMessage[];
  /** Of a branch: the session whose words it may hold. Purges since that session's beginning apply. */
  origin?: SessionId;
}

/** A message in the index. `id` rises with each message of a part of the archive, and later parts have higher ones. */
export interface IndexedMessage extends ArchivedMessage {
  id: number;
  session: SessionId;
  turn: number;
}

export interface FoundMessage extends IndexedMessage {
  /** Comparable between searches for the same query. */
  score: number;
}

/** `from` inclusive, `to` exclusive, Unix time in ms. `only`: the one session to search. `without`: sessions that are left out. */
export interface MessageQuery {
  query: string;
  limit: number;
  roles?: MessageRole[];
  from?: number;
  to?: number;
  only?: SessionId;
  without?: SessionId[];
}

export interface MessageSearch {
  /** Best first. */
  found: FoundMessage[];
  /** Years whose messages could not be searched now, ascending. */
  missing: number[];
}

/** A text that a person purged. */
export interface TextPurge {
  /** What was purged, without its text: the store and id of a fact, the name and revision of a skill. */
  subject: string;
  /** When, Unix time in ms. */
  at: number;
  /** Its pieces, hashed; see core/archive/messages/purged-texts.ts. */
  pieces: PurgedPiece[];
}

/** `head`: a hash of its first characters. `hash`: of all. */
export interface PurgedPiece {
  length: number;
  head: number;
  hash: string;
  /** Of the profile that it was purged in, if that was another one: an import brought it here. Absent: this profile's. */
  salt?: string;
}
