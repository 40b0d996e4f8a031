// The review Worker: runs each review from the queue, one at a time. It reads and writes skills in R2 and memory in KV. It has no
// other binding, so it cannot reach a session, a file or a channel.
import { type ReviewEnd, runReview } from "../../core/learning/review/review.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import type { ReviewJob } from "../../core/schemas/learning/review.ts";
import { applyPreferences } from "../../core/preferences.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { seeds } from "../../skills-seed/index.ts";
import { systemClock as clock } from "../../stores/platform/system-clock.ts";
import { runChecks } from "../../wiring/checks.ts";
import { openModels } from "../../wiring/models.ts";
import { openOutbound } from "../../wiring/outbound.ts";
import { readSettings } from "../../wiring/settings.ts";
import { openBucket, openMemoryStore, openPendingStore, openReviewStore, openSkillStore } from "../../wiring/stores.ts";
import { type DeliverOptions, deliverDeadReview, deliverReview } from "./deliver.ts";
import { readModelName } from "../../core/models/routing.ts";
import { answerPing } from "./answer-ping.ts";
import { ACK, settleMessage } from "../message-settlement.ts";
import type { Env } from "./env.ts";
import { createOverlay } from "./overlay.ts";

const DEAD_QUEUE = "talaria-reviews-dead";

export default {
  async queue(batch: MessageBatch, env: Env): Promise<void> {
    const options = toDeliverOptions(env);
    const deliver = batch.queue === DEAD_QUEUE ? deliverDeadReview : deliverReview;
    for (const message of batch.messages) {
      const isPing = await answerPing(message.body, {
        bucket: env.SKILLS,
        model: readModelName(env),
        now: clock.now(),
      });
      settleMessage(message, isPing ? ACK : await deliver(message.body, options));
    }
  },
} satisfies ExportedHandler<Env>;

function openStores(env: Env, settings: Settings, profile: ProfileId) {
  const scope = { bucket: openBucket(env.SKILLS), profile, settings };
  return {
    reviews: openReviewStore(scope),
    skills: openSkillStore(scope),
    memory: openMemoryStore(env.MEMORY, scope, createOverlay()),
    pending: openPendingStore(scope),
  };
}

function toDeliverOptions(env: Env): DeliverOptions {
  const settings = readSettings(env);
  const open = (profile: ProfileId) => openStores(env, settings, profile);
  return {
    reviews: (profile) => open(profile).reviews,
    memory: (profile) => open(profile).memory,
    pending: (profile) => open(profile).pending,
    run: (job) => runJob(job, env, settings),
    clock,
    settings,
    log: (line) => console.log(JSON.stringify(line)),
  };
}

async function runJob(job: ReviewJob, env: Env, operator: Settings): Promise<ReviewEnd> {
  const settings = applyPreferences(operator, job.preferences ?? {});
  const outbound = openOutbound(env, settings);
  const models = openModels(env, settings, "review", outbound);
  if (!models.ok) return { state: "failed", failure: models.failure, final: false };
  const judges = env.TALARIA_MODEL_JUDGE?.trim() ? openModels(env, settings, "judge", outbound) : null;
  if (judges && !judges.ok) return { state: "failed", failure: judges.failure, final: false };
  return runReview({
    job,
    ...openStores(env, settings, job.profile),
    seeds,
    runChecks,
    models: models.value,
    judges: judges?.value,
    clock,
    random: Math.random,
    settings,
    signal: AbortSignal.timeout(settings.review.runMs),
  });
}
