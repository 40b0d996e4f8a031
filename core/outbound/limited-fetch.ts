// A fetch for addresses that a profile names and whose replies are streamed: MCP servers and their OAuth servers. Each hop is judged by the
// URL policy, and no reply may be larger than a limit. Created by outbound.ts.
import type { Result } from "../errors.ts";
import type { Fetch } from "../ports.ts";
import { discardBody } from "./read-reply.ts";
import { type JudgedReply, type SentRequest, sendJudged } from "./redirects.ts";
import type { OutboundPolicy } from "./judge-url.ts";

interface LimitedFetchDeps {
  fetch: Fetch;
  policy: OutboundPolicy;
  /** What a failure becomes. */
  toError(failure: Extract<Result<never>, { ok: false }>["failure"]): Error;
}

/** `maxBytes`: of one reply, decoded. A redirect is the reply: the caller follows it or not. */
export function createLimitedFetch({ fetch, policy, toError }: LimitedFetchDeps, maxBytes: number): Fetch {
  return async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const given = input instanceof Request ? input : null;
    const sent: SentRequest = {
      method: (init.method ?? given?.method ?? "GET").toUpperCase(),
      headers: new Headers(init.headers ?? given?.headers),
      body: init.body ?? given?.body,
      signal: init.signal ?? given?.signal,
      maxRedirects: 0,
    };
    const reply = await sendJudged(given?.url ?? String(input), sent, { fetch, policy, isConfigured: false });
    if (!reply.ok) throw toError(reply.failure);
    return limitBody(reply.value, maxBytes, toError);
  };
}

function limitBody({ response }: JudgedReply, maxBytes: number, toError: LimitedFetchDeps["toError"]): Response {
  if (!response.body) return response;
  const tooLarge = () =>
    toError({ code: "reply_too_large", message: `The reply is larger than ${maxBytes} bytes.`, facts: { maxBytes } });
  if (Number(response.headers.get("content-length")) > maxBytes) {
    discardBody(response);
    throw tooLarge();
  }
  let bytes = 0;
  const limited = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.byteLength;
        if (bytes > maxBytes) controller.error(tooLarge());
        else controller.enqueue(piece);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(limited, { status, statusText, headers });
}
