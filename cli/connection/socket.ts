// One WebSocket of a session as a stream of events. Used by follow.ts, which reconnects. Must never put the key into a URL:
// the key is sent as a subprotocol, as browsers do.
import * as z from "zod";
import { AgentEvent } from "../../core/schemas/entry.ts";
import { ProtocolError, type StreamedEvent, isKnownType } from "../events.ts";

/** Close code: the server asks for the key again. Not an error. */
export const SIGN_IN_AGAIN = 4001;
/** Close code: the session was deleted, so reconnecting is useless. */
export const SESSION_DELETED = 4404;

/** The connection is closed. `opened`: it was open before, so the server accepts WebSockets. */
export class SocketClosed extends Error {
  override name = "SocketClosed";
  readonly opened: boolean;
  readonly code: number;
  constructor(opened: boolean, code: number, reason: string) {
    const why =
      code === SESSION_DELETED ? reason : `The connection was closed (${code}${reason ? `: ${reason}` : ""}).`;
    super(opened ? why : "No WebSocket was opened.");
    this.opened = opened;
    this.code = code;
  }
}

const Message = z.object({ id: z.string(), event: z.looseObject({ type: z.string() }) });

export interface SocketOptions {
  url: string;
  key: string;
  session: string;
  /** The last event id that was received; `0.0` for all events. */
  after: string;
  signal: AbortSignal;
  onOpen?: () => void;
}

/** Throws SocketClosed, ProtocolError or the signal's reason. Never returns by itself. */
export async function* readSocket(options: SocketOptions): AsyncGenerator<StreamedEvent> {
  const { url, key, session, after, signal, onOpen } = options;
  signal.throwIfAborted();
  const address = `${url.replace(/^http/, "ws")}/v1/sessions/${session}/socket?after=${after}`;
  const socket = new WebSocket(address, ["talaria.v1", `bearer.${key}`]);
  const queue: string[] = [];
  let opened = false;
  let closed: Error | null = null;
  let wake = Promise.withResolvers<void>();
  socket.addEventListener("open", () => {
    opened = true;
    onOpen?.();
  });
  socket.addEventListener("message", ({ data }) => {
    queue.push(String(data));
    wake.resolve();
  });
  // A refused upgrade raises an error event, and not every runtime adds a close event.
  socket.addEventListener("error", () => end(new SocketClosed(opened, 1006, "")));
  socket.addEventListener("close", ({ code, reason }) => end(new SocketClosed(opened, code, reason)));
  const onAbort = () => end(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      for (let text = queue.shift(); text !== undefined; text = queue.shift()) {
        signal.throwIfAborted();
        const streamed = parseMessage(text);
        if (streamed) yield streamed;
      }
      if (closed) throw closed;
      await wake.promise;
      wake = Promise.withResolvers<void>();
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    socket.close();
  }

  function end(reason: Error): void {
    closed ??= reason;
    wake.resolve();
  }
}

/** Null for an unknown event type. */
function parseMessage(text: string): StreamedEvent | null {
  try {
    const { id, event } = Message.parse(JSON.parse(text));
    return isKnownType(event.type) ? { id, event: AgentEvent.parse(event) } : null;
  } catch (cause) {
    throw new ProtocolError(`A malformed message: ${text.slice(0, 200)}`, { cause });
  }
}
