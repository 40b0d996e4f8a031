// The stores of the authenticated profile, over the API's bindings. Opened for each request, which is cheap.
import type {
  Bucket,
  CurationStore,
  EvidenceStore,
  HubLockStore,
  HubQuarantine,
  MemoryStore,
  PendingStore,
  ReviewStore,
  SkillStore,
} from "../../core/ports.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import * as wiring from "../../wiring/stores.ts";
import { type Env, parseEnvSettings } from "./env.ts";

export function openBucket(env: Env): Bucket {
  return wiring.openBucket(env.SKILLS);
}

export function openSkills(env: Env, profile: ProfileId): SkillStore {
  return wiring.openSkillStore(toStoreScope(env, profile));
}

export function openMemory(env: Env, profile: ProfileId): MemoryStore {
  return wiring.openMemoryStore(env.MEMORY, toStoreScope(env, profile));
}

export function openReviews(env: Env, profile: ProfileId): ReviewStore {
  return wiring.openReviewStore({ bucket: openBucket(env), profile });
}

export function openHubLock(env: Env, profile: ProfileId): HubLockStore {
  return wiring.openHubLock({ bucket: openBucket(env), profile });
}

export function openHubQuarantine(env: Env, profile: ProfileId): HubQuarantine {
  return wiring.openHubQuarantine({ bucket: openBucket(env), profile });
}

export function openEvidence(env: Env, profile: ProfileId): EvidenceStore {
  return wiring.openEvidenceStore(toStoreScope(env, profile));
}

export function openPending(env: Env, profile: ProfileId): PendingStore {
  return wiring.openPendingStore({ bucket: openBucket(env), profile });
}

export function openCuration(env: Env): CurationStore {
  return wiring.openCurationStore({ bucket: openBucket(env), settings: parseEnvSettings(env) });
}

function toStoreScope(env: Env, profile: ProfileId): wiring.StoreScope {
  return { bucket: openBucket(env), profile, settings: parseEnvSettings(env) };
}
