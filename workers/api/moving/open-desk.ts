// How the routes of export and import reach the profile's Account. The calls are those of durable-objects/moving-desk.ts.
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { MovingDesk } from "../../../durable-objects/moving-desk.ts";
import type { Env } from "../env.ts";
import { openAccount } from "../sessions/session-rpc.ts";

type Desk = Pick<MovingDesk, "sessions" | "exportPage" | "isEmpty" | "importPage" | "dropSession">;
export type DeskRpc = {
  [Name in keyof Desk]: (...asked: Parameters<Desk[Name]>) => Promise<ReturnType<Desk[Name]>>;
};

/** The Account keeps a desk in memory until it is given back. */
export function openDesk(env: Env, profile: ProfileId): DeskRpc {
  async function ask<Answer>(call: (desk: DeskRpc) => Promise<Answer>): Promise<Answer> {
    const desk = openAccount(env, profile).movingDesk();
    try {
      // The platform's types make a stub of every answer. The values cross unchanged.
      return await call(desk as unknown as DeskRpc);
    } finally {
      (await desk)[Symbol.dispose]();
    }
  }
  return {
    sessions: (after) => ask((desk) => desk.sessions(after)),
    exportPage: (asked) => ask((desk) => desk.exportPage(asked)),
    isEmpty: () => ask((desk) => desk.isEmpty()),
    importPage: (rows) => ask((desk) => desk.importPage(rows)),
    dropSession: (session) => ask((desk) => desk.dropSession(session)),
  };
}
