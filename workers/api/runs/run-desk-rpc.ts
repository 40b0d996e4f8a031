// The profile's runs in its Account. Names of objects are built from the principal only.
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { RunDesk } from "../../../durable-objects/runs/run-desk.ts";
import type { Env } from "../env.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";

type Calls = "begin" | "place" | "drop" | "find" | "list" | "settle";
export type RunDeskRpc = {
  [Name in Calls]: (...asked: Parameters<RunDesk[Name]>) => Promise<Awaited<ReturnType<RunDesk[Name]>>>;
};

export function askRunDesk<Answer>(
  env: Env,
  profile: ProfileId,
  ask: (desk: RunDeskRpc) => Promise<Answer>,
): Promise<Answer> {
  return askDesk(openAccount(env, profile).runDesk() as unknown as RunDeskRpc & PromiseLike<Disposable>, ask);
}
