// Opens the sources of the hub that reach out. Called by workers/api/hub. The library of this deployment is opened elsewhere.
import type { HubSources } from "../core/hub/source.ts";
import { createClawhubSource } from "../core/hub/sources/clawhub.ts";
import { createGithubSource } from "../core/hub/sources/github/github.ts";
import { createSkillsShSource } from "../core/hub/sources/skills-sh.ts";
import { createUrlSource } from "../core/hub/sources/url.ts";
import { createWellKnownSource } from "../core/hub/sources/well-known.ts";
import type { Outbound } from "../core/outbound/outbound.ts";
import type { Clock } from "../core/ports.ts";
import type { ListingCache } from "../core/hub/source.ts";
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
  const cache = createListingCache({ bucket: openBucket(env.SKILLS), profile });
  return createHubSources({ outbound: openOutbound(env, settings), clock: systemClock, cache, settings, githubToken });
}

interface SourceDeps extends Pick<HubScope, "githubToken"> {
  outbound: Outbound;
  clock: Clock;
  cache: ListingCache;
  settings: Pick<Settings, "hub">;
}

/** The same over any way out, for tests. */
export function createHubSources({ outbound, clock, cache, settings, githubToken }: SourceDeps): HubSources {
  const { github: githubServer, skillsSh, clawhub, trusted, maxIndexBytes, cacheMs } = settings.hub;
  const deps = { outbound, clock, maxIndexBytes };
  const github = createGithubSource({
    ...{ ...deps, cache, cacheMs, token: githubToken },
    ...{ apiBase: toBase(githubServer.apiBase), repositories: trusted },
  });
  return {
    github,
    "skills-sh": createSkillsShSource({ ...deps, apiBase: toBase(skillsSh.apiBase) }),
    clawhub: createClawhubSource({ ...deps, apiBase: toBase(clawhub.apiBase), github }),
    "well-known": createWellKnownSource({ ...deps, cache, cacheMs }),
    url: createUrlSource(deps),
  };
}

function toBase(apiBase: string | undefined): string | null {
  return apiBase?.replace(/(?<!\/)\/+$/, "") ?? null;
}
