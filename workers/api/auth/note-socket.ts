// What every WebSocket of the API needs before it is opened: the client's protocol, and a note in the profile's Account, so that the socket is
// closed when its key ends.
import type { Context } from "hono";
import type { SocketHolder } from "../../../durable-objects/keys/key-sockets.ts";
import { AppError, unwrap } from "../problems.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { splitProtocols } from "./credential.ts";
import type { ApiEnv } from "./principal.ts";

const SUBPROTOCOL = "talaria.v1";

export function isUpgrade(c: Context): boolean {
  return c.req.header("upgrade")?.toLowerCase() === "websocket";
}

/** Headers of the answer that opens the socket. Throws `upgrade_required`. */
export function answerProtocols(c: Context): Record<string, string> {
  const offered = splitProtocols(c.req.header("sec-websocket-protocol"));
  if (offered.length > 0 && !offered.includes(SUBPROTOCOL)) {
    throw new AppError("upgrade_required", `Offer the protocol ${SUBPROTOCOL}, or none.`);
  }
  return offered.length > 0 ? { "sec-websocket-protocol": SUBPROTOCOL } : {};
}

/** The tag of the socket. Throws `key_unknown`, `session_not_found`. */
export async function noteSocket(c: Context<ApiEnv>, holder: SocketHolder): Promise<string> {
  const { profile, via } = c.var.principal;
  const desk = openAccount(c.env, profile).keyDesk();
  return unwrap(await askDesk(desk, (asked) => asked.noteSocket(via, holder)));
}
