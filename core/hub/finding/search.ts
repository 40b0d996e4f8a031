// A search over several sources and taps at once: the hits of those that answer, and why the others did not. Called by the routes of the hub.
import { type Failure, assert, ok } from "../../errors.ts";
import { MAX_CONNECTIONS, mapLimit } from "../../map-limit.ts";
import type { HubRef } from "../../schemas/hub/lock.ts";
import type { TapInfo } from "../../schemas/hub/taps.ts";
import { formatRef } from "./identifier.ts";
import { scoreHit, wordsOf } from "./rank.ts";
import type { HubHit, HubSource, HubSources, OuterSourceName } from "../source.ts";

/** A tap of a profile, as `TapInfo` of core/schemas/hub/taps.ts. */
export type Tap = Pick<TapInfo, "tap" | "source" | "identifier">;

export interface HubSearch {
  /** Best first. */
  hits: (HubHit & { /** The name of the tap that has it. */ tap?: string })[];
  /** `from`: the name of a source, or `tap:<name>`. */
  failures: { from: string; failure: Failure }[];
}

export interface SearchOptions {
  query: string;
  /** Absent: all that are given. */
  only?: OuterSourceName;
  taps: readonly Tap[];
  limit: number;
  signal: AbortSignal;
}

/** [own] A slower source is reported as unreachable, beside the hits of the others. */
const SEARCH_MS = 15_000;

/** Never rejects because a source fails. Sources that are not given are not asked: the library of the deployment is searched elsewhere. */
export async function searchHub(sources: Partial<HubSources>, options: SearchOptions): Promise<HubSearch> {
  const { query, only, taps, limit } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(SEARCH_MS)]);
  const isAsked = (name: OuterSourceName) => only === undefined || only === name;
  const searches = Object.values(sources)
    .filter((source) => isAsked(source.name as OuterSourceName))
    .map((source) => ({ from: source.name, tap: undefined, search: () => source.search(query, { limit, signal }) }));
  const lists = taps
    .filter(({ source }) => isAsked(source) && sources[source]?.list)
    .map(({ tap, source, identifier }) => ({
      from: `tap:${tap}`,
      tap,
      search: () => listOf(sources[source])(identifier, signal),
    }));
  // A list has up to four megabytes, and a profile fifty taps: few at once, and of each what may be shown.
  const answers = await mapLimit([...searches, ...lists], MAX_CONNECTIONS, async ({ from, tap, search }) => {
    const result = await search();
    return { from, tap, result: result.ok && tap !== undefined ? ok(keepBest(result.value, query, limit)) : result };
  });
  const found = answers.flatMap(({ tap, result }) => (result.ok ? result.value.map((hit) => ({ hit, tap })) : []));
  return {
    hits: rank(found, query).slice(0, limit),
    failures: answers.flatMap(({ from, result }) => (result.ok ? [] : [{ from, failure: result.failure }])),
  };
}

/** A tap lists everything that it has; a registry answers what fits. */
function keepBest(hits: HubHit[], query: string, limit: number): HubHit[] {
  const words = wordsOf(query);
  const scored = hits.map((hit) => ({ hit, score: scoreHit(hit, words) }));
  const fitting = words.length > 0 ? scored.filter(({ score }) => score > 0) : scored;
  return fitting
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ hit }) => hit);
}

function listOf(source: HubSource | undefined): NonNullable<HubSource["list"]> {
  assert(source?.list, "a tap is of a source that has lists");
  return source.list;
}

/** Whatever a registry found by meaning stays, after what has the words. A skill that several answered is one hit, with the most that is known. */
function rank(found: readonly { hit: HubHit; tap: string | undefined }[], query: string): HubSearch["hits"] {
  const words = wordsOf(query);
  const byRef = new Map<string, { score: number; hit: HubSearch["hits"][number] }>();
  for (const { hit, tap } of found) {
    const score = scoreHit(hit, words);
    const key = keyOf(hit.ref);
    const known = byRef.get(key);
    const merged = known ? { ...hit, ...known.hit, description: known.hit.description || hit.description } : hit;
    byRef.set(key, { score: Math.max(score, known?.score ?? 0), hit: tap === undefined ? merged : { ...merged, tap } });
  }
  return [...byRef.values()].sort((a, b) => b.score - a.score || compareHits(a.hit, b.hit)).map(({ hit }) => hit);
}

/** What a tap has comes first, then what is installed most. */
function compareHits(a: HubSearch["hits"][number], b: HubSearch["hits"][number]): number {
  return Number(b.tap !== undefined) - Number(a.tap !== undefined) || (b.installs ?? 0) - (a.installs ?? 0);
}

/** GitHub's names of owners and repositories are the same in either case. */
function keyOf(ref: HubRef): string {
  return ref.source === "github" || ref.source === "skills-sh" ? formatRef(ref).toLowerCase() : formatRef(ref);
}
