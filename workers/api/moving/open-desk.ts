// How the routes of export and import reach the profile's Account. The calls are those of durable-objects/moving-desk.ts.
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { MovingDesk } from "../../../durable-objects/moving-desk.ts";
import type { Env } from "../env.ts";
import { openAccount } from "../sessions/session-rpc.ts";

type Desk = Pick<MovingDesk, "sessions" | "exportPage" | "isEmpty" | "importPage" | "dropSession">;
export type DeskRpc = {
  [Name in keyof Desk]: (...asked: Parameters<Desk[Name]>) => Promise<ReturnType<Desk[Name]>>;
};

export function openDesk(env: Env, profile: ProfileId): DeskRpc {
  // The platform's types make a stub of every answer. The values cross unchanged.
  return openAccount(env, profile).movingDesk() as unknown as DeskRpc;
}
