// Makes a session that something other than a person begins: a card, a job, a webhook. Its id was chosen before, so it can be repeated.
import { type Result, err, ok } from "../core/errors.ts";
import type { CreatedSession, SessionInfo } from "../core/schemas/api.ts";
import type { SessionId } from "../core/schemas/ids.ts";
import type { SessionKind } from "../core/schemas/sessions/session-kind.ts";
import type { NewSession } from "../core/session/engine.ts";

export const PROFILE_GONE = err("profile_gone", "This profile has been deleted.");

interface Places {
  account: {
    /** False: the profile was deleted. */
    registerSession(info: SessionInfo): Promise<boolean>;
    eraseSession(session: SessionId): Promise<unknown>;
  };
  session(id: SessionId): {
    /** `null`: the session was deleted before. */
    create(input: NewSession): Promise<CreatedSession | null>;
  };
}

type Begun = Omit<NewSession, "learning"> & { kind: SessionKind; createdAt: number };

/** Lists it, then makes it. Failures: `profile_gone`, `session_gone`. Rejects if an object cannot be reached. */
export async function beginSession(
  { account, session: open }: Places,
  session: SessionId,
  { title, kind, createdAt, ...choice }: Begun,
): Promise<Result<null>> {
  const info = { title, kind, createdAt, learning: "on" as const };
  if (!(await account.registerSession({ session, ...info }))) return PROFILE_GONE;
  if (await open(session).create({ ...info, ...choice })) return ok(null);
  await account.eraseSession(session); // it was deleted before, so it is not to be listed
  return err("session_gone", "The session was deleted.");
}
