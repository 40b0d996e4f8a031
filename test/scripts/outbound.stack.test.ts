// A Worker of the local stack that asks for any address, as if every check in the Worker had failed: its requests leave through the
// stack's proxy (scripts/stack/network/outbound-proxy.ts), and reach nothing on this machine but what the operator named.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { WorkerOptions } from "../../scripts/stack/bundle.ts";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";

/** Passes a request on to the address in the header `to`, and the reply back. */
const PROBE = `export default {
  async fetch(request) {
    if (request.url.endsWith("/health")) return new Response("ok");
    const { method, headers, body } = request;
    const init = { method, body, headers: { "x-seen": headers.get("x-seen") ?? "" }, redirect: "manual" };
    try {
      return await fetch(headers.get("to"), init);
    } catch (error) {
      return new Response(String(error), { status: 599 });
    }
  },
};`;

const stateDir = mkdtempSync(join(tmpdir(), "talaria outbound "));
const seen: string[] = [];
let replyTo: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
const servers = Array.from({ length: 2 }, () =>
  createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.headers.host}${incoming.url} ${incoming.headers["x-seen"]}`);
    replyTo(incoming, outgoing);
  }),
);
let stack: Stack;
let named: number;
let trap: number;

beforeAll(async () => {
  [named, trap] = (await Promise.all(
    servers.map(async (server) => {
      await once(server.listen(0, "127.0.0.1"), "listening");
      return (server.address() as AddressInfo).port;
    }),
  )) as [number, number];
  const workers = [
    {
      name: "probe",
      compatibilityDate: "2026-01-01",
      modules: [{ type: "ESModule", path: "probe.js", contents: PROBE }],
    },
  ] as WorkerOptions[];
  const vars = { OPENAI_BASE_URL: `http://127.0.0.1:${named}/v1` };
  stack = await startStack({ stateDir, vars, workers });
});
afterAll(async () => {
  await stack.kill();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(stateDir, { recursive: true, force: true });
});

const ask = (to: string, init: RequestInit = {}) =>
  fetch(stack.url, { ...init, headers: { to, "x-seen": "yes", ...init.headers } });

it("a Worker reaches the origin that the operator named, and its replies are streamed piece by piece", async () => {
  let outgoing: ServerResponse | undefined;
  replyTo = (incoming, reply) => {
    outgoing = reply;
    reply.writeHead(200, { "content-type": "text/event-stream" });
    incoming.on("data", (piece) => reply.write(`data: got ${piece}\n\n`));
  };
  const reply = await ask(`http://127.0.0.1:${named}/v1/chat`, { method: "POST", body: "hello" });
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  expect(reply.headers.get("content-type")).toBe("text/event-stream");
  expect((await reader.read()).value).toBe("data: got hello\n\n");
  for (const word of ["one", "two"]) {
    outgoing!.write(`data: ${word}\n\n`);
    expect((await reader.read()).value).toBe(`data: ${word}\n\n`);
  }
  outgoing!.end();
  expect((await reader.read()).done).toBe(true);
  expect(seen.splice(0)).toEqual([`POST 127.0.0.1:${named}/v1/chat yes`]);
});

it("a reader that leaves ends the request at the server", async () => {
  const closed = Promise.withResolvers<void>();
  replyTo = (_, reply) => {
    reply.on("close", closed.resolve);
    reply.writeHead(200).write("begun");
  };
  const stop = new AbortController();
  const reply = await ask(`http://127.0.0.1:${named}/v1/chat`, { signal: stop.signal });
  await reply.body!.getReader().read();
  stop.abort();
  await closed.promise;
  seen.splice(0);
});

it("a Worker reaches nothing else on this machine, in any spelling, nor by a redirect", async () => {
  replyTo = (_, reply) => reply.writeHead(200).end("reached");
  const own = Number(new URL(stack.url).port);
  const addresses = [trap, own].flatMap((port) =>
    ["127.0.0.1", "localhost", "2130706433", "127.1", "[::ffff:127.0.0.1]", "0.0.0.0", "127.0.0.2", hostname()].map(
      (host) => `http://${host}:${port}/`,
    ),
  );
  addresses.push(`http://localhost:${named}/`, `https://127.0.0.1:${named}/`, "http://169.254.169.254/latest");
  for (const to of addresses) {
    const reply = await ask(to);
    expect([to, reply.status, reply.headers.get("talaria-outbound-failure")]).toEqual([to, 403, "url_refused"]);
  }
  expect(seen).toEqual([]);
});

it("a name that does not exist is unreachable", async () => {
  const reply = await ask("http://no-such-name.example.com/");
  expect([reply.status, reply.headers.get("talaria-outbound-failure")]).toEqual([502, "unreachable"]);
});
