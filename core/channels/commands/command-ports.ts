// What the commands of a channel need, bound to the chat and the person that one event came from. Implemented by durable-objects/channels over
// the profile's objects and stores; used by run-command.ts. Types only. A command may be carried out twice, after a crash: what begins or posts
// something uses the event's id as its key, so that it happens once.
import type { Result } from "../../errors.ts";
import type { SearchResult, SessionDetail, SessionInfo } from "../../schemas/api.ts";
import type { Listening } from "../../schemas/channels/options.ts";
import type { SessionId } from "../../schemas/ids.ts";
import type { LearningLedger } from "../../schemas/learning/ledger.ts";
import type { BusyMode } from "../../schemas/settings.ts";
import type { UsageSum } from "../../schemas/usage.ts";

export interface ChannelCommandPorts {
  // ---- the chat's session ----
  /** `null`: the chat has none yet. */
  session(): Promise<SessionDetail | null>;
  /** Gives the chat a new session from the next message on. The old one stays in the profile, and a turn of it runs on. */
  begin(): Promise<Result<null>>;
  /** The chat goes on with this session. Failures: `session_not_found`, `session_elsewhere` (another chat has it). */
  resume(session: SessionId): Promise<Result<SessionInfo>>;
  /** The chat goes on with a branch of its session. `turn` absent: after the newest that has ended. Failures: those of branching. */
  branch(turn?: number): Promise<Result<SessionInfo>>;
  /** Stops the running turn and every waiting message. How many there were. */
  stop(): Promise<number>;
  /** Posts `text` in place of the event's own text, with its files. The answer comes by the outbox. */
  post(text: string, busy?: BusyMode): Promise<Result<null>>;

  // ---- the profile ----
  /** Newest first. `chat`: the sessions that this chat has had. */
  listSessions(of: "chat" | "profile", limit: number): Promise<SessionInfo[]>;
  /** Of the last thirty days. */
  usage(): Promise<UsageSum>;
  /** Messages of all sessions, best first. */
  search(words: string): Promise<Pick<SearchResult, "session" | "title" | "role" | "at" | "snippet">[]>;
  listSkills(): Promise<{ name: string; description: string; state: string }[]>;
  /** Its `SKILL.md`; `null`: there is no such skill. */
  readSkill(name: string): Promise<string | null>;
  /** Oldest first. */
  listMemory(): Promise<{ store: string; text: string }[]>;
  learning(): Promise<Pick<LearningLedger, "turns" | "reuse" | "skills">>;

  // ---- the chat on the platform ----
  /** Messages that concern no chat go here from now on. */
  setHome(): Promise<void>;
  /** For this chat, whatever the channel's own choice. */
  setListening(listen: Listening): Promise<void>;
  /** Absent where the platform has no threads. Failures: those of a client (`SendFailure`). */
  openThread?(title: string): Promise<Result<{ thread: string }>>;
  /** Renames the thread that the event came from. */
  renameThread?(title: string): Promise<Result<null>>;
}
