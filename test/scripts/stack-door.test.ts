// The door of the local stack: which requests it lets through, and that it forwards them unchanged.
import { once } from "node:events";
import { type IncomingMessage, type RequestListener, type Server, createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createDoor, refuse } from "../../scripts/stack/network/door.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const OPEN = { publicUrl: "https://talaria.example:8443", origins: ["https://chat.example"] };
const check = (headers: Record<string, string>, url = "/health") =>
  refuse({ url, headers, rawHeaders: Object.entries(headers).flat() }, OPEN)?.code ?? "served";

describe("the door", () => {
  it.each([
    "localhost",
    "localhost:8787",
    "127.0.0.1:8787",
    "127.9.9.9",
    "[::1]:8787",
    "talaria.example:8443",
    "app.localhost",
  ])("serves Host %s", (host) => expect(check({ host })).toBe("served"));

  it.each(["evil.example", "evil.example:8787", "127.0.0.1.evil.example", "localhost.evil.example", "talaria.example"])(
    "refuses Host %s",
    (host) => expect(check({ host })).toBe("host_refused"),
  );

  it.each(["", "a@127.0.0.1", "127.0.0.1/x", "0.0.0.0", "169.254.169.254", "127.0.0.1, evil.example"])(
    "refuses the malformed Host %j",
    (host) => expect(check({ host })).toBe("host_refused"),
  );

  it("accepts one Host and a path, not a full URL", () => {
    expect(check({ host: "localhost" }, "http://evil.example/health")).toBe("request_malformed");
    const twice = {
      url: "/",
      headers: { host: "localhost" },
      rawHeaders: ["Host", "localhost", "host", "evil.example"],
    };
    expect([refuse(twice)?.code, check({})]).toEqual(["request_malformed", "request_malformed"]);
  });

  it.each([
    ["http://localhost:3000", "served"],
    ["https://talaria.example:8443", "served"],
    ["https://chat.example", "served"],
    ["https://talaria.example", "origin_refused"],
    ["http://talaria.example:8443", "origin_refused"],
    ["https://evil.example", "origin_refused"],
    ["http://127.0.0.1.evil.example", "origin_refused"],
    ["null", "origin_refused"],
    ["", "origin_refused"],
    ["http://localhost, https://evil.example", "origin_refused"],
  ])("answers Origin %j: %s", (origin, expected) => expect(check({ host: "127.0.0.1", origin })).toBe(expected));
});

async function open(listener: RequestListener, prepare: (server: Server) => void = () => {}): Promise<number> {
  const socketPath = join(tempFolder(), "s");
  const inner = createServer(listener);
  prepare(inner);
  const door = createDoor({ socketPath });
  servers.push(inner, door);
  inner.listen(socketPath);
  door.listen(0, "127.0.0.1");
  await Promise.all([once(inner, "listening"), once(door, "listening")]);
  return (door.address() as AddressInfo).port;
}

describe("a forwarded request", () => {
  it("arrives unchanged without Miniflare's own headers, and its response is streamed", async () => {
    const seen: unknown[] = [];
    const port = await open(async (incoming, outgoing) => {
      let body = "";
      for await (const piece of incoming) body += String(piece);
      const { host, "mf-original-url": hidden, "x-own": own } = incoming.headers;
      seen.push([incoming.method, incoming.url, host, hidden, own, body]);
      outgoing.writeHead(207, { "x-mine": "yes" }).write("one,");
      setTimeout(() => outgoing.end("two"), 20);
    });
    const headers = { "mf-original-url": "http://x/", "x-own": "1", "transfer-encoding": "chunked" };
    const sent = request({ port, method: "DELETE", path: "/a//b?c=%20", headers });
    sent.end("GET /smuggled HTTP/1.1\r\n\r\n");
    const [reply] = (await once(sent, "response")) as [IncomingMessage];
    const pieces: string[] = [];
    for await (const piece of reply) pieces.push(String(piece));
    expect([reply.statusCode, reply.headers["x-mine"], pieces]).toEqual([207, "yes", ["one,", "two"]]);
    expect(seen).toEqual([
      ["DELETE", "/a//b?c=%20", `localhost:${port}`, undefined, "1", "GET /smuggled HTTP/1.1\r\n\r\n"],
    ]);
  });

  it("is aborted at the Workers when the client disconnects", async () => {
    let left: () => void = () => {};
    const gone = new Promise<void>((done) => (left = done));
    const port = await open((_, outgoing) => {
      outgoing.once("close", left);
      outgoing.write("begun");
    });
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    await once(socket, "data");
    socket.destroy();
    await gone;
  });

  it("is answered 502 while the Workers are down", async () => {
    const door = createDoor({ socketPath: join(tempFolder(), "nobody") });
    servers.push(door);
    door.listen(0, "127.0.0.1");
    await once(door, "listening");
    const answer = await fetch(`http://127.0.0.1:${(door.address() as AddressInfo).port}/health`);
    expect([answer.status, await answer.json()]).toEqual([
      502,
      {
        type: "urn:talaria:problem:workers_away",
        title: "The Workers are restarting",
        status: 502,
        code: "workers_away",
        detail: "The Workers are restarting. Try again in a few seconds.",
      },
    ]);
  });
});

describe("an upgrade", () => {
  const raw = async (port: number, lines: string[]) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    socket.on("data", (piece) => (text += String(piece)));
    await once(socket, "close");
    return text;
  };
  const UPGRADE = ["Connection: Upgrade", "Upgrade: websocket"];

  it("is refused for a page of another site", async () => {
    const port = await open(() => {});
    const text = await raw(port, ["GET / HTTP/1.1", "Host: localhost", "Origin: https://evil.example", ...UPGRADE]);
    expect(text).toMatch(
      /^HTTP\/1\.1 403 Origin not allowed\r\n[^]*"title":"Origin not allowed","status":403,"code":"origin_refused"/,
    );
  });

  it("that the Workers refuse ends the connection, so that no unchecked request follows", async () => {
    const asked: string[] = [];
    const port = await open((incoming, outgoing) => {
      asked.push(incoming.url!);
      outgoing.writeHead(401).end("no");
    });
    const next = ["", "GET /second HTTP/1.1", "Host: evil.example"];
    const text = await raw(port, ["GET /first HTTP/1.1", "Host: localhost", ...UPGRADE, ...next]);
    expect(text).toMatch(/^HTTP\/1\.1 401 [^]*no$/);
    expect(asked).toEqual(["/first"]);
  });

  it("connects both ends, and is accepted only for a WebSocket", async () => {
    const port = await open(
      () => {},
      (server) =>
        server.on("upgrade", (_, socket) => {
          socket.write(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Kept: 1\r\n\r\n",
          );
          socket.on("data", (piece) => socket.end(`heard ${piece}`));
        }),
    );
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(["GET / HTTP/1.1", "Host: localhost", ...UPGRADE, "", ""].join("\r\n")),
    );
    const [head] = (await once(socket, "data")) as [Buffer];
    expect(String(head)).toMatch(/^HTTP\/1\.1 101 [^]*X-Kept: 1/);
    socket.write("hello");
    const [heard] = (await once(socket, "data")) as [Buffer];
    expect(String(heard)).toBe("heard hello");
    const other = await raw(port, ["GET / HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: h2c"]);
    expect(other).toMatch(/^HTTP\/1\.1 400 /);
  });
});
