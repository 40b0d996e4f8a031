// The server's end of a WebSocket, for tests of clients: the handshake and the text and close frames of RFC 6455, over Node's http
// server.
import { createHash } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { AgentEvent } from "../../../core/schemas/entry.ts";

export interface FakeSocket {
  path: string;
  protocols: string;
  send(id: string, event: AgentEvent): void;
  sendText(text: string): void;
  close(code: number, reason?: string): void;
  /** Breaks the connection without a close frame. */
  cut(): void;
  /** Resolves when the client has disconnected. */
  gone: Promise<void>;
}

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Upgrades every request. `onSocket` may cut it at once. */
export function acceptSockets(server: Server, onSocket: (socket: FakeSocket) => void): void {
  server.on("upgrade", (request: IncomingMessage, stream: Duplex) => {
    const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}${GUID}`).digest("base64");
    const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
    stream.write(
      [...head, `Sec-WebSocket-Accept: ${accept}`, "Sec-WebSocket-Protocol: talaria.v1", "", ""].join("\r\n"),
    );
    const gone = new Promise<void>((resolve) => stream.on("close", () => resolve()));
    stream.on("error", () => {}); // the client may disconnect during a write
    // Clients send nothing but close frames.
    stream.on("data", () => stream.end());
    const sendText = (text: string) => void stream.write(frame(0x81, Buffer.from(text)));
    onSocket({
      path: request.url ?? "",
      protocols: request.headers["sec-websocket-protocol"] ?? "",
      send: (id, event) => sendText(JSON.stringify({ id, event })),
      sendText,
      close: (code, reason = "") =>
        void stream.end(frame(0x88, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]))),
      cut: () => void stream.destroy(),
      gone,
    });
  });
}

function frame(first: number, body: Buffer): Buffer {
  const head = body.length < 126 ? [first, body.length] : [first, 126, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from(head), body]);
}
