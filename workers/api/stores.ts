// The stores of the authenticated profile, over this Worker's bindings. Made anew for each request; cheap.
import type { CurationStore, MemoryStore, ReviewStore, SkillStore } from "../../core/ports.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import { createCurationStore } from "../../stores/curation-store.ts";
import { toKeyValue } from "../../stores/kv.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { toBucket } from "../../stores/r2.ts";
import { createReviewStore } from "../../stores/review-store.ts";
import { createSkillStore } from "../../stores/skill-store.ts";
import { systemClock } from "../../stores/system-clock.ts";
import { type Env, settingsOf } from "./env.ts";

export function openSkills(env: Env, profile: ProfileId): SkillStore {
  const { swapMs } = settingsOf(env).skills;
  return createSkillStore({ bucket: toBucket(env.SKILLS), profile, clock: systemClock, random: Math.random, swapMs });
}

export function openMemory(env: Env, profile: ProfileId): MemoryStore {
  const { overlayMs } = settingsOf(env).memory;
  return createMemoryStore({ kv: toKeyValue(env.MEMORY), profile, overlayMs, clock: systemClock });
}

export function openReviews(env: Env, profile: ProfileId): ReviewStore {
  return createReviewStore({ bucket: toBucket(env.SKILLS), profile });
}

export function openCuration(env: Env): CurationStore {
  return createCurationStore({ bucket: toBucket(env.SKILLS) });
}
