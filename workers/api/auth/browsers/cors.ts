// CORS by the operator's list of origins. A listed origin may send credentials and read every response, errors included; any other
// origin gets no CORS header at all. Never answers with `*`, and never reflects an origin that is not listed.
import type { Context, MiddlewareHandler } from "hono";
import { AppError, answerProblem } from "../../problems.ts";
import { listOrigins } from "./origins.ts";
import type { ApiEnv } from "../principal.ts";

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
/** [own] Seconds that a browser may keep a preflight. Chromium allows 7,200 at most; a shorter time lets a removed origin end soon. */
const MAX_AGE_SECONDS = 600;
/** What a page may read beside the headers that every page may. */
const EXPOSED = [
  ...["Retry-After", "talaria-turn", "X-Talaria-Session", "ETag", "Location", "Content-Disposition"],
  ...["WWW-Authenticate", "X-Request-Id", "Request-Id", "Mcp-Session-Id"],
].join(", ");
/** Names of headers, separated by commas, as a preflight lists them. */
const HEADER_NAMES = /^[\w\-, ]{1,2000}$/;

export const allowOrigins: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const listed = listOrigins(c.env);
  if (listed.length === 0) return next();
  const origin = c.req.header("origin");
  const isListed = origin !== undefined && listed.includes(origin);
  if (isPreflight(c)) {
    c.res = isListed ? answerPreflight(c, origin) : refusePreflight(c);
    return;
  }
  await next();
  // A WebSocket is not subject to CORS, and its response cannot be copied.
  if (c.res.status !== 101) replaceHeaders(c, isListed ? origin : null);
};

function isPreflight(c: Context): boolean {
  const { method } = c.req;
  return method === "OPTIONS" && c.req.header("access-control-request-method") !== undefined;
}

function answerPreflight(c: Context, origin: string): Response {
  const asked = c.req.header("access-control-request-headers") ?? "";
  const headers = new Headers({
    ...{ "access-control-allow-origin": origin, "access-control-allow-credentials": "true" },
    ...{ "access-control-allow-methods": METHODS, "access-control-max-age": String(MAX_AGE_SECONDS) },
    vary: "Origin, Access-Control-Request-Headers",
  });
  if (HEADER_NAMES.test(asked)) headers.set("access-control-allow-headers", asked);
  return new Response(null, { status: 204, headers });
}

function refusePreflight(c: Context): Response {
  const detail = "Pages of this origin may not use this API. Have the operator add it to `browsers.origins`.";
  const refused = answerProblem(new AppError("origin_refused", detail), c);
  refused.headers.append("vary", "Origin");
  return refused;
}

/** A response of a Durable Object has headers that cannot be changed. */
function replaceHeaders(c: Context, origin: string | null): void {
  const { body, status, headers: given } = c.res;
  const headers = new Headers(given);
  headers.append("vary", "Origin");
  if (origin !== null) {
    headers.set("access-control-allow-origin", origin);
    headers.set("access-control-allow-credentials", "true");
    headers.set("access-control-expose-headers", EXPOSED);
  }
  c.res = undefined;
  c.res = new Response(body, { status, headers });
}
