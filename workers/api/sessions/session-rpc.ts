// How the API reaches a Session, an Account and an Archive. Names of objects are built here, from the principal only.
import type { Failure } from "../../../core/errors.ts";
import type { ProfileId, SessionId } from "../../../core/schemas/ids.ts";
import type { SessionCalls } from "../../../core/session/engine.ts";
import type { Account } from "../../../durable-objects/account.ts";
import type { Archive } from "../../../durable-objects/archive.ts";
import type { Session } from "../../../durable-objects/session/session.ts";
import type { Env } from "../env.ts";
import { unwrap } from "../problems.ts";

export interface SessionRpc
  extends
    SessionCalls,
    Pick<Session, "create" | "takeBranch" | "exportPage" | "readTrajectory" | "importPage" | "adopt"> {
  /** See `Session.fetch`. */
  fetch(request: Request): Promise<Response>;
}

export function openSession(env: Env, profile: ProfileId, session: SessionId): SessionRpc {
  // The platform's types turn an `unknown` in an answer (a tool call's arguments) into `never`. The values cross unchanged.
  return env.SESSION.getByName(`${profile}/${session}`) as unknown as SessionRpc;
}

/** The response of `SessionRpc.fetch`. Throws the failure that it carries as an `AppError`. */
export async function unwrapResponse(response: Response): Promise<Response> {
  return response.status === 400 ? unwrap<never>({ ok: false, failure: await response.json<Failure>() }) : response;
}

export function openAccount(env: Env, profile: ProfileId): DurableObjectStub<Account> {
  return env.ACCOUNT.getByName(profile);
}

export function openArchive(env: Env, profile: ProfileId): DurableObjectStub<Archive> {
  return env.ARCHIVE.getByName(profile);
}
