// The HTTP server of the exec host: token, Host and Origin first, then the body within its limit, then the route. Answers JSON only;
// a failure is `{"code", "message"}`, never a stack. Started by main.ts.
import { createHash, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { Fields } from "./fields.ts";
import { LIMITS } from "./limits.ts";
import { PROBLEMS, Problem } from "./problem.ts";
import { type Machine, findRoute } from "./routes.ts";

export interface ServerOptions {
  token: string;
  /** Names, beside those of loopback, that a Host header may have. */
  hosts: string[];
  /** Receives errors that are bugs. */
  report(error: unknown): void;
}

const HEADERS = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

const BAD_REQUEST = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n";
/** How often timeouts of headers and requests are checked. Node's own 30 s would triple them. */
const CHECK_MS = 2_000;

export function createExecServer(machine: Machine, options: ServerOptions): Server {
  const server = createServer({ connectionsCheckingInterval: CHECK_MS }, (incoming, outgoing) => {
    handle(machine, options, incoming)
      .then((answer) => send(outgoing, 200, answer))
      .catch((error: unknown) => {
        const problem = toProblem(error, options);
        // The body may be unread, so the connection cannot be used again.
        outgoing.setHeader("connection", "close");
        send(outgoing, PROBLEMS[problem.code], { code: problem.code, message: problem.message, ...problem.facts });
      });
  });
  server.maxConnections = LIMITS.connections;
  server.requestTimeout = 60_000;
  server.headersTimeout = 5_000;
  // Destroyed after the reply: a client that keeps its half of the connection open would hold one of the few there are.
  server.on("clientError", (_error, socket) => {
    if (socket.writable) socket.end(BAD_REQUEST, () => socket.destroy());
    else socket.destroy();
  });
  return server;
}

async function handle(machine: Machine, options: ServerOptions, incoming: IncomingMessage): Promise<unknown> {
  checkAccess(incoming, options);
  const url = URL.parse(incoming.url ?? "", "http://exec-host");
  if (!url || !incoming.url?.startsWith("/")) throw new Problem("request_malformed", "The request has no path.");
  const { handler, op } = findRoute(incoming.method ?? "", url.pathname);
  const body = incoming.method === "POST" ? Object.entries(await readBody(incoming)) : url.searchParams;
  return handler(machine, new Fields(body), op);
}

/** A browser's page never gets here: it names its site in `Host` (DNS rebinding) or in `Origin`, and it has no token. */
function checkAccess({ headers, rawHeaders }: IncomingMessage, { token, hosts }: ServerOptions): void {
  const named = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
  const host = URL.parse(`http://${headers.host}`)?.hostname ?? "";
  if (named.length !== 1 || !(isLoopback(host) || hosts.includes(host))) {
    throw new Problem("host_refused", "This Host is not served here. Set TALARIA_EXEC_HOST to the name of this host.");
  }
  if (headers.origin !== undefined) throw new Problem("origin_refused", "Browsers are not served here.");
  if (!equals(headers.authorization ?? "", `Bearer ${token}`)) {
    throw new Problem("unauthorized", "The bearer token is missing or wrong.");
  }
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/.test(hostname);
}

/** In constant time, whatever the lengths are. */
function equals(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

async function readBody(incoming: IncomingMessage): Promise<object> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > LIMITS.bodyBytes)
      throw new Problem("body_too_large", `A body may have at most ${LIMITS.bodyBytes} bytes.`);
    pieces.push(piece);
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(Buffer.concat(pieces));
    const body: unknown = text === "" ? {} : JSON.parse(text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  } catch {
    // not UTF-8, or not JSON
  }
  throw new Problem("request_malformed", "The body must be one JSON object.");
}

function toProblem(error: unknown, { report }: ServerOptions): Problem {
  if (error instanceof Problem) return error;
  if ((error as NodeJS.ErrnoException).code !== "ECONNRESET") report(error);
  return new Problem("internal", "The exec host failed. Its log says why.");
}

function send(outgoing: ServerResponse, status: number, answer: unknown): void {
  if (outgoing.destroyed) return;
  const text = JSON.stringify(answer);
  outgoing.writeHead(status, { ...HEADERS, "content-length": Buffer.byteLength(text) });
  outgoing.end(text);
}
