// A list of skills from the cache, or from the source when it is older than the operator allows. Called by sources/.
import { type Result, ok } from "../../../errors.ts";
import type { Clock } from "../../../ports.ts";
import type { HubHit, ListingCache } from "../../source.ts";

/** [own] Of one list. A search looks at each of them. */
const MAX_LISTED = 2_000;

interface ReadListing {
  hits: HubHit[];
  etag?: string;
}

/**
 * `ask` gets the ETag of the last answer, and says `unchanged` where the source does: such an answer costs nothing of GitHub's rate limit. A list
 * that the source did not give is not kept.
 */
export async function readListing(
  { cache, cacheMs, clock }: { cache: ListingCache; cacheMs: number; clock: Clock },
  place: string,
  ask: (etag?: string) => Promise<Result<ReadListing | "unchanged">>,
): Promise<Result<HubHit[]>> {
  const cached = await cache.get(place);
  const now = clock.now();
  if (cached && now >= cached.fetchedAt && now - cached.fetchedAt < cacheMs) return ok(cached.hits);
  const asked = await ask(cached?.etag);
  if (!asked.ok) return asked;
  const { hits: all, etag } =
    asked.value === "unchanged" ? { hits: cached?.hits ?? [], etag: cached?.etag } : asked.value;
  const hits = all.slice(0, MAX_LISTED);
  await cache.put(place, { v: 1, fetchedAt: now, hits, ...(etag !== undefined && { etag }) });
  return ok(hits);
}
