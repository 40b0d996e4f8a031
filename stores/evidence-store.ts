// Evidence of a profile's skills, and the days it was active, over a bucket. Written by the Session's outbox, read by who
// settles a skill and by listings. Create-only but for the stats, which are a function of the rest.
import * as z from "zod";
import { DeletedError } from "../core/errors.ts";
import type { Bucket, EvidenceStore } from "../core/ports.ts";
import { sha256Hex, shardOf } from "../core/schemas/learning/digest.ts";
import type { Day, ProfileId, SkillName } from "../core/schemas/ids.ts";
import {
  Baseline,
  Evidence,
  type EvidenceInput,
  type Lineage,
  SkillStats,
  TextVerdict,
  outranks,
} from "../core/schemas/skill.ts";
import { encodeOp, keyOf, prefixOf, slotsOf } from "./keys.ts";
import { type Swapped, checkRecord, createOnce, listObjects, parseRecord, swapObject } from "./objects.ts";

/** A thousand to a request: two thousand requests of the ten thousand that an invocation has. */
const MAX_COUNTED = 2_000_000;
// Folds race only when two sessions of one profile end within a second of each other.
const FOLD_ATTEMPTS = 3;

export interface JudgeTexts {
  (evidence: Evidence[], lineage?: Lineage): SkillStats["texts"];
  /** Names what the verdicts depend on beside the evidence: other rules judge again. */
  rules?: string;
}

export interface EvidenceStoreOptions {
  bucket: Bucket;
  profile: ProfileId;
  /** What a skill's evidence says of each text. */
  judge: JudgeTexts;
}

export function createEvidenceStore({ bucket, profile, judge: judgeTexts }: EvidenceStoreOptions): EvidenceStore {
  async function put(given: EvidenceInput): Promise<void> {
    const evidence = Evidence.parse(given);
    const { skill: name, text, turn, judge, nth } = evidence;
    const slots = { profile, name, text, turn, judge };
    const key = nth === 1 ? keyOf("evidence", slots) : keyOf("evidenceAgain", { ...slots, nth });
    try {
      await createOnce(bucket, key, JSON.stringify(evidence), toMetadata(evidence));
    } catch (error) {
      // A session ends its turn with a skill that a person deleted meanwhile: there is nothing left to speak of.
      if (!(error instanceof DeletedError)) throw error;
    }
  }

  async function* list(skill: SkillName): AsyncGenerator<Evidence> {
    const prefix = prefixOf("evidence", { profile, name: skill });
    for await (const { key, customMetadata = {} } of listObjects(bucket, prefix, { metadata: true })) {
      const { text, turn, judge } = slotsOf("evidence", key) ?? slotsOf("evidenceAgain", key) ?? {};
      const nth = Number(slotsOf("evidenceAgain", key)?.nth ?? 1);
      yield checkRecord(Evidence, key, { skill, text, turn, judge, nth, ...fromMetadata(key, customMetadata) });
    }
  }

  /**
   * What was counted is right whether or not it can be stored: a second fold within a second is refused by the bucket, and
   * whoever waits for a verdict must not wait for that. The next one stores it.
   */
  async function fold(skill: SkillName, lineage?: Lineage): Promise<SkillStats> {
    const key = keyOf("stats", { profile, name: skill });
    for (let attempt = 1; ; attempt++) {
      // Read before the listing, so that a fold that knows less cannot replace one that knows more.
      const stored = await bucket.get(key);
      const before = stored && (await stored.text());
      if (before !== null) parseRecord(SkillStats, key, before); // what a newer version counted is left
      const evidence: Evidence[] = [];
      for await (const word of list(skill)) evidence.push(word);
      const stats: SkillStats = { ...countUses(skill, evidence), texts: judgeTexts(evidence, lineage) };
      const body = JSON.stringify(stats);
      const marks = toMarks(stats, { evidence: evidence.length, lineage, rules: judgeTexts.rules });
      if (before === body && stored?.customMetadata?.of === marks.of) return stats;
      const { outcome } = await swapStats(key, body, stored?.etag ?? null, marks);
      if (outcome !== "lost" || attempt === FOLD_ATTEMPTS) return stats;
    }
  }

  async function swapStats(
    key: string,
    body: string,
    etag: string | null,
    marks: Record<string, string>,
  ): Promise<Swapped> {
    try {
      return await swapObject(bucket, key, body, etag, marks);
    } catch (error) {
      if (!(error instanceof DeletedError)) throw error;
      return { outcome: "unknown", message: error.message };
    }
  }

  /** Stats as their listing tells them, beside how many objects of evidence there are now. Reads no object. */
  async function counted(lineages: Map<SkillName, Lineage>): Promise<Map<SkillName, SkillStats | null>> {
    const found = new Map<SkillName, number>();
    const folder = prefixOf("evidence", { profile });
    let listed = 0;
    let cutAt: SkillName | null = null;
    for await (const { key } of listObjects(bucket, folder)) {
      const name = key.slice(folder.length, key.indexOf("/", folder.length));
      if (++listed > MAX_COUNTED) {
        cutAt = name;
        break;
      }
      found.set(name, (found.get(name) ?? 0) + 1);
    }
    if (cutAt !== null) found.delete(cutAt);
    const all = new Map<SkillName, SkillStats | null>([...found.keys()].map((name) => [name, null]));
    for await (const { key, customMetadata } of listObjects(bucket, prefixOf("stats", { profile }), {
      metadata: true,
    })) {
      const { name } = slotsOf("stats", key)!;
      const evidence = found.get(name);
      const lineage = lineages.get(name);
      if (customMetadata?.of === undefined) continue;
      // After the cut the counts of the last use hold, and no verdict is drawn from them.
      if (cutAt !== null && name >= cutAt) all.set(name, fromMarks(name, key, customMetadata));
      if (evidence === undefined) continue;
      const isWhole = customMetadata.of === toWhole({ evidence, lineage, rules: judgeTexts.rules });
      if (isWhole) all.set(name, fromMarks(name, key, customMetadata, lineage));
    }
    return all;
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

  return { put, list, fold, counted, markActive, activeDays };
}

interface Whole {
  /** How many objects were counted. */
  evidence: number;
  lineage: Lineage | undefined;
  rules: string | undefined;
}

/** What stats are a function of, as far as it can change: as long as it is the same they are. */
function toWhole({ evidence, lineage, rules = "" }: Whole): string {
  const { text = "", parent = "", since = "" } = lineage ?? {};
  return sha256Hex([evidence, text, parent, since, rules].join(" ")).slice(0, 32);
}

/** Beside the stats, so that a listing tells what a curation needs: under 1 KB. */
function toMarks(stats: SkillStats, whole: Whole): Record<string, string> {
  const { uses, successes, failures, lastUsedDay, texts } = stats;
  const said = whole.lineage && Object.hasOwn(texts, whole.lineage.text) ? texts[whole.lineage.text] : undefined;
  return {
    ...{ of: toWhole(whole), uses: `${uses}`, successes: `${successes}`, failures: `${failures}` },
    ...(lastUsedDay !== null && { lastUsedDay }),
    ...(said && { said: encodeURIComponent(JSON.stringify(said)) }),
  };
}

function fromMarks(skill: SkillName, key: string, marks: Record<string, string>, lineage?: Lineage): SkillStats {
  const { uses, successes, failures, lastUsedDay = null, said } = marks;
  const text = said && parseRecord(TextVerdict, key, decodeURIComponent(said));
  const counts = { uses: Number(uses), successes: Number(successes), failures: Number(failures) };
  return checkRecord(SkillStats, key, {
    ...{ v: 2, skill, ...counts, lastUsedDay, texts: text && lineage ? { [lineage.text]: text } : {} },
  });
}

/** All that its key does not say, so that a listing is enough; under 3 KB, of the 8 KB that an object may have. */
function toMetadata(evidence: Evidence): Record<string, string> {
  const { v, outcome, day, at, task, contradicted, modelCalls, toolCalls, failedCalls, tokens, baseline } = evidence;
  const { failedWords, refusedWords, workedWords } = evidence;
  return {
    ...{ v: `${v}`, outcome, day, at: `${at}`, contradicted: contradicted ? "1" : "0" },
    ...{ modelCalls: `${modelCalls}`, toolCalls: `${toolCalls}`, failedCalls: `${failedCalls}`, tokens: `${tokens}` },
    // Plain letters, and a long one by its hash: tasks are only ever told apart.
    ...(task && { task: encodeOp(task) }),
    ...(baseline && { baseline: JSON.stringify(baseline) }),
    ...(failedWords.length > 0 && { failedWords: encodeURIComponent(JSON.stringify(failedWords)) }),
    ...(refusedWords.length > 0 && { refusedWords: encodeURIComponent(JSON.stringify(refusedWords)) }),
    ...(workedWords.length > 0 && { workedWords: encodeURIComponent(JSON.stringify(workedWords)) }),
  };
}

const Words = z.array(z.string());

/** Version 1 had neither `v` nor what came with version 2. */
function fromMetadata(key: string, metadata: Record<string, string>): Record<string, unknown> {
  const { v = "1", outcome, day, at = "0", tokens = "0", task, contradicted, baseline } = metadata;
  const { modelCalls, toolCalls, failedCalls, failedWords, refusedWords, workedWords } = metadata;
  return {
    ...{ v: Number(v), outcome, day, at: Number(at), contradicted: contradicted === "1", tokens: Number(tokens) },
    ...{ modelCalls: Number(modelCalls), toolCalls: Number(toolCalls), failedCalls: Number(failedCalls) },
    ...(task !== undefined && { task: decodeURIComponent(task) }),
    ...(baseline !== undefined && { baseline: parseRecord(Baseline, key, baseline) }),
    ...(failedWords !== undefined && { failedWords: parseRecord(Words, key, decodeURIComponent(failedWords)) }),
    ...(refusedWords !== undefined && { refusedWords: parseRecord(Words, key, decodeURIComponent(refusedWords)) }),
    ...(workedWords !== undefined && { workedWords: parseRecord(Words, key, decodeURIComponent(workedWords)) }),
  };
}

/** A use is a turn, whatever it used of the skill; of its judges the strongest counts. */
function countUses(skill: SkillName, evidence: Evidence[]): Omit<SkillStats, "texts"> {
  const byTurn = new Map<string, Evidence>();
  let lastUsedDay: Day | null = null;
  for (const word of evidence) {
    const known = byTurn.get(word.turn);
    if (!known || outranks(word, known)) byTurn.set(word.turn, word);
    if (lastUsedDay === null || word.day > lastUsedDay) lastUsedDay = word.day;
  }
  const outcomes = [...byTurn.values()].map(({ outcome }) => outcome);
  const successes = outcomes.filter((outcome) => outcome === "success").length;
  const failures = outcomes.filter((outcome) => outcome === "failure").length;
  return { v: 2, skill, uses: outcomes.length, successes, failures, lastUsedDay };
}
