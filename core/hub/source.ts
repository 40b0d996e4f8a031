// What a source of skills can do. One file a source in sources/, made by wiring/hub.ts. A source only reads: what it returns has been neither
// scanned nor stored. Every request leaves through core/outbound.
import * as z from "zod";
import type { Result } from "../errors.ts";
import type { FileBodies } from "../schemas/file-body.ts";
import { HubRef, type HubSourceName } from "../schemas/hub/lock.ts";

export interface HubHit {
  ref: HubRef;
  name: string;
  description: string;
  /** As the source counts them. */
  installs?: number;
  /** What the source itself says of it: "suspicious". */
  warning?: string;
}

export interface HubVersion {
  /** As the source names it. Without a version in the ref: what can be asked for again, such as a commit. */
  version: string;
  /** The point that cannot change, if the source has one. */
  commit?: string;
  /**
   * Changes exactly when the skill's own files change: the SHA of a folder's tree, a digest, a fingerprint. A new `commit` with an equal
   * `content` is no update.
   */
  content?: string;
  /** `version` is a branch or the newest, which is expected to move on. Absent: a tag, a commit, a version number or a digest. */
  moves?: true;
  /**
   * A commit that was asked for by its number and is not known to be in the repository's own history: the repository's name vouches for nothing,
   * because GitHub answers commits of forks under it. Also of a repository that GitHub leads elsewhere.
   */
  offBranch?: true;
}

export interface HubPackage extends HubVersion {
  /** What the ref came to: with the folder that was found, for a repository or an index that has one skill. */
  ref: HubRef;
  /** The name of its folder; "" if there is none. */
  folder: string;
  /** By path below the skill's folder; with SKILL.md. Byte for byte. */
  files: FileBodies;
  /** For a person: what was left out, what the source says of it. */
  notes: string[];
}

/**
 * Failures of all calls: `hub_not_found` (the source answers that it is not there), `hub_unreachable`, `hub_rate_limited` (fact `retryAfterMs`),
 * `hub_forbidden` (the source wants a token, or refuses the given one), `hub_bad_reply`, `hub_too_large`, `hub_digest_mismatch`,
 * `hub_link_refused`, `hub_malicious` (the source itself says so), `bad_path`, `url_refused`, `hub_source_off`, `bad_hub_ref`, `bad_archive`,
 * `archive_too_large`, `too_many_files`; and `hub_choose`, of `look` and `fetch`, where the ref names several skills (fact `skills`: at most
 * `MAX_CHOICES` of `{ source, name, description }`, `source` as `parseIdentifier` reads it; fact `count`: of all).
 */
export interface HubSource {
  name: HubSourceName;
  /** An empty list where the source cannot be searched. */
  search(query: string, options: { limit: number; signal: AbortSignal }): Promise<Result<HubHit[]>>;
  /** All skills of a repository or an index, for taps. `place`: `owner/repo`, or an address. Absent: the source has no lists. */
  list?(place: string, signal: AbortSignal): Promise<Result<HubHit[]>>;
  /** The version that `ref` names now, without its files. */
  look(ref: HubRef, signal: AbortSignal): Promise<Result<HubVersion>>;
  /**
   * Whether one of two commits is in the history of the other. `null`: the source did not say. `false`: the history was rewritten, or the name
   * belongs to somebody else now. Absent: the source has no histories.
   */
  descends?(identifier: string, commit: string, from: string, signal: AbortSignal): Promise<boolean | null>;
  /** All files of that version. */
  fetch(ref: HubRef, signal: AbortSignal): Promise<Result<HubPackage>>;
}

/** All that reach out. The library of this deployment is made elsewhere: it needs no request. */
export type OuterSourceName = Exclude<HubSourceName, "library">;
export type HubSources = Record<OuterSourceName, HubSource>;

/** Longer lists do not help a person choose. */
export const MAX_CHOICES = 100;

/** A list of skills as it was fetched, of one repository or index. */
export const CachedListing = z.object({
  v: z.literal(1),
  fetchedAt: z.int(),
  /** Of the reply that shows whether the list has changed. */
  etag: z.string().optional(),
  hits: z.array(z.object({ ref: HubRef, name: z.string(), description: z.string(), warning: z.string().optional() })),
});
export type CachedListing = z.infer<typeof CachedListing>;

/** Of one profile. A cache that fails is as good as empty: neither call throws, but `put` for a deleted profile (`DeletedError`). */
export interface ListingCache {
  /** `place`: as `HubSource.list` gets it, with the name of the source in front. */
  get(place: string): Promise<CachedListing | null>;
  put(place: string, listing: CachedListing): Promise<void>;
}
