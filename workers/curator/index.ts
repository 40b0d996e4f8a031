// The curator Worker: on its hour it sends a message for each shard with due profiles, and takes these messages, and
// those of people who ask for a run, from the queue. This is the one place where it is wired.
import { runCuration, toHeadCheck } from "../../core/learning/run-curation.ts";
import { parseSettings } from "../../core/limits.ts";
import { conditionsOf } from "../../core/skills/conditions.ts";
import { seeds } from "../../skills-seed/index.ts";
import { createBlobCache } from "../../stores/blob-cache.ts";
import { createCurationStore } from "../../stores/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence-store.ts";
import { toBucket } from "../../stores/r2.ts";
import { createSkillStore } from "../../stores/skill-store.ts";
import { systemClock as clock } from "../../stores/system-clock.ts";
import { type DeliverOptions, deliverCuration, sendDueShards } from "./deliver.ts";
import type { Env } from "./env.ts";

/** Contents of skills, for as long as the isolate lives. */
const BLOBS = createBlobCache();

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
  const settings = parseSettings(env.TALARIA_SETTINGS);
  // A wrong variable: every message comes back until the operator has put it right.
  if (!settings.ok) throw new Error(settings.failure.message);
  const { curation: limits, skills: skillLimits } = settings.value;
  const bucket = toBucket(env.SKILLS);
  const curation = createCurationStore({ bucket, pageProfiles: limits.pageProfiles });
  return {
    curation,
    queue: { send: async (message, options) => void (await env.CURATION.send(message, options)) },
    run: (profile, run, dryRun) =>
      runCuration({
        profile,
        run,
        dryRun,
        curation,
        skills: createSkillStore({
          bucket,
          profile,
          clock,
          random: Math.random,
          swapMs: skillLimits.swapMs,
          readConditions: conditionsOf,
          cache: BLOBS,
        }),
        evidence: createEvidenceStore({ bucket, profile }),
        checkHead: toHeadCheck(seeds, skillLimits),
        clock,
        settings: settings.value,
      }),
    clock,
    random: Math.random,
    log: (line) => console.log(JSON.stringify(line)),
  };
}
