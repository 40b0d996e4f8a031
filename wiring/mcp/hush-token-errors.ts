// Keeps a token server's words out of the log: the client package logs why a token was refused, and that reply may repeat a code or a token.
// Used around every fetch that the package gets.
type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Replaces the body of a refused token request by its error code alone. */
export function hushTokenErrors(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const type = new Headers(init?.headers).get("content-type") ?? "";
    if (response.ok || !type.startsWith("application/x-www-form-urlencoded")) return response;
    const error = readCode(await response.text());
    return Response.json({ error }, { status: response.status });
  };
}

function readCode(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === "string" && CODES.has(error) ? error : "server_error";
  } catch {
    return "server_error"; // not JSON
  }
}

/** RFC 6749, section 5.2. */
const CODES = new Set([
  ...["invalid_request", "invalid_client", "invalid_grant"],
  ...["unauthorized_client", "unsupported_grant_type", "invalid_scope"],
]);
