// The profile's stored responses in its Account. Names of objects are built from the principal only.
import type { ProfileId } from "../../../../core/schemas/ids.ts";
import type { ResponseDesk } from "../../../../durable-objects/responses/response-desk.ts";
import type { Env } from "../../env.ts";
import { askDesk } from "../../../../wiring/ask-desk.ts";
import { openAccount } from "../../sessions/session-rpc.ts";

type Calls = "put" | "find" | "remove";
type Desk = {
  [Name in Calls]: (...asked: Parameters<ResponseDesk[Name]>) => Promise<Awaited<ReturnType<ResponseDesk[Name]>>>;
};

export function askResponseDesk<Answer>(
  env: Env,
  profile: ProfileId,
  ask: (desk: Desk) => Promise<Answer>,
): Promise<Answer> {
  return askDesk(openAccount(env, profile).responseDesk() as unknown as Desk & PromiseLike<Disposable>, ask);
}
