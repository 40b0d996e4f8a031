// The curator Worker: on its hour it sends a message for each shard with due profiles, and takes these messages, those of
// people who ask for a run, and work for a model, from the queue. This is the one place where it is wired.
import quickjs from "#wasm/quickjs.wasm";
import type { ModelChain } from "../../core/agent/contract.ts";
import { createCheckRunner } from "../../core/checks/run-checks.ts";
import { type Result, err } from "../../core/errors.ts";
import { endWork, runWork } from "../../core/learning/curation/model.ts";
import { sweepDayOf, sweepQuiet } from "../../core/learning/curation/retention.ts";
import { runCuration, toHeadCheck } from "../../core/learning/curation/run-curation.ts";
import { toJudge } from "../../core/learning/evidence/verdict.ts";
import { parseSettings } from "../../core/limits.ts";
import { createKeyHealth } from "../../core/models/key-pool.ts";
import { createRehearsalModel } from "../../core/models/rehearsal.ts";
import { type ModelDeps, createModels } from "../../core/models/routing.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { conditionsOf } from "../../core/skills/format/conditions.ts";
import { seeds } from "../../skills-seed/index.ts";
import { createBlobCache } from "../../stores/skills/blob-cache.ts";
import { createCurationStore } from "../../stores/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence-store.ts";
import { createPendingStore } from "../../stores/pending-store.ts";
import { createReviewStore } from "../../stores/review-store.ts";
import { guardWrites } from "../../stores/deleted.ts";
import { toBucket } from "../../stores/platform/r2.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { systemClock as clock } from "../../stores/platform/system-clock.ts";
import { countCalls } from "../../stores/platform/counted-bucket.ts";
import { type DeliverOptions, deliverCuration, sendDueShards } from "./deliver.ts";
import { type Env, Variables } from "./env.ts";

/** Contents of skills, for as long as the isolate lives. */
const BLOBS = createBlobCache();

/** [cf] An invocation may make 10,000 requests. A run that has made this many goes on in another one. */
const RUN_CALLS = 6_000;

/** Compiles the interpreter once an isolate. */
const RUN_CHECKS = createCheckRunner(quickjs);

/** Work of one isolate knows together which keys rest. */
const MODEL_DEPS: ModelDeps = {
  fetch: (...request) => fetch(...request),
  rehearsal: createRehearsalModel,
  keys: createKeyHealth(),
  windows: new Map(),
  clock,
};

export default {
  async scheduled(_controller: ScheduledController, env: Env): Promise<void> {
    await sendDueShards(wire(env));
  },
  async queue(batch: MessageBatch, env: Env): Promise<void> {
    const options = wire(env);
    for (const message of batch.messages) {
      const verdict = await deliverCuration(message.body, message.attempts, options);
      if (verdict.act === "ack") message.ack();
      else message.retry({ delaySeconds: verdict.delaySeconds });
    }
  },
} satisfies ExportedHandler<Env>;

function wire(env: Env): DeliverOptions {
  const settings = readSettings(env);
  const { bucket: counted, calls } = countCalls(toBucket(env.SKILLS));
  const bucket = guardWrites(counted);
  const curation = createCurationStore({ bucket, pageProfiles: settings.curation.pageProfiles });
  const queue: DeliverOptions["queue"] = {
    send: async (message, options) => void (await env.CURATION.send(message, options)),
  };
  const open = (profile: ProfileId) => ({
    profile,
    curation,
    skills: createSkillStore({
      bucket,
      profile,
      clock,
      random: Math.random,
      swapMs: settings.skills.swapMs,
      readConditions: conditionsOf,
      cache: BLOBS,
    }),
    evidence: createEvidenceStore({ bucket, profile, judge: toJudge(settings.learning) }),
    runChecks: RUN_CHECKS,
    clock,
    settings,
  });
  return {
    curation,
    queue,
    run: (profile, run, dryRun, order) =>
      runCuration({
        ...open(profile),
        ...{ run, dryRun, ...order, work: { queue, seeds } },
        checkHead: toHeadCheck(seeds, settings.skills),
        hasRoom: () => calls() < RUN_CALLS,
      }),
    work: {
      run: (profile, run, work) =>
        runWork({
          ...open(profile),
          ...{ run, work, seeds },
          reviews: createReviewStore({ bucket, profile }),
          models: () => openModels(env, settings),
          random: Math.random,
          signal: AbortSignal.timeout(settings.review.runMs),
        }),
      end: (profile, run, work, note) => endWork({ ...open(profile), run, work, seeds }, { state: "failed", note }),
    },
    retention: {
      dayAfter: (active) => sweepDayOf(active, settings),
      sweep: (profile) =>
        sweepQuiet({
          ...{ profile, curation, queue, settings, now: clock.now() },
          reviews: createReviewStore({ bucket, profile }),
          pending: createPendingStore({ bucket, profile, clock, random: Math.random }),
        }),
    },
    calls,
    clock,
    random: Math.random,
    log: (line) => console.log(JSON.stringify(line)),
  };
}

function openModels(env: Env, settings: Settings): Result<ModelChain> {
  const variables = Variables.safeParse(env);
  if (!variables.success) return err("bad_environment", "A variable of the curator Worker is not a string.");
  return createModels(variables.data, settings.models, MODEL_DEPS, "curation");
}

/** A wrong variable throws: every message comes back until the operator has put it right. */
function readSettings(env: Env): Settings {
  const settings = parseSettings(env.TALARIA_SETTINGS);
  if (!settings.ok) throw new Error(settings.failure.message);
  return settings.value;
}
