// What an exchange used: known at the end of a turn that began with it, otherwise counted by the session.
import type { TurnStats } from "../../../core/schemas/entry.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { Env } from "../env.ts";
import { openSession } from "../sessions/session-rpc.ts";
import type { TurnPlace } from "./contract.ts";
import type { ExchangeUsage } from "./pieces.ts";

/** Null if the session does not answer: usage must not fail an answer. */
export function createStatsReader(env: Env, profile: ProfileId, { session, turn }: TurnPlace) {
  return async ({ stats, into, from, to }: ExchangeUsage): Promise<TurnStats | null> => {
    if (stats) return stats;
    try {
      const counted = await openSession(env, profile, session).countEntries({ turn: into ?? turn, from, to });
      return counted.ok ? counted.value : null;
    } catch {
      return null; // the session's object restarts
    }
  };
}
