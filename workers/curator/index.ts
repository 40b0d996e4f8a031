// The curator Worker. Hourly it sends a message for each shard with due profiles. From its queue it takes those messages, runs
// that people request, and work for models.
import { endWork, runWork } from "../../core/learning/curation/work/run-work.ts";
import { sweepDayOf, sweepInactiveProfile } from "../../core/learning/curation/retention.ts";
import { toHeadCheck } from "../../core/learning/curation/head-check.ts";
import { runCuration } from "../../core/learning/curation/run-curation.ts";
import { messageOf } from "../../core/errors.ts";
import { readModelName } from "../../core/models/routing.ts";
import type { WorkerMark } from "../../core/schemas/doctor.ts";
import packageJson from "../../package.json" with { type: "json" };
import { keyOf } from "../../stores/keys.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import { seeds } from "../../skills-seed/index.ts";
import { toQueue } from "../../stores/platform/queue.ts";
import { systemClock as clock } from "../../stores/platform/system-clock.ts";
import { runChecks } from "../../wiring/checks.ts";
import { openModels } from "../../wiring/models.ts";
import { openOutbound } from "../../wiring/outbound.ts";
import { readSettings } from "../../wiring/settings.ts";
import {
  openCountedBucket,
  openCurationStore,
  openEvidenceStore,
  openHubQuarantine,
  openPendingStore,
  openReviewStore,
  openSkillStore,
} from "../../wiring/stores.ts";
import { type DeliverOptions, deliverCuration, sendDueShards } from "./deliver.ts";
import { settleMessage } from "../message-settlement.ts";
import type { Env } from "./env.ts";

/** [cf] An invocation may make 10,000 requests. A run that has made this many continues in another one. */
const RUN_CALLS = 6_000;

export default {
  async scheduled(_controller: ScheduledController, env: Env): Promise<void> {
    await markCron(env);
    await sendDueShards(toDeliverOptions(env));
  },
  async queue(batch: MessageBatch, env: Env): Promise<void> {
    const options = toDeliverOptions(env);
    for (const message of batch.messages)
      settleMessage(message, await deliverCuration(message.body, message.attempts, options));
  },
} satisfies ExportedHandler<Env>;

/** For `POST /v1/doctor`. Nothing else depends on it, so a failure costs nothing else. */
async function markCron(env: Env): Promise<void> {
  const mark = { v: 1, version: packageJson.version, at: clock.now(), model: readModelName(env) } satisfies WorkerMark;
  await env.SKILLS.put(keyOf("cron", {}), JSON.stringify(mark)).catch((error: unknown) => {
    console.log(JSON.stringify({ event: "cron_mark_failed", message: messageOf(error) }));
  });
}

function toDeliverOptions(env: Env): DeliverOptions {
  const settings = readSettings(env);
  const { bucket, calls } = openCountedBucket(env.SKILLS);
  const curation = openCurationStore({ bucket, settings });
  const queue = toQueue(env.CURATION);
  const open = (profile: ProfileId) => {
    const scope = { bucket, profile, settings };
    return {
      profile,
      curation,
      runChecks,
      clock,
      settings,
      skills: openSkillStore(scope),
      evidence: openEvidenceStore(scope),
    };
  };
  return {
    curation,
    queue,
    run: (profile, run, dryRun, order) =>
      runCuration({
        ...open(profile),
        run,
        dryRun,
        ...order,
        work: { queue, seeds },
        checkHead: toHeadCheck(seeds, settings.skills),
        hasRoom: () => calls() < RUN_CALLS,
      }),
    work: {
      run: (profile, run, work) =>
        runWork({
          ...open(profile),
          run,
          work,
          seeds,
          reviews: openReviewStore({ bucket, profile }),
          models: () => openModels(env, settings, "curation", openOutbound(env, settings)),
          random: Math.random,
          signal: AbortSignal.timeout(settings.review.runMs),
        }),
      end: (profile, run, work, note) => endWork({ ...open(profile), run, work, seeds }, { state: "failed", note }),
    },
    retention: {
      dayAfter: (active) => sweepDayOf(active, settings),
      sweep: (profile) =>
        sweepInactiveProfile({
          profile,
          curation,
          queue,
          settings,
          now: clock.now(),
          reviews: openReviewStore({ bucket, profile }),
          pending: openPendingStore({ bucket, profile }),
          quarantine: openHubQuarantine({ bucket, profile }),
        }),
    },
    calls,
    clock,
    random: Math.random,
    log: (line) => console.log(JSON.stringify(line)),
  };
}
