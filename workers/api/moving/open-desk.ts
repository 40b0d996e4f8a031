// How the routes of export and import reach the profile's Account. The calls are those of durable-objects/moving-desk.ts.
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { MovingDesk } from "../../../durable-objects/moving-desk.ts";
import type { Env } from "../env.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";

type Desk = Pick<MovingDesk, "sessions" | "exportPage" | "isEmpty" | "importPage" | "dropSession">;
export type DeskRpc = {
  [Name in keyof Desk]: (...asked: Parameters<Desk[Name]>) => Promise<ReturnType<Desk[Name]>>;
};

export function openDesk(env: Env, profile: ProfileId): DeskRpc {
  // The platform's types make a stub of every answer. The values cross unchanged.
  const ask = <Answer>(call: (desk: DeskRpc) => Promise<Answer>): Promise<Answer> =>
    askDesk(openAccount(env, profile).movingDesk() as unknown as DeskRpc & PromiseLike<Disposable>, call);
  return {
    sessions: (after) => ask((desk) => desk.sessions(after)),
    exportPage: (asked) => ask((desk) => desk.exportPage(asked)),
    isEmpty: () => ask((desk) => desk.isEmpty()),
    importPage: (rows) => ask((desk) => desk.importPage(rows)),
    dropSession: (session) => ask((desk) => desk.dropSession(session)),
  };
}
