// What the parts of an Agenda object share: its environment, and the calls of other objects that it makes. Types, and the stubs.
import type { BoardName } from "../../core/schemas/board/card.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import type { SettingsVariable } from "../../wiring/settings.ts";

export interface AgendaEnv extends SettingsVariable {
  ACCOUNT: DurableObjectNamespace;
  BOARD: DurableObjectNamespace;
}

export interface AccountStub {
  /** The revision of the profile's settings. `null`: the profile was deleted. */
  checkProfile(): Promise<number | null>;
}

export interface BoardStub {
  /** Idempotent. */
  begin(): Promise<void>;
  /** Idempotent. */
  erase(): Promise<void>;
}

/** The platform's types turn an `unknown` in an answer into `never`. The values cross unchanged. */
export function openAccount(env: AgendaEnv, profile: ProfileId): AccountStub {
  return env.ACCOUNT.getByName(profile) as unknown as AccountStub;
}
export function openBoard(env: AgendaEnv, profile: ProfileId, board: BoardName): BoardStub {
  return env.BOARD.getByName(`${profile}/${board}`) as unknown as BoardStub;
}
