// What the parts of an Agenda object share: its environment, and the calls of other objects that it makes. Types, and the stubs.
import type { Result } from "../../core/errors.ts";
import type { Accepted, CreatedSession, SessionInfo } from "../../core/schemas/api.ts";
import type { BoardName } from "../../core/schemas/board/card.ts";
import type { ProfileId, SessionId } from "../../core/schemas/ids.ts";
import type { HookEvent } from "../../core/schemas/profile/hooks.ts";
import type { TurnReport } from "../../core/schemas/run.ts";
import type { PostedMessage } from "../../core/session/accept-message.ts";
import type { NewSession } from "../../core/session/engine.ts";
import type { OutboundEnv } from "../../wiring/outbound.ts";
import type { JobsCheckUp } from "../../core/jobs/jobs.ts";
import type { Goal, ShownGoals } from "../../core/schemas/agenda/goal.ts";
import type { RoleName } from "../../core/schemas/agenda/role.ts";
import type { SettingsVariable } from "../../wiring/settings.ts";

export interface AgendaEnv extends SettingsVariable, OutboundEnv {
  ACCOUNT: DurableObjectNamespace;
  BOARD: DurableObjectNamespace;
  SESSION: DurableObjectNamespace;
  CHANNELS: DurableObjectNamespace;
  SKILLS: R2Bucket;
}

/** What a check-up is told. Times in milliseconds since 1970. */
export interface AgendaCheckUp {
  /** `null`: none is set. */
  alarm: number | null;
  /** When there is something to do; `null`: there is nothing. */
  due: number | null;
  jobs: JobsCheckUp;
  goals: Pick<Goal, "id" | "session" | "state" | "reason">[];
  boards: BoardName[];
  roles: RoleName[];
}

export interface AccountStub {
  /** The revision of the profile's settings. `null`: the profile was deleted. */
  checkProfile(): Promise<number | null>;
  /** False: the profile was deleted. */
  registerSession(info: SessionInfo): Promise<boolean>;
  eraseSession(session: SessionId): Promise<unknown>;
  takeHookEvent(event: HookEvent): Promise<void>;
  /** What the prompts of the profile's sessions say of its goals. */
  putSetting(section: "goals", key: "all", value: ShownGoals): Promise<Result<null>>;
  removeSetting(section: "goals", key: "all"): Promise<Result<null>>;
}

/** By what the profile's sessions know its boards. */
export interface BoardSettingStub {
  /** Idempotent. */
  putSetting(section: "boards", key: BoardName, value: { createdAt: number }): Promise<Result<null>>;
  /** A failure: it was not there. */
  removeSetting(section: "boards", key: BoardName): Promise<Result<null>>;
}

export interface BoardStub {
  /** Idempotent. */
  begin(): Promise<void>;
  /** There may be a place for a run, or a role that cards wait for. Idempotent. */
  wake(role?: RoleName): Promise<void>;
  /** Idempotent. */
  erase(): Promise<void>;
}

export interface SessionStub {
  /** `null`: the session was deleted before. */
  create(input: NewSession): Promise<CreatedSession | null>;
  post(input: PostedMessage): Promise<Result<Accepted>>;
  /** Failures: `session_not_found`, `turn_not_found`. */
  readTurn(n: number): Promise<Result<TurnReport>>;
  stopTurn(n: number): Promise<unknown>;
  /** Its goal has changed. Idempotent. False: there is no such session. */
  lookAtGoal(): Promise<boolean>;
}

/** The calls of the profile's Channels object. Idempotent by `id`; once they have answered, the words are stored. */
export interface ChannelsStub {
  /** To the home chat of the platform; `null`: to the one that was set last. Failure: `channel_no_home`. */
  sendHome(platform: string | null, said: { id: string; text: string }): Promise<Result<unknown>>;
  /** To a chat. Fails if there are no channels. */
  say(said: { id: string; chat: string; text: string }): Promise<Result<unknown>>;
}

/** The platform's types turn an `unknown` in an answer into `never`. The values cross unchanged. */
export function openAccount(env: AgendaEnv, profile: ProfileId): AccountStub {
  return env.ACCOUNT.getByName(profile) as unknown as AccountStub;
}
export function openBoard(env: AgendaEnv, profile: ProfileId, board: BoardName): BoardStub {
  return env.BOARD.getByName(`${profile}/${board}`) as unknown as BoardStub;
}
export function openSession(env: AgendaEnv, profile: ProfileId, session: SessionId): SessionStub {
  return env.SESSION.getByName(`${profile}/${session}`) as unknown as SessionStub;
}
export function openChannels(env: AgendaEnv, profile: ProfileId): ChannelsStub {
  return env.CHANNELS.getByName(profile) as unknown as ChannelsStub;
}
export function openBoardSettings(env: AgendaEnv, profile: ProfileId): BoardSettingStub {
  return env.ACCOUNT.getByName(profile) as unknown as BoardSettingStub;
}
