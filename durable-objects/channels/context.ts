// What the parts of a Channels object share: its rows, its platforms, the profile's sessions and its account. Made by channels.ts.
// Types, and the stubs of other objects.
import type { OpenChannel, Platform } from "../../core/channels/platform.ts";
import type { ChannelRow, ChannelRows } from "../../core/channels/inbox/channel-rows.ts";
import type { ChatRows } from "../../core/channels/inbox/chat-rows.ts";
import type { KeptFiles } from "../../core/channels/inbox/kept-files.ts";
import type { InboundRows } from "../../core/channels/inbox/inbound-rows.ts";
import type { Result } from "../../core/errors.ts";
import type { Clock, Sql } from "../../core/ports.ts";
import type { CreatedSession, SessionInfo } from "../../core/schemas/api.ts";
import type { PlatformName } from "../../core/schemas/channels/inbound.ts";
import type { ProfileId, SessionId, Sha256 } from "../../core/schemas/ids.ts";
import type { BranchNeed, BranchPage, BranchPlan } from "../../core/schemas/sessions/branch.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import type { Booking, UsageAsked, UsageReport } from "../../core/schemas/usage.ts";
import type { NewSession, SessionCalls } from "../../core/session/engine.ts";
import type { DiscordSocket } from "./discord-socket.ts";
import type { OutboundEnv } from "../../wiring/outbound.ts";
import type { SealingEnv } from "../../wiring/sealing.ts";
import type { SettingsVariable } from "../../wiring/settings.ts";
import type { Archive } from "../archive.ts";

export interface ChannelsEnv extends OutboundEnv, SealingEnv, SettingsVariable {
  SESSION: DurableObjectNamespace;
  ACCOUNT: DurableObjectNamespace;
  ARCHIVE: DurableObjectNamespace<Archive>;
  MEMORY: KVNamespace;
  SKILLS: R2Bucket;
  /** Absent: no socket to Discord can be held. */
  DISCORD_SOCKET?: DurableObjectNamespace<DiscordSocket>;
  /** Absent: e-mails come in and none leaves. */
  EMAIL?: SendEmail;
  TALARIA_PUBLIC_URL?: string;
  /** Set: platforms that can be polled are, where there is no public address. */
  TALARIA_POLL_CHANNELS?: string;
}

/** A channel that is set up, with its platform. */
export interface OpenedChannel {
  row: ChannelRow;
  platform: Platform;
  channel: OpenChannel;
}

export interface ChannelsContext {
  profile: ProfileId;
  env: ChannelsEnv;
  sql: Sql;
  clock: Clock;
  /** The operator's. Throws while they are wrong. */
  settings(): Settings;
  channels: ChannelRows;
  chats: ChatRows;
  inbound: InboundRows;
  keptFiles: KeptFiles;
  /**
   * The channel with its secrets in the clear. Keep it for one call only. Failures: `channel_not_found`, `secret_unreadable`,
   * `sealing_key_missing`, `channel_outdated` (this version cannot read its fields).
   */
  open(platform: PlatformName): Promise<Result<OpenedChannel>>;
  session(id: SessionId): SessionStub;
  account: AccountStub;
  /** Sets the alarm for whatever is due next. */
  arm(): Promise<void>;
  /** Not awaited. A rejection is reported. */
  background(work: Promise<unknown>): void;
  report(what: string, error: unknown): void;
}

/** The calls of a Session that channels make. */
export interface SessionStub extends SessionCalls {
  takeBranch(plan: BranchPlan, page: BranchPage | null): Promise<BranchNeed | null>;
  create(input: NewSession): Promise<CreatedSession | null>;
}

/** The calls of the profile's Account that channels make. */
export interface AccountStub {
  /** The revision of the profile's settings. `null`: the profile was deleted. */
  checkProfile(): Promise<number | null>;
  registerSessionOnce(key: Sha256, info: SessionInfo): Promise<SessionId | null>;
  registerSession(info: SessionInfo): Promise<boolean>;
  eraseSession(session: SessionId): Promise<unknown>;
  usage(asked: UsageAsked): Promise<UsageReport | null>;
  book(booking: Booking): Promise<void>;
  findSessions(sessions: SessionId[]): Promise<SessionInfo[]>;
  listSessions(asked: { after?: SessionId; limit: number }): Promise<SessionInfo[]>;
}

/** The platform's types turn an `unknown` in an answer into `never`. The values cross unchanged. */
export function openSession(env: ChannelsEnv, profile: ProfileId, session: SessionId): SessionStub {
  return env.SESSION.getByName(`${profile}/${session}`) as unknown as SessionStub;
}

export function openAccount(env: ChannelsEnv, profile: ProfileId): AccountStub {
  return env.ACCOUNT.getByName(profile) as unknown as AccountStub;
}

export function openArchive(env: ChannelsEnv, profile: ProfileId): DurableObjectStub<Archive> {
  return env.ARCHIVE.getByName(profile);
}
