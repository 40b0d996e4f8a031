// What the door of the local stack compresses, as Cloudflare's edge does, and what it never does.
import { once } from "node:events";
import { type IncomingMessage, type OutgoingHttpHeaders, type Server, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { chooseEncoding } from "../../scripts/stack/network/compression.ts";
import { createDoor } from "../../scripts/stack/network/door.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const SCRIPT = "export const text = 'the same words again';\n".repeat(200);
const IMMUTABLE = "public, max-age=31536000, immutable";
const FILE = { "content-type": "text/javascript; charset=utf-8", etag: '"abc"', "cache-control": IMMUTABLE };

/** A door before a server that always answers the same, whatever the path. */
async function open(headers: OutgoingHttpHeaders, { status = 200, body = () => SCRIPT } = {}) {
  const socketPath = join(tempFolder(), "s");
  const inner = createServer(({ method }, outgoing) => {
    const isEmpty = method === "HEAD" || status === 304;
    outgoing.writeHead(status, isEmpty ? headers : { "content-length": SCRIPT.length, ...headers });
    outgoing.end(isEmpty ? undefined : body());
  });
  const door = createDoor({ socketPath });
  servers.push(inner, door);
  inner.listen(socketPath);
  door.listen(0, "127.0.0.1");
  await Promise.all([once(inner, "listening"), once(door, "listening")]);
  const { port } = door.address() as AddressInfo;
  return async (path: string, asked: OutgoingHttpHeaders = { "accept-encoding": "gzip, br" }, method = "GET") => {
    const sent = request({ port, path, method, headers: asked });
    sent.end();
    const [reply] = (await once(sent, "response")) as [IncomingMessage];
    const pieces: Buffer[] = [];
    for await (const piece of reply) pieces.push(piece as Buffer);
    return { status: reply.statusCode, headers: reply.headers, body: Buffer.concat(pieces) };
  };
}

const encodingOf = ({ headers }: { headers: IncomingMessage["headers"] }) => headers["content-encoding"] ?? "none";

describe("the door compresses", () => {
  it("a file of the page with Brotli, gzip or not at all, as the client takes it, and the same again from memory", async () => {
    const get = await open(FILE);
    for (let n = 0; n < 2; n++) {
      const brotli = await get("/assets/a.js?x=1");
      expect(brotli.headers).toMatchObject({ "content-encoding": "br", vary: "accept-encoding", etag: 'W/"abc"' });
      expect(brotli.headers["content-length"]).toBeUndefined();
      expect(brotliDecompressSync(brotli.body).toString()).toBe(SCRIPT);
      expect(brotli.body.length).toBeLessThan(SCRIPT.length / 10);
      const gzip = await get("/assets/a.js", { "accept-encoding": "gzip" });
      expect([encodingOf(gzip), gunzipSync(gzip.body).toString()]).toEqual(["gzip", SCRIPT]);
    }
    const plain = await get("/assets/a.js", {});
    expect(plain.headers).toMatchObject({ vary: "accept-encoding", etag: '"abc"' });
    expect([encodingOf(plain), plain.body.toString()]).toEqual(["none", SCRIPT]);
  });

  it("what is not immutable again for each request, even under the same ETag", async () => {
    const texts = ["one", "two"];
    const headers = { "content-type": "text/html; charset=utf-8", etag: '"same"', "cache-control": "no-cache" };
    const get = await open({ ...headers, "content-length": 3 }, { body: () => texts.shift()! });
    const both = [await get("/"), await get("/")];
    expect(both.map(({ body }) => brotliDecompressSync(body).toString())).toEqual(["one", "two"]);
  });

  it.each(["/", "/docs", "/docs/swagger-ui.css", "/openapi.json", "/icon.svg"])("%s", async (path) => {
    expect(encodingOf(await (await open(FILE))(path))).toBe("br");
  });
});

describe("the door does not compress", () => {
  it.each(["/v1/memory", "/health", "/v1/assets/x.js", "/p/x/assets/a.js", "/hooks/a/b", "//assets/a.js"])(
    "%s",
    async (path) => {
      const answer = await (await open(FILE))(path);
      expect([encodingOf(answer), answer.headers.vary, answer.body.toString()]).toEqual(["none", undefined, SCRIPT]);
    },
  );

  it.each<[string, OutgoingHttpHeaders]>([
    ["an event stream", { "content-type": "text/event-stream" }],
    ["an image", { "content-type": "image/png" }],
    ["what sets a cookie", { ...FILE, "set-cookie": "a=b" }],
    ["what is compressed already", { ...FILE, "content-encoding": "gzip" }],
    ["what is private", { ...FILE, "cache-control": "private" }],
    ["what must not be stored", { ...FILE, "cache-control": "no-store" }],
    ["what must not be changed", { ...FILE, "cache-control": "no-transform" }],
  ])("%s", async (_, headers) => {
    const answer = await (await open(headers))("/assets/a.js");
    expect(answer.headers.vary).toBeUndefined();
    expect(answer.body.toString()).toBe(SCRIPT);
  });

  it.each([206, 404])("an answer %i", async (status) => {
    expect(encodingOf(await (await open(FILE, { status }))("/assets/a.js"))).toBe("none");
  });

  it("a part of a file, nor a body that another method asked for", async () => {
    const get = await open(FILE);
    const part = await get("/assets/a.js", { "accept-encoding": "br", range: "bytes=0-9" });
    expect([encodingOf(part), part.headers.vary, part.headers.etag]).toEqual(["none", "accept-encoding", '"abc"']);
    expect(encodingOf(await get("/assets/a.js", undefined, "POST"))).toBe("none");
  });
});

it("HEAD and 304 have the headers of the compressed file and no body", async () => {
  const head = await (await open(FILE))("/assets/a.js", undefined, "HEAD");
  expect(head.headers).toMatchObject({ "content-encoding": "br", vary: "accept-encoding", etag: 'W/"abc"' });
  expect(head.body).toHaveLength(0);
  const unchanged = await (await open(FILE, { status: 304 }))("/assets/a.js");
  expect([unchanged.status, encodingOf(unchanged), unchanged.headers.etag]).toEqual([304, "none", 'W/"abc"']);
});

it.each([
  [undefined, null],
  ["", null],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip;q=1.0, br;q=0", "gzip"],
  ["br;q=0, gzip;q=0", null],
  ["BR", "br"],
  ["identity, *", null],
  ["brotli, xgzip", null],
])("for Accept-Encoding %j the encoding is %j", (accepted, expected) =>
  expect(chooseEncoding(accepted)).toBe(expected),
);
