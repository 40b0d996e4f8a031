// What a curation's work may spend: the policy's or the operator's figures, shared out, within the day's budget. Called by work.ts
// and run-work.ts, and by the Account, which sets the day's allowance aside. Pure.
import { DAY_MS } from "../../../schemas/ids.ts";
import type { Policy } from "../../../schemas/learning/curation.ts";
import type { Grant } from "../../../schemas/learning/review.ts";
import type { Settings } from "../../../schemas/settings.ts";
import { toUsdMicros } from "../../../schemas/usage.ts";

/** The grant of a run, from the operator's settings. The curator applies a profile owner's own limits. */
export function defaultCurationGrant({ curation, review }: Settings, now: number): Grant {
  const usdMicros = toUsdMicros(curation.grantUsd);
  const expiresAt = now + review.keepDays * DAY_MS;
  return { tokens: curation.grantTokens, ...(usdMicros > 0 && { usdMicros }), expiresAt };
}

/** The grant of each piece of work: an equal share. It expires when work for a quiet profile is abandoned. */
export function shareOf(policy: Policy, settings: Settings, shares: number, now: number): Grant {
  const tokens = policy.grantTokens ?? settings.curation.grantTokens;
  const usdMicros = toUsdMicros(policy.grantUsd ?? settings.curation.grantUsd);
  const n = Math.max(1, shares);
  return {
    tokens: Math.floor(tokens / n),
    ...(usdMicros > 0 && { usdMicros: Math.max(1, Math.floor(usdMicros / n)) }),
    expiresAt: now + settings.review.keepDays * DAY_MS,
  };
}

/** Caps a share by the day's allowance. The allowance expires with the day; unfinished work then asks no model. */
export function capGrant(share: Grant, allowance: Grant | undefined, shares: number): Grant {
  if (!allowance) return share;
  const money = allowance.usdMicros === undefined ? Infinity : Math.floor(allowance.usdMicros / shares);
  const usdMicros = Math.min(share.usdMicros ?? Infinity, money);
  return {
    tokens: Math.min(share.tokens, Math.floor(allowance.tokens / shares)),
    ...(usdMicros < Infinity && { usdMicros }),
    expiresAt: Math.min(share.expiresAt, allowance.expiresAt),
  };
}
