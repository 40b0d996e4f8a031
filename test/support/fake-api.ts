// A real HTTP server that answers from a list, with one handler per request, in order. It records all requests.
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { AgentEvent } from "../../core/schemas/entry.ts";
import { type FakeSocket, acceptSockets } from "./wires/fake-socket.ts";

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}
export type Handler = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

export interface FakeApi extends AsyncDisposable {
  url: string;
  requests: SeenRequest[];
}

/**
 * A request beyond the list, or one that `always` does not handle, gets status 500. Without `onSocket`, an upgrade is an ordinary
 * request.
 */
export async function startFakeApi(
  list: Handler[],
  always: Record<string, Handler> = {},
  onSocket?: (socket: FakeSocket) => void,
): Promise<FakeApi> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const { method = "", url: path = "", headers } = incoming;
    const request = { method, path, headers, body: Buffer.concat(pieces).toString() };
    const handler = always[`${method} ${path}`];
    if (!handler) requests.push(request);
    await (handler ?? list[requests.length - 1] ?? answerJson(500, { unexpected: path }))(response, request);
  });
  const streams = new Set<Duplex>();
  server.on("connection", (stream) => streams.add(stream));
  if (onSocket) acceptSockets(server, onSocket);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      for (const stream of streams) stream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function answerJson(status: number, body: unknown): Handler {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
}

export function answerProblem(status: number, code: string): Handler {
  return answerJson(status, {
    type: `urn:talaria:problem:${code}`,
    title: code,
    status,
    code,
    detail: `It is ${code}.`,
  });
}

export type Wire = [id: string, event: AgentEvent];

/** `cut`: the connection is destroyed after the events instead of ended. */
export function answerEvents(events: Wire[], { cut = false, turn = "01ARZ3NDEKTSV4RRFFQ69G5FAV-1" } = {}): Handler {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "talaria-turn": turn });
    response.flushHeaders();
    for (const [id, event] of events) {
      await new Promise((sent) => {
        response.write(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`, sent);
      });
    }
    if (cut) response.destroy();
    else response.end();
  };
}
