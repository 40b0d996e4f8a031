// The hub's sources over replicas, in memory: every request goes by the real way out (core/outbound) to a function. For tests in Node.
import type { CachedListing, ListingCache } from "../../../core/hub/source.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { createOutbound } from "../../../core/outbound/outbound.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import { createHubSources } from "../../../wiring/hub.ts";
import { createTestClock } from "../clock.ts";
import { createGithubReads } from "./github-read.ts";
import { createClawhub, createSkillsSh } from "./registries.ts";

export type Replica = (request: Request) => Response | Promise<Response>;

export interface WorldOptions {
  hub?: Partial<Settings["hub"]>;
  githubToken?: string;
}

export function createHubWorld({ hub, githubToken = undefined }: WorldOptions = {}) {
  const clock = createTestClock();
  const github = createGithubReads();
  const skillsSh = createSkillsSh();
  const clawhub = createClawhub();
  /** By origin. */
  const hosts = new Map<string, Replica>([
    ["https://api.github.com", github.api],
    ["https://raw.githubusercontent.com", github.raw],
    ["https://skills.sh", skillsSh.handle],
    ["https://clawhub.ai", clawhub.handle],
  ]);
  const requests: Request[] = [];
  const settings = { hub: { ...DEFAULTS.hub, trusted: [], ...hub } };
  const bases = [settings.hub.github, settings.hub.skillsSh, settings.hub.clawhub].flatMap(
    ({ apiBase }) => apiBase ?? [],
  );
  const outbound = createOutbound({
    clock,
    policy: { ports: [], allow: [], configured: bases.map((base) => new URL(base).origin) },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      requests.push(request);
      const replica = hosts.get(new URL(request.url).origin);
      if (!replica) throw new TypeError("fetch failed");
      return replica(request);
    },
  });
  const listings = new Map<string, CachedListing>();
  const cache: ListingCache = {
    get: async (place) => listings.get(place) ?? null,
    put: async (place, listing) => void listings.set(place, listing),
  };
  const sources = createHubSources({ outbound, clock, cache, settings, githubToken: githubToken ?? null });
  return { clock, github, skillsSh, clawhub, hosts, requests, listings, sources, signal: new AbortController().signal };
}

/** A site of fixed answers, by path. */
export function createSite(pages: Record<string, BodyInit | (() => Response)>): Replica {
  return (request) => {
    const page = pages[new URL(request.url).pathname];
    if (page === undefined) return new Response("Not found", { status: 404 });
    return typeof page === "function" ? page() : new Response(page);
  };
}

export function skillMd(name: string, description = `Does what ${name} says.`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nDo it.\n`;
}
