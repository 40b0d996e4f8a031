// The way out of a platform: requests by the URL policy, with limits of time and size. The operator's other server of a platform is excepted
// from the policy. Used by open-channel.ts.
import type { PlatformDeps } from "../../core/channels/platform.ts";
import { ok } from "../../core/errors.ts";
import type { Outbound } from "../../core/outbound/outbound.ts";

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 4 * 1024 * 1024;

export function createOutboundRequest(outbound: Outbound, apiBase: string | null): PlatformDeps["request"] {
  const own = apiBase === null ? null : URL.parse(apiBase)?.origin;
  return async (url, { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, ...request } = {}) => {
    // Platforms name further addresses of their server, for files.
    const isOwn = own !== null && own !== undefined && URL.parse(url)?.origin === own;
    const reply = await outbound.request(url, {
      ...request,
      ...{ timeoutMs, maxBytes, signal: new AbortController().signal },
      ...(isOwn && { configured: true as const }),
    });
    return reply.ok
      ? ok({ status: reply.value.status, headers: reply.value.headers, bytes: reply.value.bytes })
      : reply;
  };
}
