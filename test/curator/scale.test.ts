// A million profiles, of which few were active. The cost of a night of curation depends only on the active ones.
import { describe, expect, it } from "vitest";
import { toHeadCheck } from "../../core/learning/curation/head-check.ts";
import { runCuration } from "../../core/learning/curation/run-curation.ts";
import { toJudge } from "../../core/learning/evidence/verdict.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { CurationMessage } from "../../core/schemas/learning/curation.ts";
import { dayOf } from "../../core/schemas/ids.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { type DeliverOptions, deliverCuration, sendDueShards } from "../../workers/curator/deliver.ts";
import { createTestClock } from "../support/clock.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createInventedBucket, profileAt } from "./invented-bucket.ts";
import { DAY_MS } from "./world.ts";

const MILLION = 1_000_000;

/** Runs one night: the hourly trigger, its messages, and the messages that follow from them. */
async function spendNight(profiles: number, dueCount: number) {
  const clock = createTestClock();
  const random = createSeededRandom(3);
  const numbers = new Set<number>();
  while (numbers.size < dueCount) numbers.add(Math.floor(random() * profiles));
  const due = { day: dayOf(clock.now() - DAY_MS), profiles: [...numbers] };
  const bucket = createInventedBucket({ clock, profiles, due });
  const settings = DEFAULTS;
  const curation = createCurationStore({ bucket, pageProfiles: 3 });
  const sent: CurationMessage[] = [];
  const queue: DeliverOptions["queue"] = { send: async (message) => void sent.push(message) };
  const options: DeliverOptions = {
    ...{ curation, queue, clock, random, log: () => {} },
    run: (profile, run, dryRun, order) =>
      runCuration({
        ...{ profile, run, dryRun, ...order, curation, clock, settings, work: { queue, seeds: {} } },
        skills: createSkillStore({ bucket, profile, clock, random, swapMs: 10_000 }),
        evidence: createEvidenceStore({ bucket, profile, judge: toJudge(settings.learning) }),
        checkHead: toHeadCheck({}, settings.skills),
      }),
  };
  await sendDueShards(options);
  let messages = 0;
  for (let next = sent.shift(); next; next = sent.shift()) {
    messages += 1;
    expect(await deliverCuration(next, 1, options)).toEqual({ act: "ack" });
  }
  const calls = Object.values(bucket.calls).reduce((sum, n) => sum + n, 0);
  return { bucket, calls, messages, due, sent };
}

describe("a night of a million profiles", () => {
  it("reads only due profiles, ages their skills, and clears their markers", async () => {
    const { bucket, due, messages } = await spendNight(MILLION, 300);
    expect(bucket.markers()).toEqual([]);
    expect(bucket.touched).toEqual(new Set(due.profiles.map(profileAt)));
    const [profile] = [...bucket.touched];
    const head = JSON.parse(await (await bucket.get(`p/${profile}/heads/reading-tables`))!.text()) as { state: string };
    expect(head.state).toBe("stale");
    // One message for each shard and page, and one `look` for each skill that became stale.
    expect(messages).toBeLessThan(256 * 2 + 300 / 3 + 300);
  }, 60_000);

  it("costs the same for any number of profiles, and twice as much for twice as many due ones", async () => {
    const [village, city, more] = [
      await spendNight(1_000, 50),
      await spendNight(MILLION, 50),
      await spendNight(MILLION, 100),
    ];
    expect(Math.abs(city.calls - village.calls) / village.calls).toBeLessThan(0.05);
    expect(more.messages).toBeLessThan(city.messages * 2.1);
    expect(more.calls / city.calls).toBeGreaterThan(1.7);
    expect(more.calls / city.calls).toBeLessThan(2.1);
    expect(city.calls / 50).toBeLessThan(80);
  }, 60_000);

  it("costs four calls when no profile was active", async () => {
    const { bucket, calls, messages } = await spendNight(MILLION, 0);
    expect({ messages, touched: bucket.touched.size }).toEqual({ messages: 0, touched: 0 });
    expect(calls).toBeLessThanOrEqual(4);
  });
});
