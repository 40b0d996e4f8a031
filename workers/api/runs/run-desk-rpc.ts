// The profile's runs in its Account. Names of objects are built from the principal only.
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { RunDesk } from "../../../durable-objects/runs/run-desk.ts";
import type { Env } from "../env.ts";
import { openAccount } from "../sessions/session-rpc.ts";

type Calls = "begin" | "place" | "drop" | "find" | "list" | "settle";
export type RunDeskRpc = {
  [Name in Calls]: (...asked: Parameters<RunDesk[Name]>) => Promise<Awaited<ReturnType<RunDesk[Name]>>>;
};

/** The Account keeps a desk in memory until it is given back. The first call travels with the request for the desk. */
export async function askRunDesk<Answer>(
  env: Env,
  profile: ProfileId,
  ask: (desk: RunDeskRpc) => Promise<Answer>,
): Promise<Answer> {
  const desk = openAccount(env, profile).runDesk() as unknown as RunDeskRpc & PromiseLike<Disposable>;
  try {
    return await ask(desk);
  } finally {
    (await desk)[Symbol.dispose]();
  }
}
