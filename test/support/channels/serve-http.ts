// A function from requests to responses as a real HTTP server on this machine. Used by the fake platforms.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Served extends AsyncDisposable {
  /** Without a slash at its end. */
  url: string;
}

export async function serveHttp(
  serve: (path: string, init: { method: string; headers: Headers; body: Uint8Array }) => Promise<Response>,
  port = 0,
): Promise<Served> {
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of incoming) pieces.push(piece as Buffer);
      const headers = new Headers(incoming.headers as Record<string, string>);
      const body = new Uint8Array(Buffer.concat(pieces));
      const answer = await serve(incoming.url ?? "/", { method: incoming.method ?? "GET", headers, body });
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
      outgoing.end(Buffer.from(await answer.arrayBuffer()));
    } catch (error) {
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
