// Evidence of a profile's skills and the days it was active, over a bucket. Written by the Session's outbox; read by listings
// and by the code that settles skills. Create-only except for the stats, which are derived from the rest.
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
import { type SwapOutcome, checkRecord, createOnce, listObjects, parseRecord, swapObject } from "./objects.ts";

/** [own] A listing has a thousand keys a request: two thousand of an invocation's ten thousand requests. */
const MAX_COUNTED = 2_000_000;
// Few retries suffice: folds race only when two sessions of one profile end within a second of each other.
const FOLD_ATTEMPTS = 3;

export interface JudgeTexts {
  (evidence: Evidence[], lineage?: Lineage): SkillStats["texts"];
  /** Names the rules that verdicts depend on. Evidence is judged again when they change. */
  rules?: string;
}

export interface EvidenceStoreOptions {
  bucket: Bucket;
  profile: ProfileId;
  /** Judges each text of a skill from its evidence. */
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
      // The turn used a skill that a person has deleted meanwhile: its evidence has no purpose.
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
   * Returns the counts even when they cannot be stored: the bucket refuses a second write within a second, and a caller that
   * needs a verdict must not wait for that. The next fold stores them.
   */
  async function fold(skill: SkillName, lineage?: Lineage): Promise<SkillStats> {
    const key = keyOf("stats", { profile, name: skill });
    for (let attempt = 1; ; attempt++) {
      // Read before the listing, so that a fold that saw less cannot overwrite one that saw more.
      const stored = await bucket.get(key);
      const before = stored && (await stored.text());
      if (before !== null) parseRecord(SkillStats, key, before); // throws when a newer version counted
      const evidence: Evidence[] = [];
      for await (const word of list(skill)) evidence.push(word);
      const stats: SkillStats = { ...countUses(skill, evidence), texts: judgeTexts(evidence, lineage) };
      const body = JSON.stringify(stats);
      const marks = toStatsMetadata(stats, { evidence: evidence.length, lineage, rules: judgeTexts.rules });
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
  ): Promise<SwapOutcome> {
    try {
      return await swapObject(bucket, key, body, etag, marks);
    } catch (error) {
      if (!(error instanceof DeletedError)) throw error;
      return { outcome: "unknown", message: error.message };
    }
  }

  /** The stats as a listing shows them, with the present number of evidence objects. Reads no object. */
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
      // Beyond the limit the counts of the last fold are used, and no verdict is drawn from them.
      if (cutAt !== null && name >= cutAt) all.set(name, fromMarks(name, key, customMetadata));
      if (evidence === undefined) continue;
      const isWhole = customMetadata.of === fingerprintStats({ evidence, lineage, rules: judgeTexts.rules });
      if (isWhole) all.set(name, fromMarks(name, key, customMetadata, lineage));
    }
    return all;
  }

  /** The day's own object is written last: if it exists, the marker was written, and may have been cleared since. */
  async function markActive(day: Day): Promise<void> {
    const active = keyOf("active", { profile, day });
    if (await bucket.get(active)) return;
    await createOnce(bucket, keyOf("due", { day, shard: shardOf(profile), profile }), "");
    await createOnce(bucket, active, "");
  }

  async function activeDays(since: Day): Promise<Day[]> {
    const prefix = prefixOf("active", { profile });
    const days: Day[] = [];
    // A key just below the day's own, because `startAfter` excludes the key it names.
    for await (const { key } of listObjects(bucket, prefix, { startAfter: prefix + since.slice(0, -1) })) {
      const day = slotsOf("active", key)!.day;
      if (day >= since) days.push(day);
    }
    return days;
  }

  return { put, list, fold, counted, markActive, activeDays };
}

interface FingerprintedInput {
  /** How many evidence objects were counted. */
  evidence: number;
  lineage: Lineage | undefined;
  rules: string | undefined;
}

/** A fingerprint of everything the stats depend on: while it is unchanged, so are they. */
function fingerprintStats({ evidence, lineage, rules = "" }: FingerprintedInput): string {
  const { text = "", parent = "", since = "" } = lineage ?? {};
  return sha256Hex([evidence, text, parent, since, rules].join(" ")).slice(0, 32);
}

/** Stored as metadata of the stats, so that a listing is enough for a curation. Under 1 KB. */
function toStatsMetadata(stats: SkillStats, whole: FingerprintedInput): Record<string, string> {
  const { uses, successes, failures, lastUsedDay, texts } = stats;
  const said = whole.lineage && Object.hasOwn(texts, whole.lineage.text) ? texts[whole.lineage.text] : undefined;
  return {
    of: fingerprintStats(whole),
    uses: `${uses}`,
    successes: `${successes}`,
    failures: `${failures}`,
    ...(lastUsedDay !== null && { lastUsedDay }),
    ...(said && { said: encodeURIComponent(JSON.stringify(said)) }),
  };
}

function fromMarks(skill: SkillName, key: string, marks: Record<string, string>, lineage?: Lineage): SkillStats {
  const { uses, successes, failures, lastUsedDay = null, said } = marks;
  const text = said && parseRecord(TextVerdict, key, decodeURIComponent(said));
  const counts = { uses: Number(uses), successes: Number(successes), failures: Number(failures) };
  return checkRecord(SkillStats, key, {
    v: 2,
    skill,
    ...counts,
    lastUsedDay,
    texts: text && lineage ? { [lineage.text]: text } : {},
  });
}

/** All fields that the key does not hold, so that a listing is enough. Under 3 KB of the 8 KB that an object may have. */
function toMetadata(evidence: Evidence): Record<string, string> {
  const { v, outcome, day, at, task, contradicted, modelCalls, toolCalls, failedCalls, tokens, baseline } = evidence;
  const { failedWords, refusedWords, workedWords } = evidence;
  return {
    v: `${v}`,
    outcome,
    day,
    at: `${at}`,
    contradicted: contradicted ? "1" : "0",
    modelCalls: `${modelCalls}`,
    toolCalls: `${toolCalls}`,
    failedCalls: `${failedCalls}`,
    tokens: `${tokens}`,
    // ASCII only, and a long one by its hash: task ids are only compared for equality.
    ...(task && { task: encodeOp(task) }),
    ...(baseline && { baseline: JSON.stringify(baseline) }),
    ...(failedWords.length > 0 && { failedWords: encodeURIComponent(JSON.stringify(failedWords)) }),
    ...(refusedWords.length > 0 && { refusedWords: encodeURIComponent(JSON.stringify(refusedWords)) }),
    ...(workedWords.length > 0 && { workedWords: encodeURIComponent(JSON.stringify(workedWords)) }),
  };
}

const Words = z.array(z.string());

/** Version 1 lacks `v` and the fields that version 2 added. */
function fromMetadata(key: string, metadata: Record<string, string>): Record<string, unknown> {
  const { v = "1", outcome, day, at = "0", tokens = "0", task, contradicted, baseline } = metadata;
  const { modelCalls, toolCalls, failedCalls, failedWords, refusedWords, workedWords } = metadata;
  return {
    v: Number(v),
    outcome,
    day,
    at: Number(at),
    contradicted: contradicted === "1",
    tokens: Number(tokens),
    modelCalls: Number(modelCalls),
    toolCalls: Number(toolCalls),
    failedCalls: Number(failedCalls),
    ...(task !== undefined && { task: decodeURIComponent(task) }),
    ...(baseline !== undefined && { baseline: parseRecord(Baseline, key, baseline) }),
    ...(failedWords !== undefined && { failedWords: parseRecord(Words, key, decodeURIComponent(failedWords)) }),
    ...(refusedWords !== undefined && { refusedWords: parseRecord(Words, key, decodeURIComponent(refusedWords)) }),
    ...(workedWords !== undefined && { workedWords: parseRecord(Words, key, decodeURIComponent(workedWords)) }),
  };
}

/** A use is one turn, even if the turn used the skill several times. The strongest of its judges counts. */
function countUses(skill: SkillName, evidence: Evidence[]): Omit<SkillStats, "texts"> {
  const byTurn = new Map<string, Evidence>();
  let lastUsedDay: Day | null = null;
  for (const record of evidence) {
    const known = byTurn.get(record.turn);
    if (!known || outranks(record, known)) byTurn.set(record.turn, record);
    if (lastUsedDay === null || record.day > lastUsedDay) lastUsedDay = record.day;
  }
  const outcomes = [...byTurn.values()].map(({ outcome }) => outcome);
  const successes = outcomes.filter((outcome) => outcome === "success").length;
  const failures = outcomes.filter((outcome) => outcome === "failure").length;
  return { v: 2, skill, uses: outcomes.length, successes, failures, lastUsedDay };
}
