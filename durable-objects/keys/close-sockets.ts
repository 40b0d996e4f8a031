// Has a session close the WebSockets that an ended key or sign-in has opened. Called by the Account's alarm.
import type { SessionId } from "../../core/schemas/ids.ts";
import { SOCKET_REASONS, type SocketReason } from "./key-sockets.ts";

/** The call of a Session that is needed here. */
interface SocketHolder {
  closeSockets(owner: string, reason: string): Promise<void>;
}

export function createSocketCloser(sessions: DurableObjectNamespace, profile: string) {
  return async (session: SessionId, owner: string, reason: SocketReason): Promise<void> => {
    const holder = sessions.getByName(`${profile}/${session}`) as unknown as SocketHolder;
    await holder.closeSockets(owner, SOCKET_REASONS[reason]);
  };
}
