// Evidence of a profile's skills, and the days it was active, over a bucket. Written by the Session's outbox, read by the
// curator and by listings. Create-only but for the stats, which are a function of the rest.
import type { Bucket, EvidenceStore } from "../core/ports.ts";
import { shardOf } from "../core/schemas/digest.ts";
import type { Day, ProfileId, SkillName } from "../core/schemas/ids.ts";
import { Evidence, type EvidenceInput, Judge, SkillStats } from "../core/schemas/skill.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
import { checkRecord, createOnce, listObjects, readRecord, swapObject } from "./objects.ts";

// Folds race only when two sessions of one profile end within a second of each other.
const FOLD_ATTEMPTS = 5;

export function createEvidenceStore({ bucket, profile }: { bucket: Bucket; profile: ProfileId }): EvidenceStore {
  async function put(given: EvidenceInput): Promise<void> {
    const evidence = Evidence.parse(given);
    const { skill, text, turn, judge, outcome, day } = evidence;
    const key = keyOf("evidence", { profile, name: skill, text, turn, judge });
    const { modelCalls, toolCalls, failedCalls } = evidence;
    const counts = { modelCalls: `${modelCalls}`, toolCalls: `${toolCalls}`, failedCalls: `${failedCalls}` };
    await createOnce(bucket, key, JSON.stringify(evidence), { outcome, judge, day, ...counts });
  }

  async function* list(skill: SkillName): AsyncGenerator<Evidence> {
    const prefix = prefixOf("evidence", { profile, name: skill });
    for await (const { key, customMetadata } of listObjects(bucket, prefix, { metadata: true })) {
      const { text, turn, judge } = slotsOf("evidence", key) ?? {};
      const { outcome, day, modelCalls, toolCalls, failedCalls } = customMetadata ?? {};
      const counts = { modelCalls: Number(modelCalls), toolCalls: Number(toolCalls), failedCalls: Number(failedCalls) };
      yield checkRecord(Evidence, key, { v: 1, skill, text, turn, judge, outcome, day, ...counts });
    }
  }

  async function fold(skill: SkillName): Promise<SkillStats> {
    const key = keyOf("stats", { profile, name: skill });
    let last = "";
    for (let attempt = 0; attempt < FOLD_ATTEMPTS; attempt++) {
      // Read before the listing, so that a fold that knows less cannot replace one that knows more.
      const stored = await readRecord(bucket, SkillStats, key);
      const stats = await toStats(skill, list(skill));
      const body = JSON.stringify(stats);
      if (stored?.body === body) return stats;
      const swapped = await swapObject(bucket, key, body, stored?.etag ?? null);
      if (swapped.outcome === "won") return stats;
      last = swapped.outcome === "unknown" ? swapped.message : "another fold came first";
    }
    throw new Error(`The stats of the skill ${skill} could not be stored: ${last}`);
  }

  /** The day's own object is written last: where it is, the marker has been put, and perhaps been cleared since. */
  async function markActive(day: Day): Promise<void> {
    const active = keyOf("active", { profile, day });
    if (await bucket.get(active)) return;
    await createOnce(bucket, keyOf("due", { day, shard: shardOf(profile), profile }), "");
    await createOnce(bucket, active, "");
  }

  async function activeDays(since: Day): Promise<Day[]> {
    const prefix = prefixOf("active", { profile });
    const days: Day[] = [];
    // A key that is a little less than the day's own: `startAfter` leaves out the key it names.
    for await (const { key } of listObjects(bucket, prefix, { startAfter: prefix + since.slice(0, -1) })) {
      const day = slotsOf("active", key)!.day;
      if (day >= since) days.push(day);
    }
    return days;
  }

  return { put, list, fold, markActive, activeDays };
}

/** A use is a turn; of its judges the strongest counts. */
async function toStats(skill: SkillName, listing: AsyncIterable<Evidence>): Promise<SkillStats> {
  const byTurn = new Map<string, Evidence>();
  let lastUsedDay: Day | null = null;
  for await (const evidence of listing) {
    const known = byTurn.get(evidence.turn);
    if (!known || strength(evidence.judge) > strength(known.judge)) byTurn.set(evidence.turn, evidence);
    if (lastUsedDay === null || evidence.day > lastUsedDay) lastUsedDay = evidence.day;
  }
  const outcomes = [...byTurn.values()].map((evidence) => evidence.outcome);
  return {
    v: 1,
    skill,
    uses: outcomes.length,
    successes: outcomes.filter((outcome) => outcome === "success").length,
    failures: outcomes.filter((outcome) => outcome === "failure").length,
    lastUsedDay,
    texts: {},
  };
}

function strength(judge: Judge): number {
  return Judge.options.indexOf(judge);
}
