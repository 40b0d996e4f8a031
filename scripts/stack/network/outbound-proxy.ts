// The local stack's way out: a forward proxy on a private Unix socket, for all requests of the three Workers. It resolves names, checks
// every address by the product's URL policy, and connects to the addresses it checked: a Worker cannot resolve a name, and locally its
// fetch would reach this machine and its network. Started by host.ts. Reads no body and follows no redirect.
import { lookup as resolveName } from "node:dns/promises";
import {
  Agent as HttpAgent,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  request as sendHttp,
} from "node:http";
import { Agent as HttpsAgent, request as sendHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { pipeline } from "node:stream";
import { findSpecialRange } from "../../../core/outbound/addresses.ts";
import { type OutboundPolicy, judgeUrl } from "../../../core/outbound/judge-url.ts";
import { PROXY_FAILURE } from "../../../core/outbound/redirects.ts";

export interface OutboundProxyOptions {
  policy: OutboundPolicy;
  /** Refuses every request. Default: the policy decides. */
  isOffline?: boolean;
  /** Unix sockets of this machine, by the origin that the Workers call. */
  sockets?: Record<string, string>;
  /** Default: the system's resolver. */
  resolve?: (hostname: string) => Promise<ResolvedAddress[]>;
  /** The addresses of this machine. Default: those of its network interfaces. */
  listOwn?: () => string[];
  /** Default: `findSpecialRange`. A test has only loopback addresses, and calls one of them public. */
  findRange?: typeof findSpecialRange;
}

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Thrown instead of a connection to an address that the policy refuses. */
class AddressRefused extends Error {}

/** Hop-by-hop headers (RFC 9110), and those by which this proxy and Miniflare talk. */
const NOT_PASSED =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|host|mf-.*|talaria-outbound-.*)$/i;
/** Many servers close an idle connection after 5 s, and a request that meets the close is lost. */
const IDLE_MS = 4_000;
/** workerd must be the one that closes an idle connection to this proxy, which it does after 5 s. */
const WORKERD_IDLE_MS = 60_000;
/** How long one of several addresses may take before the next is tried as well. Node's 250 ms is too short for a far server. */
const NEXT_ADDRESS_MS = 2_000;
const MAX_HEADER_BYTES = 64 << 10;

/** A server for absolute-form requests, to be bound to a Unix socket. A refusal is a reply with the header `PROXY_FAILURE`. */
export function createOutboundProxy(options: OutboundProxyOptions): Server {
  const {
    policy,
    isOffline = false,
    sockets = {},
    resolve = resolveAll,
    listOwn = listOwnAddresses,
    findRange = findSpecialRange,
  } = options;
  const named = new Set([...policy.allow, ...policy.configured]);
  const timing = { keepAlive: true, timeout: IDLE_MS, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS };
  const checked = { ...timing, lookup: toCheckedLookup(resolve, isRefused) };
  const agents = {
    checked: { "http:": new HttpAgent(checked), "https:": new HttpsAgent(checked) },
    // A local server that closes idle connections sooner gets a new one each time: that costs little on one machine.
    named: { "http:": new HttpAgent({ ...timing, maxFreeSockets: 0 }), "https:": new HttpsAgent(timing) },
  };

  function isRefused(address: string): boolean {
    return findRange(address) !== null || listOwn().map(toHost).includes(toHost(address));
  }

  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const url = URL.parse(incoming.url ?? "");
    if (!url || !/^https?:$/.test(url.protocol)) return fail(outgoing, 400, "url_refused");
    const isNamed = named.has(url.origin);
    // An address as host is never looked up.
    const isAddress = findSpecialRange(url.hostname) !== undefined;
    if (isOffline || (!isNamed && (!judgeUrl(url.href, policy).ok || (isAddress && isRefused(url.hostname))))) {
      return fail(outgoing, 403, "url_refused");
    }
    const protocol = url.protocol as "http:" | "https:";
    const send = protocol === "https:" ? sendHttps : sendHttp;
    const sent = send(url.href, {
      method: incoming.method,
      socketPath: sockets[url.origin],
      headers: [...listPassed(incoming.rawHeaders), "host", url.host],
      agent: agents[isNamed ? "named" : "checked"][protocol],
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    sent.on("response", (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.statusMessage, listPassed(reply.rawHeaders));
      outgoing.flushHeaders(); // the first event of a stream may come much later
      pipeline(reply, outgoing, () => undefined); // either side may break off; the other is then closed
    });
    sent.on("error", (error) => {
      if (outgoing.headersSent) outgoing.destroy();
      else if (error instanceof AddressRefused) fail(outgoing, 403, "url_refused");
      else fail(outgoing, 502, "unreachable");
    });
    outgoing.on("close", () => sent.destroy());
    incoming.on("error", () => sent.destroy());
    sent.flushHeaders(); // the first piece of a body may come later
    incoming.pipe(sent);
  }

  const server = createServer(
    { keepAliveTimeout: WORKERD_IDLE_MS, maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false },
    pass,
  );
  // A WebSocket or a tunnel would need the same checks. No Worker opens one.
  for (const event of ["upgrade", "connect"]) {
    server.on(event, (_incoming, socket) => {
      socket.on("error", () => socket.destroy());
      socket.end(`HTTP/1.1 501 Not Implemented\r\n${PROXY_FAILURE}: unreachable\r\nconnection: close\r\n\r\n`);
    });
  }
  return server;
}

/**
 * Runs when a connection is opened. The connection then uses these very addresses, so a name that resolves to others a moment later
 * changes nothing. One address inside is enough to refuse the name.
 */
function toCheckedLookup(
  resolve: (hostname: string) => Promise<ResolvedAddress[]>,
  isRefused: (address: string) => boolean,
): LookupFunction {
  return (hostname, { all }, done) => {
    resolve(hostname)
      .then((addresses) => {
        const [first] = addresses;
        if (!first) throw new Error("the name has no address");
        if (addresses.some(({ address }) => isRefused(address))) throw new AddressRefused();
        return { addresses, first };
      })
      .then(
        ({ addresses, first }) => (all ? done(null, addresses) : done(null, first.address, first.family)),
        (error: Error) => done(error, "", 4),
      );
  };
}

function resolveAll(hostname: string): Promise<ResolvedAddress[]> {
  return resolveName(hostname, { all: true });
}

function listOwnAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []);
}

/** One spelling for each address. A zone is dropped: it names an interface of this machine. */
function toHost(address: string): string {
  const bare = address.replace(/^\[|\]$/g, "").split("%", 1)[0]!;
  return URL.parse(`http://${bare.includes(":") ? `[${bare}]` : bare}/`)?.hostname ?? address;
}

function listPassed(rawHeaders: string[]): string[] {
  return rawHeaders.filter((_, i) => !NOT_PASSED.test(rawHeaders[i - (i % 2)]!));
}

function fail(outgoing: ServerResponse, status: number, code: "url_refused" | "unreachable"): void {
  outgoing.writeHead(status, { [PROXY_FAILURE]: code }).end();
}
