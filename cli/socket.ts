// One standing connection to a session as a stream of events. Used by follow.ts, which opens the next one.
// Must never put the key into a URL: it goes among the protocols, as from a browser.
import * as z from "zod";
import { AgentEvent } from "../core/schemas/entry.ts";
import { ProtocolError, type StreamedEvent, isKnownType } from "./events.ts";

/** The server asks for the key again; nothing is wrong. */
export const SIGN_IN_AGAIN = 4001;
/** There is nothing to come back to. */
export const SESSION_DELETED = 4404;

/** The connection is gone. `opened`: it had been there, so that the server does take such connections. */
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
  /** The last event id that was seen; `0.0` for everything. */
  after: string;
  signal: AbortSignal;
  onOpen?: () => void;
}

/** Ends by SocketClosed, ProtocolError or the signal's reason; never by itself. */
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
  // A refused upgrade is an error too, and is followed by no close event everywhere.
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

/** Null for an event of a type this client does not know. */
function parseMessage(text: string): StreamedEvent | null {
  try {
    const { id, event } = Message.parse(JSON.parse(text));
    return isKnownType(event.type) ? { id, event: AgentEvent.parse(event) } : null;
  } catch (cause) {
    throw new ProtocolError(`A malformed message: ${text.slice(0, 200)}`, { cause });
  }
}
