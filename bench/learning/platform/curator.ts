// The curator Worker in one process, wired as in workers/curator. Its cron finds due markers; its queue is the simulated one.
import type { Model } from "../../../core/agent/contract.ts";
import { ok } from "../../../core/errors.ts";
import { endWork, runWork } from "../../../core/learning/curation/work/run-work.ts";
import { toHeadCheck } from "../../../core/learning/curation/head-check.ts";
import { runCuration } from "../../../core/learning/curation/run-curation.ts";
import { toJudge } from "../../../core/learning/evidence/verdict.ts";
import type { Bucket, Clock } from "../../../core/ports.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import { conditionsOf } from "../../../core/skills/format/conditions.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { createBlobCache } from "../../../stores/skills/caches/blob-cache.ts";
import { createCurationStore } from "../../../stores/curation/curation-store.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createEvidenceStore } from "../../../stores/evidence/evidence-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createSeededRandom } from "../../../test/support/seeded-random.ts";
import { type DeliverOptions, deliverCuration, sendDueShards } from "../../../workers/curator/deliver.ts";

export interface Curator {
  /** Runs the cron handler once. */
  fire(): Promise<void>;
}

export function createCurator(options: {
  bucket: Bucket;
  clock: Clock;
  settings: Settings;
  model: Model;
  schedule(delayMs: number, run: () => Promise<void>): void;
}): Curator {
  const { bucket, clock, settings, model, schedule } = options;
  const random = createSeededRandom(11);
  const blobs = createBlobCache();
  const curation = createCurationStore({ bucket, pageProfiles: settings.curation.pageProfiles });
  const queue: DeliverOptions["queue"] = {
    send: async (message, { delaySeconds = 0 } = {}) => schedule(delaySeconds * 1_000, () => deliver(message, 1)),
  };
  const open = (profile: ProfileId) => ({
    profile,
    curation,
    skills: createSkillStore({
      bucket,
      profile,
      clock,
      random,
      swapMs: settings.skills.swapMs,
      readConditions: conditionsOf,
      cache: blobs,
    }),
    evidence: createEvidenceStore({ bucket, profile, judge: toJudge(settings.learning) }),
    clock,
    settings,
  });
  const wiring: DeliverOptions = {
    curation,
    queue,
    run: (profile, run, dryRun, order) =>
      runCuration({
        ...open(profile),
        ...{ run, dryRun, ...order, work: { queue, seeds } },
        checkHead: toHeadCheck(seeds, settings.skills),
      }),
    work: {
      run: (profile, run, work) =>
        runWork({
          ...open(profile),
          ...{ run, work, seeds, random },
          reviews: createReviewStore({ bucket, profile }),
          models: () => ok([model]),
          signal: new AbortController().signal,
        }),
      end: (profile, run, work, note) => endWork({ ...open(profile), run, work, seeds }, { state: "failed", note }),
    },
    clock,
    random,
    log: () => {},
  };

  async function deliver(message: unknown, attempts: number): Promise<void> {
    const verdict = await deliverCuration(message, attempts, wiring);
    if (verdict.act === "retry") schedule(verdict.delaySeconds * 1_000, () => deliver(message, attempts + 1));
  }

  return { fire: async () => void (await sendDueShards(wiring)) };
}
