// The local stack's proxy against real servers on this machine. 127.0.0.2 stands for a public server, 127.0.0.1 for this machine: no test
// can serve a public address.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, type Server, type ServerResponse, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { findSpecialRange } from "../../core/outbound/addresses.ts";
import {
  type OutboundProxyOptions,
  type ResolvedAddress,
  createOutboundProxy,
} from "../../scripts/stack/network/outbound-proxy.ts";
import { readProxyPolicy } from "../../scripts/stack/network/proxy-policy.ts";

const PUBLIC = "127.0.0.2";
const INSIDE = "127.0.0.1";
const folder = mkdtempSync(join(tmpdir(), "outbound-"));
const open: { close(): unknown; closeAllConnections?(): void }[] = [];
let sockets = 0;

afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections?.();
    server.close();
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** A server that counts its requests. `port` 0: any. */
async function serve(host: string, port = 0, handler: Handler = (_, out) => out.end(`from ${host}`)) {
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.headers.host}${incoming.url}`);
    handler(incoming, outgoing);
  });
  open.push(server);
  await once(server.listen(port, host), "listening");
  return { server, seen, port: (server.address() as AddressInfo).port };
}

async function startProxy(options: Partial<OutboundProxyOptions> & { ports?: number[]; configured?: string[] }) {
  const { ports = [], configured = [], ...rest } = options;
  const proxy: Server = createOutboundProxy({
    policy: { ports, allow: [], configured },
    listOwn: () => [],
    findRange: (text) => (text === PUBLIC ? null : findSpecialRange(text)),
    ...rest,
  });
  open.push(proxy);
  const socketPath = join(folder, `${sockets++}`);
  await once(proxy.listen(socketPath), "listening");
  return { socketPath };
}

/** What workerd sends: a request with the whole URL. */
function send(socketPath: string, url: string, init: { method?: string; headers?: Record<string, string> } = {}) {
  return request({ socketPath, path: url, setHost: false, ...init });
}

async function ask(socketPath: string, url: string, init: { headers?: Record<string, string> } = {}) {
  const sent = send(socketPath, url, init);
  sent.end();
  const [reply] = (await once(sent, "response")) as [IncomingMessage];
  let body = "";
  for await (const piece of reply) body += piece;
  return { status: reply.statusCode, headers: reply.headers, body };
}

/** Answers each question with the next list of addresses; the last one repeats. */
function toResolver(...answers: string[][]) {
  const asked: string[] = [];
  const resolve = async (name: string): Promise<ResolvedAddress[]> => {
    const answer = answers[Math.min(asked.push(name), answers.length) - 1]!;
    return answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
  return { asked, resolve };
}

const REFUSED = { status: 403, headers: { "talaria-outbound-failure": "url_refused" }, body: "" };
const UNREACHABLE = { status: 502, headers: { "talaria-outbound-failure": "unreachable" }, body: "" };

describe("a name", () => {
  it("that resolves to a public address is reached there", async () => {
    const { port, seen } = await serve(PUBLIC);
    const { asked, resolve } = toResolver([PUBLIC]);
    const { socketPath } = await startProxy({ ports: [port], resolve });
    const reply = await ask(socketPath, `http://a.example.com:${port}/path?q=1`);
    expect(reply).toMatchObject({ status: 200, body: `from ${PUBLIC}` });
    expect(seen).toEqual([`GET a.example.com:${port}/path?q=1`]);
    expect(asked).toEqual(["a.example.com"]);
  });

  it("that rebinds, public at the check and this machine afterwards, never reaches this machine", async () => {
    const { port, seen } = await serve(PUBLIC, 0, (_, out) =>
      out.writeHead(200, { connection: "close" }).end("public"),
    );
    const trap = await serve(INSIDE, port);
    const { asked, resolve } = toResolver([PUBLIC], [INSIDE]);
    const { socketPath } = await startProxy({ ports: [port], resolve });
    const url = `http://rebind.example.com:${port}/`;
    expect(await ask(socketPath, url)).toMatchObject({ status: 200, body: "public" });
    expect(await ask(socketPath, url)).toMatchObject(REFUSED);
    expect(await ask(socketPath, url)).toMatchObject(REFUSED);
    expect([seen.length, trap.seen, asked.length]).toEqual([1, [], 3]);
  });

  it.each([
    [[PUBLIC, INSIDE]],
    [[INSIDE, PUBLIC]],
    [[PUBLIC, "10.0.0.1"]],
    [[PUBLIC, "::1"]],
    [["fe80::1%eth0"]],
    [["::ffff:127.0.0.1"]],
    [["64:ff9b::7f00:1"]],
    [["169.254.169.254"]],
    [["not an address"]],
  ])("that resolves to %j is refused", async (addresses) => {
    const { port, seen } = await serve(PUBLIC);
    const trap = await serve(INSIDE, port);
    const { socketPath } = await startProxy({ ports: [port], resolve: toResolver(addresses).resolve });
    expect(await ask(socketPath, `http://a.example.com:${port}/`)).toMatchObject(REFUSED);
    expect([seen, trap.seen]).toEqual([[], []]);
  });

  it("that resolves to a public address of this machine is refused, and so is that address", async () => {
    const { port, seen } = await serve(PUBLIC);
    const { socketPath } = await startProxy({
      ports: [port],
      resolve: toResolver([PUBLIC]).resolve,
      listOwn: () => ["fe80::1", PUBLIC, "2606:4700::0:1"],
    });
    expect(await ask(socketPath, `http://a.example.com:${port}/`)).toMatchObject(REFUSED);
    expect(await ask(socketPath, "http://[2606:4700:0::1]/")).toMatchObject(REFUSED);
    expect(seen).toEqual([]);
  });

  it("that does not resolve, or whose server does not answer, is unreachable", async () => {
    const { port, server } = await serve(PUBLIC);
    server.close();
    const down = await startProxy({ ports: [port], resolve: toResolver([PUBLIC]).resolve });
    expect(await ask(down.socketPath, `http://a.example.com:${port}/`)).toMatchObject(UNREACHABLE);
    for (const resolve of [() => Promise.reject(new Error("ENOTFOUND")), async () => []]) {
      const { socketPath } = await startProxy({ resolve });
      expect(await ask(socketPath, "http://a.example.com/")).toMatchObject(UNREACHABLE);
    }
  });

  it("is the server name of a TLS connection to the checked address", async () => {
    const names: string[] = [];
    const server = createTlsServer({ SNICallback: (name, done) => (names.push(name), done(null)) });
    server.on("tlsClientError", () => undefined); // the server has no certificate
    open.push(server);
    await once(server.listen(0, PUBLIC), "listening");
    const { port } = server.address() as AddressInfo;
    const { socketPath } = await startProxy({ ports: [port], resolve: toResolver([PUBLIC]).resolve });
    expect(await ask(socketPath, `https://a.example.com:${port}/`)).toMatchObject(UNREACHABLE);
    expect(names).toEqual(["a.example.com"]);
  });
});

describe("an address of this machine", () => {
  it("is refused in a URL, however it is written", async () => {
    const { port, seen } = await serve(INSIDE);
    const { asked, resolve } = toResolver([INSIDE]);
    const { socketPath } = await startProxy({ ports: [port], resolve });
    for (const host of [INSIDE, "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0"]) {
      expect(await ask(socketPath, `http://${host}:${port}/`)).toMatchObject(REFUSED);
    }
    expect([seen, asked]).toEqual([[], []]);
  });

  it("is reached at the exact origin that the operator named", async () => {
    const { port, seen } = await serve(INSIDE);
    const other = await serve(INSIDE);
    const { socketPath } = await startProxy({
      ports: [port, other.port],
      configured: [`http://127.0.0.1:${port}`],
      resolve: toResolver([INSIDE]).resolve,
    });
    expect(await ask(socketPath, `http://127.0.0.1:${port}/v1`)).toMatchObject({ status: 200 });
    expect(await ask(socketPath, `http://127.0.0.1:${other.port}/v1`)).toMatchObject(REFUSED);
    expect(await ask(socketPath, `http://localhost:${port}/v1`)).toMatchObject(REFUSED);
    expect([seen.length, other.seen.length]).toEqual([1, 0]);
  });

  it("is reached nowhere from a stack that is offline, not even at an origin that the operator named", async () => {
    const server = await serve(INSIDE);
    const origin = `http://${INSIDE}:${server.port}`;
    const { socketPath } = await startProxy({ configured: [origin], isOffline: true });
    expect((await ask(socketPath, `${origin}/x`)).status).toBe(403);
    expect(server.seen).toEqual([]);
  });

  it("is named by the variables of models and memory providers, and by outbound.allow", () => {
    const policy = readProxyPolicy({
      TALARIA_SETTINGS: '{"outbound":{"allow":["http://nas.lan:8888/"],"ports":[9000]}}',
      TALARIA_MODEL: "ollama:llama3.3:70b, lmstudio:some",
      TALARIA_MODEL_REVIEW: "anthropic:some",
      LMSTUDIO_BASE_URL: "http://192.168.1.7:1234/v1",
      ANTHROPIC_BASE_URL: " https://gateway.example.com/anthropic ",
      OPENAI_BASE_URL: "not a url",
      TALARIA_MEMORY_PROVIDER: "mem0",
      MEM0_API_KEY: "key",
      MEM0_BASE_URL: "http://127.0.0.1:8765",
    });
    expect(policy).toEqual({
      ports: [9000],
      allow: ["http://nas.lan:8888"],
      configured: [
        "https://gateway.example.com",
        "http://192.168.1.7:1234",
        "http://localhost:11434",
        "http://127.0.0.1:8765",
      ],
    });
    expect(readProxyPolicy({ TALARIA_SETTINGS: "not json" })).toEqual({ ports: [], allow: [], configured: [] });
  });
});

describe("what passes", () => {
  it("is streamed both ways, piece by piece", async () => {
    const { port } = await serve(INSIDE, 0, (incoming, outgoing) => {
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.flushHeaders();
      incoming.on("data", (piece) => outgoing.write(`data: ${piece}\n\n`));
      incoming.on("end", () => outgoing.end("data: end\n\n"));
    });
    const { socketPath } = await startProxy({ configured: [`http://127.0.0.1:${port}`] });
    const sent = send(socketPath, `http://127.0.0.1:${port}/`, { method: "POST" });
    sent.flushHeaders();
    const [reply] = (await once(sent, "response")) as [IncomingMessage];
    for (const word of ["one", "two"]) {
      sent.write(word);
      expect(String((await once(reply, "data"))[0])).toBe(`data: ${word}\n\n`);
    }
    sent.end();
    expect(String((await once(reply, "data"))[0])).toBe("data: end\n\n");
  });

  it("has no header of the proxy's own, nor of one connection", async () => {
    const { port, server } = await serve(INSIDE, 0, (_, out) =>
      out.writeHead(200, { "talaria-outbound-failure": "url_refused", "set-cookie": ["a=1", "b=2"], "x-a": "1" }).end(),
    );
    const got: Record<string, unknown>[] = [];
    server.on("request", ({ headers }) => got.push(headers));
    const { socketPath } = await startProxy({ configured: [`http://127.0.0.1:${port}`] });
    const headers = { host: "evil.example.com", "mf-original-url": "x", authorization: "Bearer key", te: "trailers" };
    const reply = await ask(socketPath, `http://127.0.0.1:${port}/`, { headers });
    expect(reply.headers).toMatchObject({ "set-cookie": ["a=1", "b=2"], "x-a": "1" });
    expect(reply.headers["talaria-outbound-failure"]).toBeUndefined();
    expect(got).toEqual([{ host: `127.0.0.1:${port}`, authorization: "Bearer key", connection: "keep-alive" }]);
  });

  it("ends at the server when the Worker breaks off, and at the Worker when the server does", async () => {
    let upstream: ServerResponse | undefined;
    const { port } = await serve(INSIDE, 0, (_, outgoing) => {
      upstream = outgoing;
      outgoing.write("begun");
    });
    const { socketPath } = await startProxy({ configured: [`http://127.0.0.1:${port}`] });
    const begin = async () => {
      const sent = send(socketPath, `http://127.0.0.1:${port}/`);
      sent.end();
      const [reply] = (await once(sent, "response")) as [IncomingMessage];
      await once(reply, "data");
      return { sent, reply };
    };
    const first = await begin();
    const closed = once(upstream!, "close");
    first.sent.on("error", () => undefined); // our own abort
    first.reply.on("error", () => undefined);
    first.sent.destroy();
    await closed;

    const second = await begin();
    const broken = once(second.reply, "error");
    upstream!.destroy();
    expect(await broken).toMatchObject([{ code: "ECONNRESET" }]);
  });

  it("is no tunnel and no WebSocket", async () => {
    const { port, seen } = await serve(INSIDE);
    const { socketPath } = await startProxy({ configured: [`http://127.0.0.1:${port}`] });
    const tunnel = request({ socketPath, method: "CONNECT", path: `127.0.0.1:${port}` });
    tunnel.end();
    const [answer] = (await once(tunnel, "connect")) as [IncomingMessage];
    expect(answer.statusCode).toBe(501);
    const headers = { connection: "upgrade", upgrade: "websocket" };
    expect(await ask(socketPath, `http://127.0.0.1:${port}/`, { headers })).toMatchObject({ status: 501 });
    expect(seen).toEqual([]);
  });
});
