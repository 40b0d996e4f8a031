// What follows from a failed attempt: when it is tried again, or that it is given up. Pure.
import type { Failure } from "../../errors.ts";
import { DAY_MS } from "../../schemas/ids.ts";
import type { DeliveryRow } from "./delivery-row.ts";

/** [hermes] Attempts that the platform may have read. */
export const MAX_ATTEMPTS = 3;
/** [hermes] Older words are not sent any more. */
export const FRESH_MS = DAY_MS;
/** [own] Before the second and the third attempt. */
const WAITS_MS = [5_000, 2 * 60_000];
/** [own] While a platform cannot be reached at all, or refuses the channel's token: an attempt that it never read does not count. */
const BASE_WAIT_MS = 5_000;
const MAX_WAIT_MS = 15 * 60_000;
/** [own] Longer demands are cut: the next attempt asks again. */
const MAX_RATE_WAIT_MS = 60 * 60_000;

export type Judgement =
  /** Tried again after `ms`. `counts`: it was one of the three attempts. `maybeSent`: it may have arrived. */
  | { next: "retry"; ms: number; counts: boolean; maybeSent: boolean }
  /** Until the person writes. */
  | { next: "hold" }
  /** It is not tried again. */
  | { next: "fail" };

/** `attempts`: counted ones before this. `misses`: attempts before this in a row that did not count. */
export function judgeFailure(
  { code, facts }: Failure,
  { attempts, misses }: Pick<DeliveryRow, "attempts"> & { misses: number },
): Judgement {
  const maybeSent = facts?.maybeSent === true;
  switch (code) {
    case "channel_rate_limited":
      return { next: "retry", ms: readWait(facts?.retryAfterMs), counts: false, maybeSent };
    case "channel_unreachable":
      if (!maybeSent) return { next: "retry", ms: backOff(misses), counts: false, maybeSent };
      return countAttempt(attempts, maybeSent);
    case "channel_unavailable":
      return countAttempt(attempts, maybeSent);
    case "channel_auth_failed":
      return { next: "retry", ms: MAX_WAIT_MS, counts: false, maybeSent: false };
    case "channel_window_closed":
      return { next: "hold" };
    default:
      return { next: "fail" };
  }
}

function countAttempt(attempts: number, maybeSent: boolean): Judgement {
  const ms = WAITS_MS[attempts];
  return attempts + 1 < MAX_ATTEMPTS && ms !== undefined
    ? { next: "retry", ms, counts: true, maybeSent }
    : { next: "fail" };
}

export function backOff(misses: number): number {
  return Math.min(BASE_WAIT_MS * 2 ** misses, MAX_WAIT_MS);
}

function readWait(asked: unknown): number {
  const ms = typeof asked === "number" && Number.isFinite(asked) ? asked : BASE_WAIT_MS;
  return Math.min(Math.max(ms, 1_000), MAX_RATE_WAIT_MS);
}
