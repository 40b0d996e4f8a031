// The package's transports over HTTP, with what it lacks: a call whose stream has ended without an answer is answered with an error, instead
// of waiting for its timeout. Used by connection.ts.
import {
  type JSONRPCMessage,
  type SSEClientTransportOptions,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
  type TransportSendOptions,
  isJSONRPCRequest,
} from "@modelcontextprotocol/client";

/** JSON-RPC error code of an answer that never came. No server may use it: the range is reserved, and this one is unused. */
export const LOST_CODE = -32_768;

/** A stream that ends may be taken up again, by servers that number their events. */
const RECONNECTION = {
  initialReconnectionDelay: 300,
  maxReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

export function createHttpTransport(url: URL, options: StreamableHTTPClientTransportOptions): LostAnswers {
  return new LostAnswers(url, { ...options, reconnectionOptions: RECONNECTION });
}

export class LostAnswers extends StreamableHTTPClientTransport {
  override send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (isJSONRPCRequest(message)) this.onmessage?.(toLost(message.id));
    };
    return super.send(message, { ...options, onRequestStreamEnd });
  }

  /** Tells the server that the session is over. */
  terminate(): Promise<void> {
    return this.terminateSession();
  }
}

export function createSseTransport(url: URL, options: SSEClientTransportOptions): SSEClientTransport {
  return new LostStream(url, options);
}

/** All answers come over one stream. When it ends, none will come. */
class LostStream extends SSEClientTransport {
  /** Requests so far. An answer to one that is answered already is ignored. */
  readonly #asked = new Set<string | number>();
  #guarded: SSEClientTransport["onerror"];

  override send(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCRequest(message)) this.#asked.add(message.id);
    this.#guard();
    return super.send(message);
  }

  /** The client sets its handlers again after it has found out what the server speaks. */
  #guard(): void {
    const { onerror } = this;
    if (onerror === this.#guarded && onerror) return;
    this.onerror = (error) => {
      onerror?.(error);
      for (const id of this.#asked) this.onmessage?.(toLost(id));
      this.#asked.clear();
    };
    this.#guarded = this.onerror;
  }
}

function toLost(id: string | number): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: LOST_CODE, message: "The stream ended without an answer." } };
}
