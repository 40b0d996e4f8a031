// The review Worker: takes reviews from the queue, one at a time, and runs them over R2 (skills) and KV (memory). This is
// the one place where it is wired. It has no other binding: no session, no file, no channel is in its reach.
import quickjs from "#wasm/quickjs.wasm";
import type { ModelChain } from "../../core/agent/contract.ts";
import { createCheckRunner } from "../../core/checks/run-checks.ts";
import { type Result, err } from "../../core/errors.ts";
import { type ReviewEnd, runReview } from "../../core/learning/review/review.ts";
import { parseSettings } from "../../core/limits.ts";
import { createKeyHealth } from "../../core/models/key-pool.ts";
import { createRehearsalModel } from "../../core/models/rehearsal.ts";
import { type ModelDeps, createModels } from "../../core/models/routing.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import type { ReviewJob } from "../../core/schemas/learning/review.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { conditionsOf } from "../../core/skills/format/conditions.ts";
import { seeds } from "../../skills-seed/index.ts";
import { createBlobCache } from "../../stores/skills/blob-cache.ts";
import { toKeyValue } from "../../stores/platform/kv.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { guardWrites, isGone } from "../../stores/deleted.ts";
import { toBucket } from "../../stores/platform/r2.ts";
import { createPendingStore } from "../../stores/pending-store.ts";
import { createReviewStore } from "../../stores/review-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { systemClock as clock } from "../../stores/platform/system-clock.ts";
import { type DeliverOptions, deliverDeadReview, deliverReview } from "./deliver.ts";
import { type Env, Variables } from "./env.ts";
import { createOverlay } from "./overlay.ts";

/** Contents of skills, for as long as the isolate lives. */
const BLOBS = createBlobCache();
const RUN_CHECKS = createCheckRunner(quickjs);

/** Reviews of one isolate know together which keys rest. */
const MODEL_DEPS: ModelDeps = {
  fetch: (...request) => fetch(...request),
  rehearsal: createRehearsalModel,
  keys: createKeyHealth(),
  windows: new Map(),
  clock,
};

const DEAD_QUEUE = "talaria-reviews-dead";

export default {
  async queue(batch: MessageBatch, env: Env): Promise<void> {
    const options = wire(env);
    const deliver = batch.queue === DEAD_QUEUE ? deliverDeadReview : deliverReview;
    for (const message of batch.messages) {
      const verdict = await deliver(message.body, options);
      if (verdict.act === "ack") message.ack();
      else message.retry({ delaySeconds: verdict.delaySeconds });
    }
  },
} satisfies ExportedHandler<Env>;

/** What a review needs of a profile's stores. */
function openStores(env: Env, settings: Settings, profile: ProfileId) {
  const bucket = guardWrites(toBucket(env.SKILLS));
  const { overlayMs } = settings.memory;
  return {
    reviews: createReviewStore({ bucket, profile }),
    skills: createSkillStore({
      ...{ bucket, profile, clock, random: Math.random, swapMs: settings.skills.swapMs },
      ...{ readConditions: conditionsOf, cache: BLOBS },
    }),
    memory: createMemoryStore({
      ...{ kv: toKeyValue(env.MEMORY), profile, clock, overlayMs, overlay: createOverlay() },
      isDeleted: () => isGone(bucket, profile),
    }),
    pending: createPendingStore({ bucket, profile, clock, random: Math.random }),
  };
}

function wire(env: Env): DeliverOptions {
  const settings = readSettings(env);
  const open = (profile: ProfileId) => openStores(env, settings, profile);
  return {
    reviews: (profile) => open(profile).reviews,
    memory: (profile) => open(profile).memory,
    pending: (profile) => open(profile).pending,
    run: (job) => run(job, env, settings),
    clock,
    settings,
    log: (line) => console.log(JSON.stringify(line)),
  };
}

async function run(job: ReviewJob, env: Env, settings: Settings): Promise<ReviewEnd> {
  const models = openModels(env, settings, "review");
  if (!models.ok) return { state: "failed", failure: models.failure, final: false };
  const judges = env.TALARIA_MODEL_JUDGE?.trim() ? openModels(env, settings, "judge") : null;
  if (judges && !judges.ok) return { state: "failed", failure: judges.failure, final: false };
  return runReview({
    job,
    ...openStores(env, settings, job.profile),
    seeds,
    runChecks: RUN_CHECKS,
    models: models.value,
    judges: judges?.value,
    clock,
    random: Math.random,
    settings,
    signal: AbortSignal.timeout(settings.review.runMs),
  });
}

function openModels(env: Env, settings: Settings, slot: "review" | "judge"): Result<ModelChain> {
  const variables = Variables.safeParse(env);
  if (!variables.success) return err("bad_environment", "A variable of the review Worker is not a string.");
  return createModels(variables.data, settings.models, MODEL_DEPS, slot);
}

/** A wrong variable throws: every message comes back until the operator has put it right. */
function readSettings(env: Env): Settings {
  const settings = parseSettings(env.TALARIA_SETTINGS);
  if (!settings.ok) throw new Error(settings.failure.message);
  return settings.value;
}
