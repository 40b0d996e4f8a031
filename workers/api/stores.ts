// The stores of the authenticated profile, over this Worker's bindings. Made for each request; cheap.
import { toJudge } from "../../core/learning/evidence/verdict.ts";
import type {
  Bucket,
  CurationStore,
  EvidenceStore,
  MemoryStore,
  PendingStore,
  ReviewStore,
  SkillStore,
} from "../../core/ports.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import { conditionsOf } from "../../core/skills/format/conditions.ts";
import { createBlobCache } from "../../stores/skills/blob-cache.ts";
import { createCurationStore } from "../../stores/curation-store.ts";
import { guardWrites, isGone } from "../../stores/deleted.ts";
import { createEvidenceStore } from "../../stores/evidence-store.ts";
import { toKeyValue } from "../../stores/platform/kv.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { createPendingStore } from "../../stores/pending-store.ts";
import { toBucket } from "../../stores/platform/r2.ts";
import { createReviewStore } from "../../stores/review-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { type Env, settingsOf } from "./env.ts";

/** Contents of skills, for as long as the isolate lives. */
const BLOBS = createBlobCache();

/** What a person deleted takes no more writes. */
export function openBucket(env: Env): Bucket {
  return guardWrites(toBucket(env.SKILLS));
}

export function openSkills(env: Env, profile: ProfileId): SkillStore {
  const { swapMs } = settingsOf(env).skills;
  return createSkillStore({
    bucket: openBucket(env),
    profile,
    clock: systemClock,
    random: Math.random,
    swapMs,
    readConditions: conditionsOf,
    cache: BLOBS,
  });
}

export function openMemory(env: Env, profile: ProfileId): MemoryStore {
  const { overlayMs } = settingsOf(env).memory;
  const kv = toKeyValue(env.MEMORY);
  const isDeleted = () => isGone(toBucket(env.SKILLS), profile);
  return createMemoryStore({ kv, profile, overlayMs, clock: systemClock, isDeleted });
}

export function openReviews(env: Env, profile: ProfileId): ReviewStore {
  return createReviewStore({ bucket: openBucket(env), profile });
}

export function openEvidence(env: Env, profile: ProfileId): EvidenceStore {
  const judge = toJudge(settingsOf(env).learning);
  return createEvidenceStore({ bucket: openBucket(env), profile, judge });
}

export function openPending(env: Env, profile: ProfileId): PendingStore {
  return createPendingStore({ bucket: openBucket(env), profile, clock: systemClock, random: Math.random });
}

export function openCuration(env: Env): CurationStore {
  return createCurationStore({ bucket: openBucket(env) });
}
