// A local HTTP server for tests, and an Outbound that may reach it: the product's own, with the server's origin allowed.
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Outbound, createOutbound } from "../../../core/outbound/outbound.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";

export interface LocalSite {
  origin: string;
  outbound: Outbound;
  /** Requests so far: method, path with query, headers, body. */
  requests: { method: string; path: string; headers: IncomingMessage["headers"]; body: string }[];
  close(): Promise<void>;
}

export type Answer = { status?: number; headers?: Record<string, string>; body?: string | Uint8Array };

/** `answer` is called for each request; it may answer the same path in another way the next time. */
export async function startLocalSite(answer: (path: string, nth: number) => Answer): Promise<LocalSite> {
  const requests: LocalSite["requests"] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const path = request.url ?? "/";
      requests.push({
        ...{ method: request.method ?? "", path, headers: request.headers },
        body: Buffer.concat(pieces).toString(),
      });
      const { status = 200, headers = {}, body = "" } = answer(path, requests.length);
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outbound = createOutbound({
    fetch: (...request) => fetch(...request),
    clock: systemClock,
    policy: { ports: [], allow: [origin], configured: [] },
  });
  return {
    ...{ origin, outbound, requests },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
