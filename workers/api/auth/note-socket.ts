// Tells the profile's Account of a WebSocket before it is opened, so that the socket is closed when its key ends.
import type { Context } from "hono";
import type { SessionId } from "../../../core/schemas/ids.ts";
import { unwrap } from "../problems.ts";
import { askDesk } from "../sessions/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import type { ApiEnv } from "./principal.ts";

/** The tag of the socket. Throws `key_unknown`. */
export async function noteSocket(c: Context<ApiEnv>, session: SessionId): Promise<string> {
  const { profile, via } = c.var.principal;
  const desk = openAccount(c.env, profile).keyDesk();
  return unwrap(await askDesk(desk, (asked) => asked.noteSocket(via, session)));
}
