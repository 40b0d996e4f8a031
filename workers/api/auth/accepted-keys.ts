// Keys that this isolate has accepted, for half a minute each. Refusals are not cached, so a new key works at once.
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { Principal } from "./principal.ts";

/** How long a revoked key may still work, and old settings be in force, in an isolate that has accepted the key. */
export const KEEP_ACCEPTED_MS = 30_000;
/** Keys kept in memory by one isolate. */
const MAX_ACCEPTED = 1_000;

export const acceptedKeys = createAcceptedKeys(KEEP_ACCEPTED_MS, MAX_ACCEPTED);

/**
 * Called after a key was revoked or the profile's settings changed, so that at least this isolate refuses the key or knows the
 * new settings at once.
 */
export function forgetAcceptedKeys(profile: ProfileId): void {
  acceptedKeys.forget(profile);
}

export function createAcceptedKeys(keepMs: number, max: number) {
  const accepted = new Map<string, { principal: Principal; until: number }>();
  return {
    /** `end`: when the credential expires; `null`: never. */
    add(key: string, principal: Principal, now: number, end: number | null): void {
      const oldest = accepted.keys().next();
      if (accepted.size >= max && !oldest.done) accepted.delete(oldest.value);
      accepted.set(key, { principal, until: Math.min(now + keepMs, end ?? Infinity) });
    },
    get(key: string, now: number): Principal | null {
      const entry = accepted.get(key);
      return entry && entry.until > now ? entry.principal : null;
    },
    forget(profile: ProfileId): void {
      for (const [key, { principal }] of accepted) if (principal.profile === profile) accepted.delete(key);
    },
  };
}
