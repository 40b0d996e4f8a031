// Opens what the work of the hub is done with, for the authenticated profile. Called by the routes under /v1/hub.
import type { Context } from "hono";
import { GITHUB_ACCESS, githubApi, openAccess } from "../../../core/hub/access.ts";
import type { HubDesk } from "../../../core/hub/desk.ts";
import type { Tap } from "../../../core/hub/finding/search.ts";
import { DAY_MS, dayOf } from "../../../core/schemas/ids.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { runChecks } from "../../../wiring/checks.ts";
import { openHubSources } from "../../../wiring/hub.ts";
import { openLibrarySource } from "../../../wiring/library.ts";
import { openSealer } from "../../../wiring/sealing.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { parseEnvSettings } from "../env.ts";
import { readSections } from "./taps.ts";
import { openCuration, openHubLock, openHubQuarantine, openSkills } from "../stores.ts";

/** [own] A person waits; a package of 500 files takes about half of it. */
const REQUEST_MS = 60_000;

/** Without sources: nothing is asked. */
export function openDesk(c: Context<ApiEnv>): HubDesk {
  const { profile } = c.var;
  return {
    skills: openSkills(c.env, profile),
    lock: openHubLock(c.env, profile),
    quarantine: openHubQuarantine(c.env, profile),
    sources: {},
    trusted: parseEnvSettings(c.env).hub.trusted,
    seeds,
    clock: systemClock,
    run: runChecks,
    signal: AbortSignal.timeout(REQUEST_MS),
  };
}

/** With all sources, and the profile's taps and token. */
export async function openReachingDesk(c: Context<ApiEnv>): Promise<HubDesk & { taps: Tap[] }> {
  const { profile } = c.var;
  const settings = parseEnvSettings(c.env);
  const { hubTaps, hubAccess } = await readSections(c.env, profile);
  const access = hubAccess[GITHUB_ACCESS];
  const token = access && (await openAccess(openSealer(c.env, profile), access, githubApi(settings)));
  // A token that cannot be opened, or is for another server, is not sent: what is public can be read without.
  const githubToken = token?.ok ? token.value : null;
  const taps = Object.entries(hubTaps).map(([tap, { source, identifier }]) => ({ tap, source, identifier }));
  const library = openLibrarySource({ env: c.env, settings, profile });
  const sources = { ...openHubSources({ env: c.env, settings, profile, githubToken }), library };
  return { ...openDesk(c), sources, taps };
}

/** What is kept for a day is swept, also of a profile that nobody uses again. */
export async function markSwept(c: Context<ApiEnv>): Promise<void> {
  await openCuration(c.env).markSweep(dayOf(Date.now() + 2 * DAY_MS), c.var.profile);
}
