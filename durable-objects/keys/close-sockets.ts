// Has a session or a board close the WebSockets that an ended key or sign-in has opened. Called by the Account's alarm.
import { SOCKET_REASONS, type SocketHolder, type SocketReason, readBoardHolder } from "./key-sockets.ts";

/** The call of a Session or a Board that is needed here. */
interface ClosesSockets {
  closeSockets(owner: string, reason: string): Promise<void>;
}

export function createSocketCloser(
  { SESSION, BOARD }: Record<"SESSION" | "BOARD", DurableObjectNamespace>,
  profile: string,
) {
  return async (holder: SocketHolder, owner: string, reason: SocketReason): Promise<void> => {
    const board = readBoardHolder(holder);
    const object = board === null ? SESSION.getByName(`${profile}/${holder}`) : BOARD.getByName(`${profile}/${board}`);
    await (object as unknown as ClosesSockets).closeSockets(owner, SOCKET_REASONS[reason]);
  };
}
