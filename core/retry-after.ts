// Reads how long a server asks its client to wait. Used for the replies of models, search services and web pages. Pure.

/** Longer waits are pointless. The limit also keeps an absurd number from becoming an invalid date. */
const MAX_WAIT_MS = 31 * 24 * 60 * 60_000;

/**
 * Reads `retry-after-ms` (OpenAI, Anthropic), else `Retry-After` in seconds or as a date. A date is compared with the reply's own
 * `Date` header, which needs no clock and tolerates a wrong one. Undefined for anything else.
 */
export function readRetryAfter(headers: Headers | undefined): number | undefined {
  const exact = headers?.get("retry-after-ms");
  if (exact && Number.isFinite(Number(exact))) return toWait(Number(exact));
  const value = headers?.get("retry-after")?.trim();
  if (!value) return undefined;
  if (Number.isFinite(Number(value))) return toWait(Number(value) * 1_000);
  const waitMs = Date.parse(value) - Date.parse(headers?.get("date") ?? "");
  return Number.isNaN(waitMs) ? undefined : toWait(waitMs);
}

/** Milliseconds within what is worth waiting for. */
export function toWait(ms: number): number {
  return Math.min(MAX_WAIT_MS, Math.max(0, Math.ceil(ms)));
}
