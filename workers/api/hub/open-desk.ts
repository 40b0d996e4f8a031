// Opens what the work of the hub is done with, for the authenticated profile. Called by the routes under /v1/hub.
import type { Context } from "hono";
import type { HubDesk } from "../../../core/hub/desk.ts";
import { DAY_MS, dayOf } from "../../../core/schemas/ids.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { createHubLockStore } from "../../../stores/hub/lock-store.ts";
import { createHubQuarantine } from "../../../stores/hub/quarantine-store.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { runChecks } from "../../../wiring/checks.ts";
import { openHubSources } from "../../../wiring/hub.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { parseEnvSettings } from "../env.ts";
import { openBucket, openCuration, openSkills } from "../stores.ts";

/** [own] A person waits; a package of 500 files takes about half of it. */
const REQUEST_MS = 60_000;

export async function openDesk(c: Context<ApiEnv>): Promise<HubDesk> {
  const { profile } = c.var;
  const settings = parseEnvSettings(c.env);
  const place = { bucket: openBucket(c.env), profile, clock: systemClock };
  return {
    skills: openSkills(c.env, profile),
    lock: createHubLockStore({ ...place, random: Math.random }),
    quarantine: createHubQuarantine(place),
    sources: openHubSources({ env: c.env, settings, profile, githubToken: null }),
    trusted: settings.hub.trusted,
    seeds,
    clock: systemClock,
    run: runChecks,
    signal: AbortSignal.timeout(REQUEST_MS),
  };
}

/** What is kept for a day is swept, also of a profile that nobody uses again. */
export async function markSwept(c: Context<ApiEnv>): Promise<void> {
  await openCuration(c.env).markSweep(dayOf(Date.now() + 2 * DAY_MS), c.var.profile);
}
