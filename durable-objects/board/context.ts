// What the parts of a Board object share: its environment, and the calls of other objects that it makes. Types, and the stubs.
import type { Result } from "../../core/errors.ts";
import type { Role, RoleName } from "../../core/schemas/agenda/role.ts";
import type { Accepted, CreatedSession, SessionInfo } from "../../core/schemas/api.ts";
import type { BoardName } from "../../core/schemas/board/card.ts";
import type { ProfileId, SessionId } from "../../core/schemas/ids.ts";
import type { HookEvent } from "../../core/schemas/profile/hooks.ts";
import type { Booking, Budget, MonthSpent } from "../../core/schemas/usage.ts";
import type { TurnRequest } from "../../core/session/context.ts";
import type { TurnReport } from "../../core/schemas/run.ts";
import type { PostedMessage } from "../../core/session/accept-message.ts";
import type { NewSession } from "../../core/session/engine.ts";
import type { OutboundEnv } from "../../wiring/outbound.ts";
import type { SettingsVariable } from "../../wiring/settings.ts";

export interface BoardEnv extends SettingsVariable, OutboundEnv {
  SESSION: DurableObjectNamespace;
  ACCOUNT: DurableObjectNamespace;
  AGENDA: DurableObjectNamespace;
}

export interface SessionStub {
  /** `null`: the session was deleted before. */
  create(input: NewSession): Promise<CreatedSession | null>;
  post(input: PostedMessage): Promise<Result<Accepted>>;
  stop(): Promise<Result<unknown>>;
  readTurn(n: number): Promise<Result<TurnReport>>;
}

export interface AccountStub {
  /** The revision of the profile's settings. `null`: the profile was deleted. */
  checkProfile(): Promise<number | null>;
  /** False: the profile was deleted. */
  registerSession(info: SessionInfo): Promise<boolean>;
  eraseSession(session: SessionId): Promise<unknown>;
  /** Rejects for a profile that is gone. `null`: its budget is spent. */
  reserveTurn(request: TurnRequest): Promise<Budget | MonthSpent | null>;
  book(booking: Booking): Promise<void>;
  /** Idempotent by the event's id. A profile that was deleted ignores it. */
  takeHookEvent(event: HookEvent): Promise<void>;
}

export interface AgendaStub {
  /** Failure: `role_not_found`. */
  readRole(name: string): Promise<Result<Role>>;
  listRoles(): Promise<{ name: RoleName; role: Role }[]>;
  /** Lists the board, then begins it. Failures: `profile_gone`, `too_many_boards`. */
  addBoard(name: BoardName): Promise<Result<null>>;
  /** How many runs the board may have open, which has or wants `open`. Told of fewer, it wakes the boards that wait. */
  takePlaces(name: BoardName, open: number): Promise<number>;
}

/** The platform's types turn an `unknown` in an answer into `never`. The values cross unchanged. */
export function openSession(env: BoardEnv, profile: ProfileId, session: SessionId): SessionStub {
  return env.SESSION.getByName(`${profile}/${session}`) as unknown as SessionStub;
}
export function openAccount(env: BoardEnv, profile: ProfileId): AccountStub {
  return env.ACCOUNT.getByName(profile) as unknown as AccountStub;
}
export function openAgenda(env: BoardEnv, profile: ProfileId): AgendaStub {
  return env.AGENDA.getByName(profile) as unknown as AgendaStub;
}
