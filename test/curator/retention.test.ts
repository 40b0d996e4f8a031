// Objects that an inactive profile leaves in R2. One visit sweeps them once their retention days are over, not earlier.
import { describe, expect, it } from "vitest";
import { sweepDayOf, sweepInactiveProfile } from "../../core/learning/curation/retention.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { CurationMessage } from "../../core/schemas/learning/curation.ts";
import { dayOf, toReviewId } from "../../core/schemas/ids.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { keyOf } from "../../stores/keys.ts";
import { createHubQuarantine } from "../../stores/hub/quarantine-store.ts";
import { createPendingStore } from "../../stores/pending-store.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { deliverCuration, sendDueShards } from "../../workers/curator/deliver.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { JUDGE } from "../support/skills/reviews.ts";

const DAY_MS = 24 * 60 * 60_000;
const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

function createScene() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  const random = () => 0.5;
  const curation = createCurationStore({ bucket });
  const reviews = createReviewStore({ bucket, profile });
  const pending = createPendingStore({ bucket, profile, clock, random });
  const quarantine = createHubQuarantine({ bucket, profile, clock });
  let visits = 0;

  /** Runs the hourly trigger and delivers every resulting message. Returns the kinds of messages. */
  async function runHour(): Promise<string[]> {
    const sent: CurationMessage[] = [];
    const queue = { send: async (message: CurationMessage) => void sent.push(message) };
    const options = {
      ...{ curation, queue, clock, random, log: () => {} },
      run: async () => "done" as const,
      retention: {
        dayAfter: (day: string) => sweepDayOf(day, DEFAULTS),
        sweep: async () => {
          visits++;
          const now = clock.now();
          return sweepInactiveProfile({
            profile,
            curation,
            reviews,
            pending,
            quarantine,
            queue,
            now,
            settings: DEFAULTS,
          });
        },
      },
    };
    await sendDueShards(options);
    for (const message of sent) expect(await deliverCuration(message, 1, options)).toEqual({ act: "ack" });
    return sent.map((message) => `${message.kind}${"sweep" in message && message.sweep ? " sweep" : ""}`);
  }

  async function beActive(): Promise<void> {
    await createEvidenceStore({ bucket, profile, judge: JUDGE }).markActive(dayOf(clock.now()));
    const review = toReviewId(SESSION, clock.now(), clock.now() + 1);
    await bucket.put(keyOf("reviewJob", { profile, review }), "a job");
    await bucket.put(keyOf("reviewResult", { profile, review }), "a result");
  }

  const left = () => bucket.keys().filter((key) => /\/reviews\/|^sweep\//.test(key));
  return { clock, runHour, beActive, left, visits: () => visits };
}

describe("a profile that has gone quiet", () => {
  it("is visited once when its retention days are over, and never again", async () => {
    const { clock, runHour, beActive, left, visits } = createScene();
    await beActive();
    await clock.sleep(DAY_MS);
    expect(await runHour()).toEqual(["shard"]);
    expect(left()).toHaveLength(3);
    for (let day = 0; day < 29; day++) {
      await clock.sleep(DAY_MS);
      expect(await runHour()).toEqual([]);
    }
    await clock.sleep(3 * DAY_MS);
    expect(await runHour()).toEqual(["shard sweep"]);
    expect([left(), visits()]).toEqual([[], 1]);
    await clock.sleep(90 * DAY_MS);
    expect([await runHour(), visits()]).toEqual([[], 1]);
  });

  it("is not visited for the days before its last active one", async () => {
    const { clock, runHour, beActive, left, visits } = createScene();
    for (let day = 0; day < 40; day++) {
      await beActive();
      await clock.sleep(DAY_MS);
      await runHour();
      expect(left().filter((key) => key.startsWith("sweep/"))).toHaveLength(1);
    }
    expect(visits()).toBe(0);
    await clock.sleep(33 * DAY_MS);
    expect(await runHour()).toEqual(["shard sweep"]);
    expect([left(), visits()]).toEqual([[], 1]);
  });
});
