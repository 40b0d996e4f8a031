// What a source of skills can do. One file a source in sources/, made by wiring/hub.ts. A source only reads: what it returns has been neither
// scanned nor stored. Every request leaves through core/outbound.
import type { Result } from "../errors.ts";
import type { FileBodies } from "../schemas/file-body.ts";
import type { HubRef, HubSourceName } from "../schemas/hub/lock.ts";

export interface HubHit {
  ref: HubRef;
  name: string;
  description: string;
  /** As the source counts them. */
  installs?: number;
  /** What the source itself says of it: "suspicious". */
  warning?: string;
}

/** `version` as the source names it; `commit` the point that cannot change, if the source has one. */
export interface HubVersion {
  version: string;
  commit?: string;
}

export interface HubPackage extends HubVersion {
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
 * `hub_bad_reply`, `hub_too_large`, `hub_digest_mismatch`, `hub_link_refused`, `bad_path`, `url_refused`, `hub_source_off`, `bad_hub_ref`.
 */
export interface HubSource {
  name: HubSourceName;
  /** An empty list where the source cannot be searched. */
  search(query: string, options: { limit: number; signal: AbortSignal }): Promise<Result<HubHit[]>>;
  /** The version that `ref` names now, without its files. */
  look(ref: HubRef, signal: AbortSignal): Promise<Result<HubVersion>>;
  /** All files of that version. */
  fetch(ref: HubRef, signal: AbortSignal): Promise<Result<HubPackage>>;
}
