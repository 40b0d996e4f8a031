// What the client package throws, as a failure that is safe to show. Called by connection.ts. Texts of servers and addresses stay out of
// messages: a server's own words go into `said`.
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import type { McpFailure } from "../../core/mcp/ports.ts";
import { OutboundError } from "../../core/outbound/outbound.ts";
import { TOO_LARGE_CODE } from "./guard-messages.ts";
import { LOST_CODE } from "./transports.ts";

const MAX_SAID_CHARS = 4_000;

export function toFailure(
  thrown: unknown,
  { isConnecting, signal }: { isConnecting: boolean; signal: AbortSignal },
): McpFailure {
  const sent = isConnecting ? {} : { sent: true as const };
  const chain = toCauses(thrown);
  const refused = chain.find((error) => error instanceof OutboundError);
  if (refused instanceof OutboundError && refused.code === "url_refused") {
    return { code: "url_refused", message: refused.message };
  }
  if (refused instanceof OutboundError && refused.code === "reply_too_large") return { ...TOO_LARGE, ...sent };
  if (signal.aborted) return { code: "aborted", message: "The request was called off.", ...sent };
  if (chain.some((error) => UnauthorizedError.isInstance(error))) return UNAUTHORIZED;
  const status = statusOf(chain);
  if (status === 401 || status === 403) return UNAUTHORIZED;
  if (status === 404 && !isConnecting) return GONE;
  if (status !== null) {
    const message = `The server answered with HTTP status ${status}.`;
    return { code: "mcp_unreachable", message, facts: { status }, ...(status >= 500 && sent) };
  }
  if (chain.some(isTimeout)) return { code: "mcp_timed_out", message: "The server did not answer in time.", ...sent };
  const answered = chain.find((error) => ProtocolError.isInstance(error));
  if (answered instanceof Error && ProtocolError.isInstance(answered)) {
    if (answered.code === LOST_CODE) return { ...LOST, ...sent };
    if (answered.code === TOO_LARGE_CODE) return { ...TOO_LARGE, ...sent };
    const said = answered.message.slice(0, MAX_SAID_CHARS);
    return { code: "mcp_refused", message: "The server refused the request.", said };
  }
  if (chain.some((error) => SdkError.isInstance(error) && GARBLED_CODES.has(error.code)))
    return { ...GARBLED, ...sent };
  return isConnecting ? UNREACHABLE : { ...LOST, sent: true };
}

/** Whether the older transport is worth a try: the server is there and does not know this one. */
export function isWrongTransport({ code, facts }: McpFailure): boolean {
  return code === "mcp_unreachable" && WRONG_STATUSES.has(Number(facts?.status));
}

const WRONG_STATUSES = new Set([400, 404, 405, 406, 415, 501]);
const GARBLED_CODES = new Set<string>([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.ClientHttpUnexpectedContent,
  SdkErrorCode.ListPaginationExceeded,
]);

const UNREACHABLE: McpFailure = { code: "mcp_unreachable", message: "The server cannot be reached." };
const UNAUTHORIZED: McpFailure = {
  code: "mcp_unauthorized",
  message: "The server does not accept this profile's access.",
};
const GONE: McpFailure = { code: "mcp_session_gone", message: "The server has forgotten the connection." };
const LOST: McpFailure = { code: "mcp_lost", message: "The connection to the server broke before it answered." };
const TOO_LARGE: McpFailure = {
  code: "mcp_answer_too_large",
  message: "The server's answer was too large, so it was cut off.",
};
const GARBLED: McpFailure = {
  code: "mcp_garbled",
  message: "The server's answer is not of the form that the protocol asks for.",
};

function isTimeout(error: unknown): boolean {
  if (SdkError.isInstance(error)) return error.code === SdkErrorCode.RequestTimeout;
  return error instanceof Error && error.name === "TimeoutError";
}

/** From the package's own errors, or from the text of those of the older transport. */
function statusOf(chain: unknown[]): number | null {
  for (const error of chain) {
    if (SdkHttpError.isInstance(error)) return error.status;
    const found = error instanceof Error ? /\(HTTP (\d{3})\)|status code \((\d{3})\)/.exec(error.message) : null;
    if (found) return Number(found[1] ?? found[2]);
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (typeof code === "number" && code >= 400 && code < 600) return code;
  }
  return null;
}

function toCauses(thrown: unknown): unknown[] {
  const chain = [thrown];
  for (
    let error = thrown;
    error instanceof Error && error.cause !== undefined && chain.length < 8;
    error = error.cause
  ) {
    chain.push(error.cause);
  }
  return chain;
}
