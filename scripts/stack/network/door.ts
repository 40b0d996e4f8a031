// The local stack's only TCP port: a reverse proxy that checks `Host` and `Origin`, then forwards to the api Worker's Unix
// socket, streams and WebSockets included. It compresses what the edge of a deployment would (compression.ts). Called by host.ts. Reads
// no body of a request and knows no key.
import { Agent, type IncomingMessage, type Server, type ServerResponse, createServer, request } from "node:http";
import type { Duplex } from "node:stream";
import { type CompressedFiles, planCompression, sendCompressed } from "./compression.ts";
import { DOOR_PROBLEMS, type DoorProblemCode } from "./door-problems.ts";

/** Marker files in a stack's private folder: the Workers accept requests, or another program owns the port. */
export const READY = "ready";
export const PORT_TAKEN = "port-taken";

export interface DoorOptions {
  /** Unix socket of the api Worker. */
  socketPath: string;
  /** Public address of the operator's own proxy before this stack, such as `https://talaria.example`. */
  publicUrl?: string;
  /** Origins that the operator lists for browsers (`browsers.origins`): the api Worker decides what their pages may do. */
  origins?: string[];
}

interface Refusal {
  code: DoorProblemCode;
  detail: string;
}

/** Hop-by-hop headers (RFC 9110), and headers that would control Miniflare itself. */
const HOP_BY_HOP = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|mf-.*)$/i;

/**
 * One connection per request: a new connection costs less than detecting that workerd has closed an idle one. The requests still
 * say keep-alive: with `connection: close`, workerd closes at once when it refuses an unread body, and its answer is lost.
 */
const agent = new Agent({ keepAlive: true, maxFreeSockets: 0 });

/** As much as Cloudflare lets through, so that a long address is the Workers' to judge. */
const MAX_HEADER_BYTES = 128 * 1_024;

export function createDoor(options: DoorOptions): Server {
  const files: CompressedFiles = new Map();
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (incoming, outgoing) => {
    const refusal = refuse(incoming, options);
    if (refusal) return answer(outgoing, refusal);
    passOn(incoming, outgoing, { socketPath: options.socketPath, files });
  });
  server.on("upgrade", (incoming, socket, head) => {
    socket.on("error", () => socket.destroy());
    const refusal = refuse(incoming, options) ?? refuseUpgrade(incoming);
    if (refusal) return answerRaw(socket, refusal);
    passUpgradeOn(incoming, { socket, head }, options.socketPath);
  });
  return server;
}

/** Stops pages of other sites: a browser names their site in `Host` (DNS rebinding) or in `Origin`. `null`: allowed. */
export function refuse(
  { url, rawHeaders, headers }: Pick<IncomingMessage, "url" | "rawHeaders" | "headers">,
  { publicUrl, origins = [] }: Pick<DoorOptions, "publicUrl" | "origins"> = {},
): Refusal | null {
  const open = publicUrl ? new URL(publicUrl) : null;
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length !== 1 || !url?.startsWith("/")) {
    return { code: "request_malformed", detail: "The request needs a path and exactly one Host header." };
  }
  const host = toUrl(`http://${headers.host}`);
  if (!host || !(isLoopback(host.hostname) || headers.host?.toLowerCase() === open?.host)) {
    return { code: "host_refused", detail: `This Host is not served here. ${ADVICE}` };
  }
  const { origin } = headers;
  const from = origin === undefined ? null : toUrl(origin);
  if (
    origin !== undefined &&
    !(from && (isLoopback(from.hostname) || [open?.origin, ...origins].includes(from.origin)))
  ) {
    return { code: "origin_refused", detail: `Requests from this Origin are not allowed. ${ADVICE}` };
  }
  return null;
}

const ADVICE =
  "Use a loopback address such as http://127.0.0.1, or set TALARIA_PUBLIC_URL to the public address of this server.";

function refuseUpgrade({ headers, method }: IncomingMessage): Refusal | null {
  if (method === "GET" && headers.upgrade?.toLowerCase() === "websocket") return null;
  return { code: "request_malformed", detail: "Only WebSocket upgrades by GET are supported." };
}

/** Accepts a scheme, a host and a port, nothing more; `null` for anything else. */
function toUrl(text: string): URL | null {
  return /^https?:\/\/[\w.:[\]-]+$/i.test(text) ? URL.parse(text) : null;
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function passOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { socketPath, files }: { socketPath: string; files: CompressedFiles },
): void {
  const { method, url: path } = incoming;
  // A body without a length stays chunked, whatever the method. Unframed, its bytes would be parsed as a second request
  // (request smuggling).
  const framed = incoming.headers["transfer-encoding"] === undefined ? [] : ["transfer-encoding", "chunked"];
  const headers = [...filterHeaders(incoming.rawHeaders), ...framed];
  const onward = request({ socketPath, agent, method, path, headers }, (reply) => {
    const plan = planCompression(incoming, reply, filterHeaders(reply.rawHeaders));
    outgoing.writeHead(reply.statusCode!, reply.statusMessage, plan?.headers ?? filterHeaders(reply.rawHeaders));
    outgoing.flushHeaders(); // a stream may say nothing for a while
    reply.once("error", () => outgoing.destroy());
    if (plan?.encoding && method === "GET" && reply.statusCode === 200) {
      sendCompressed(reply, outgoing, plan.encoding, files);
    } else reply.pipe(outgoing);
  });
  onward.once("error", () => (outgoing.headersSent ? outgoing.destroy() : answer(outgoing, AWAY)));
  outgoing.once("close", () => onward.destroy());
  incoming.pipe(onward);
}

function passUpgradeOn(
  incoming: IncomingMessage,
  { socket, head }: { socket: Duplex; head: Buffer },
  socketPath: string,
) {
  const headers = [...filterHeaders(incoming.rawHeaders), "connection", "Upgrade", "upgrade", "websocket"];
  const onward = request({ socketPath, agent, method: "GET", path: incoming.url, headers });
  onward.once("upgrade", (reply, inner, innerHead) => {
    inner.on("error", () => inner.destroy());
    inner.once("close", () => socket.destroy());
    socket.once("close", () => inner.destroy());
    const replyHeaders = [...filterHeaders(reply.rawHeaders), "connection", "Upgrade", "upgrade", "websocket"];
    socket.write(toHead(101, "Switching Protocols", replyHeaders));
    socket.write(innerHead);
    inner.write(head);
    inner.pipe(socket).pipe(inner);
  });
  // The upgrade was refused. Close after the answer, so that no unchecked request follows on this connection.
  onward.once("response", (reply) => {
    socket.write(toHead(reply.statusCode!, reply.statusMessage ?? "", [...filterHeaders(reply.rawHeaders), ...LAST]));
    reply.pipe(socket);
  });
  onward.once("error", () => answerRaw(socket, AWAY));
  onward.end();
}

const AWAY: Refusal = {
  code: "workers_away",
  detail: "The Workers are restarting. Try again in a few seconds.",
};
const LAST = ["connection", "close"];

function answer(outgoing: ServerResponse, refusal: Refusal): void {
  const [status] = DOOR_PROBLEMS[refusal.code];
  // The body stays unread, so the connection cannot be reused.
  outgoing.writeHead(status, ["content-type", "application/problem+json", ...LAST]);
  outgoing.end(toProblem(refusal));
}

function answerRaw(socket: Duplex, refusal: Refusal): void {
  const headers = ["content-type", "application/problem+json", ...LAST];
  const [status, title] = DOOR_PROBLEMS[refusal.code];
  socket.end(toHead(status, title, headers) + toProblem(refusal));
}

function toProblem({ code, detail }: Refusal): string {
  const [status, title] = DOOR_PROBLEMS[code];
  return JSON.stringify({ type: `urn:talaria:problem:${code}`, title, status, code, detail });
}

function toHead(status: number, reason: string, headers: string[]): string {
  const lines = headers.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${headers[i + 1]}\r\n`] : []));
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n`;
}

function filterHeaders(rawHeaders: string[]): string[] {
  return rawHeaders.filter((_, i) => !HOP_BY_HOP.test(rawHeaders[i - (i % 2)]!));
}
