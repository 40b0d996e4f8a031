// Opens the stores of a profile: bindings become ports here. Called by every Worker and by the Durable Objects, each with the
// bindings it has. Never imports a Worker or a Durable Object, so the review Worker can use it.
import { toJudge } from "../core/learning/evidence/verdict.ts";
import type {
  Bucket,
  CurationStore,
  EvidenceStore,
  HubLockStore,
  HubQuarantine,
  MemoryStore,
  Overlay,
  PendingStore,
  ReviewStore,
  SkillStore,
} from "../core/ports.ts";
import type { ProfileId } from "../core/schemas/ids.ts";
import type { Settings } from "../core/schemas/settings.ts";
import { conditionsOf } from "../core/skills/format/conditions.ts";
import { createCurationStore } from "../stores/curation/curation-store.ts";
import { guardWrites, isGone } from "../stores/deleted.ts";
import { createEvidenceStore } from "../stores/evidence/evidence-store.ts";
import { createHubLockStore } from "../stores/hub/lock-store.ts";
import { createHubQuarantine } from "../stores/hub/quarantine-store.ts";
import { createMemoryStore } from "../stores/memory-store.ts";
import { createPendingStore } from "../stores/pending-store.ts";
import { countCalls } from "../stores/platform/counted-bucket.ts";
import { toKeyValue } from "../stores/platform/kv.ts";
import { toBucket } from "../stores/platform/r2.ts";
import { systemClock } from "../stores/platform/system-clock.ts";
import { createReviewStore } from "../stores/reviews/review-store.ts";
import { createBlobCache } from "../stores/skills/caches/blob-cache.ts";
import { createIndexCache } from "../stores/skills/caches/index-cache.ts";
import { type SkillStoreOptions, createSkillStore } from "../stores/skills/skill-store.ts";

/** One profile's objects. `bucket`: from `openBucket` or `openCountedBucket`, so that nothing deleted is written again. */
export interface StoreScope {
  bucket: Bucket;
  profile: ProfileId;
  settings: Settings;
}

/** File contents of skills, shared by all stores of the isolate. */
const BLOBS = createBlobCache();

/** Parsed indexes, for the stores of sessions: many new sessions of one profile read the same index. */
export const SESSION_INDEXES = createIndexCache();

/** Refuses writes to deleted profiles, sessions and skills. */
export function openBucket(skills: R2Bucket): Bucket {
  return guardWrites(toBucket(skills));
}

/** The same, with a count of the calls made, for work that must stay within the requests of one invocation. */
export function openCountedBucket(skills: R2Bucket): { bucket: Bucket; calls(): number } {
  const counted = countCalls(toBucket(skills));
  return { bucket: guardWrites(counted.bucket), calls: counted.calls };
}

export function openSkillStore(
  { bucket, profile, settings }: StoreScope,
  caches: Pick<SkillStoreOptions, "cache" | "indexes"> = {},
): SkillStore {
  return createSkillStore({
    bucket,
    profile,
    clock: systemClock,
    random: Math.random,
    swapMs: settings.skills.swapMs,
    readConditions: conditionsOf,
    cache: BLOBS,
    ...caches,
  });
}

/** `place`: its bucket holds the tombstone of a deleted profile, which is looked for before each write to KV. */
export function openMemoryStore(
  kv: KVNamespace,
  { bucket, profile, settings }: StoreScope,
  overlay?: Overlay,
): MemoryStore {
  const isDeleted = () => isGone(bucket, profile);
  return createMemoryStore({ ...toMemoryOptions(kv, profile, settings), isDeleted, ...(overlay && { overlay }) });
}

/**
 * The memory of a Session. It does not look for a tombstone before each write: the profile's erasure ends its sessions first,
 * and a session that has ended refuses every call (durable-objects/session/erased.ts).
 */
export function openSessionMemory(kv: KVNamespace, { profile, settings }: StoreScope, overlay: Overlay): MemoryStore {
  return createMemoryStore({ ...toMemoryOptions(kv, profile, settings), overlay });
}

function toMemoryOptions(kv: KVNamespace, profile: ProfileId, settings: Settings) {
  return { kv: toKeyValue(kv), profile, clock: systemClock, overlayMs: settings.memory.overlayMs };
}

export function openEvidenceStore({ bucket, profile, settings }: StoreScope): EvidenceStore {
  return createEvidenceStore({ bucket, profile, judge: toJudge(settings.learning) });
}

export function openPendingStore({ bucket, profile }: Omit<StoreScope, "settings">): PendingStore {
  return createPendingStore({ bucket, profile, clock: systemClock, random: Math.random });
}

export function openHubLock({ bucket, profile }: Omit<StoreScope, "settings">): HubLockStore {
  return createHubLockStore({ bucket, profile, clock: systemClock, random: Math.random });
}

export function openHubQuarantine({ bucket, profile }: Omit<StoreScope, "settings">): HubQuarantine {
  return createHubQuarantine({ bucket, profile, clock: systemClock });
}

export function openReviewStore({ bucket, profile }: Omit<StoreScope, "settings">): ReviewStore {
  return createReviewStore({ bucket, profile });
}

export function openCurationStore({ bucket, settings }: Omit<StoreScope, "profile">): CurationStore {
  return createCurationStore({ bucket, pageProfiles: settings.curation.pageProfiles });
}
