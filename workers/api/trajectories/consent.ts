// Whether a profile lets its conversations leave as data to train on. Kept in its settings; asked at every page of an export.
import { type Result, err, ok } from "../../../core/errors.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { ProfileSettings } from "../../../core/schemas/profile/settings.ts";
import type { StoredTrajectoryConsent, TrajectoryConsent } from "../../../core/schemas/trajectories.ts";
import type { Env } from "../env.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const CONSENT_KEY = "consent";
const SALT_BYTES = 32;

export async function readConsent(env: Env, profile: ProfileId): Promise<StoredTrajectoryConsent | null> {
  const { sections } = (await openAccount(env, profile).readSettings()) as ProfileSettings;
  return sections.trajectories[CONSENT_KEY] ?? null;
}

/** The salt of a profile that has consented. Failure: `trajectories_not_allowed`. */
export async function assertConsent(env: Env, profile: ProfileId): Promise<Result<string>> {
  const consent = await readConsent(env, profile);
  if (consent?.allowed && consent.salt) return ok(consent.salt);
  return err(
    "trajectories_not_allowed",
    "This profile has not agreed that its conversations are used to train models. `talaria trajectories consent on` or PUT /v1/trajectories/consent allows it, with an admin key.",
  );
}

/** Consent that is given again keeps its salt, so that names stay the same; withdrawn, it goes. */
export function toStoredConsent(
  before: StoredTrajectoryConsent | null,
  given: { allowed: boolean; by: string; now: number },
): StoredTrajectoryConsent {
  const changed = { v: 1 as const, allowed: given.allowed, changedAt: given.now, changedBy: given.by };
  if (!given.allowed) return changed;
  if (before?.allowed) return before;
  const random = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  return { ...changed, salt: Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

export function presentConsent(consent: StoredTrajectoryConsent | null): TrajectoryConsent {
  if (!consent) return { allowed: false };
  const { allowed, changedAt, changedBy } = consent;
  return { allowed, changedAt, changedBy };
}
