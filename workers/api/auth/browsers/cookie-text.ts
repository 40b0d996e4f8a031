// The cookie of a sign-in as text: its name, its attributes, and how a request's cookies are read. Checks nothing.
import type { Context } from "hono";

/**
 * `__Host-`: a browser takes such a cookie only from this very host, with `Secure` and `Path=/`, so no other host of the domain can put
 * its own in place. Over plain HTTP on this machine browsers refuse the prefix.
 */
const SECURE_NAME = "__Host-talaria";
const LOCAL_NAME = "talaria";
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export function nameSignInCookie(c: Context): string {
  return isLocal(c) ? LOCAL_NAME : SECURE_NAME;
}

/** `Set-Cookie`. `null`: the browser forgets the sign-in. */
export function writeSignInCookie(c: Context, token: string | null, maxAgeMs = 0): string {
  const seconds = token === null ? 0 : Math.max(0, Math.floor(maxAgeMs / 1_000));
  const secure = isLocal(c) ? "" : "; Secure";
  return `${nameSignInCookie(c)}=${token ?? ""}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Only a loopback address may do without TLS: behind a proxy this Worker sees `http` although the browser does not. */
function isLocal(c: Context): boolean {
  const { protocol, hostname } = new URL(c.req.url);
  return protocol === "http:" && LOOPBACK.test(hostname);
}

/**
 * Only spaces and tabs are dropped around a pair. A name that begins with another space, such as U+2000, is another name: browsers do not
 * hold the rules of `__Host-` to it, so a neighbouring host could put it in place.
 */
export function readCookies(c: Context, name: string): string[] {
  const pairs = (c.req.header("cookie") ?? "")
    .split(";")
    .map((pair) => pair.replace(/^[ \t]+/, "").split(/[ \t]/, 1)[0]!);
  return pairs.flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
}
