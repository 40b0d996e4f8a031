// A loopback proxy that adds the profile's key to each request, since the conformance suite cannot send one. It passes on Host and
// Origin as they came, so that the checks of the stack's door are tested too.
import { type Server, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface KeyProxy extends AsyncDisposable {
  url: string;
}

/** `target` is asked at each request. Without a key the request is passed on as it is. */
export async function startKeyProxy(target: () => string, key?: string): Promise<KeyProxy> {
  const server: Server = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(target());
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) };
    const onward = request({ hostname, port, method, path, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode!, reply.headers);
      outgoing.flushHeaders();
      reply.pipe(outgoing);
    });
    onward.once("error", () => outgoing.destroy());
    outgoing.once("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
