// The stats of skills over a bucket: how often each was used and what its evidence says of its texts. Derived from the evidence, and
// replaced by compare-and-swap. Called by evidence-store.ts alone.
import { DeletedError } from "../../core/errors.ts";
import type { Bucket, EvidenceStore } from "../../core/ports.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import type { Day, ProfileId, SkillName } from "../../core/schemas/ids.ts";
import {
  type Evidence,
  type Lineage,
  SkillStats,
  type SkillUse,
  TextVerdict,
  isUse,
  outranks,
} from "../../core/schemas/skill.ts";
import { keyOf, prefixOf, slotsOf } from "../keys.ts";
import { type SwapOutcome, checkRecord, listObjects, parseRecord, swapObject } from "../objects.ts";

/** [own] A listing has a thousand keys a request, so this takes two thousand of an invocation's ten thousand requests. */
const MAX_COUNTED = 2_000_000;
// Few retries suffice: folds race only when two sessions of one profile end within a second of each other.
const FOLD_ATTEMPTS = 3;

export interface JudgeTexts {
  (evidence: Evidence[], lineage?: Lineage): SkillStats["texts"];
  /** Names the rules that verdicts depend on. Evidence is judged again when they change. */
  rules?: string;
}

export interface SkillStatsOptions {
  bucket: Bucket;
  profile: ProfileId;
  /** Judges each text of a skill from its evidence. */
  judge: JudgeTexts;
  /** Lists the evidence of a skill. */
  list: EvidenceStore["list"];
}

export type SkillStatsStore = Pick<EvidenceStore, "fold" | "counted" | "lastCounts">;

export function createSkillStats({ bucket, profile, judge: judgeTexts, list }: SkillStatsOptions): SkillStatsStore {
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
      for await (const record of list(skill)) evidence.push(record);
      const stats: SkillStats = { ...countUses(skill, evidence), texts: judgeTexts(evidence, lineage) };
      const body = JSON.stringify(stats);
      const metadata = toStatsMetadata(stats, { evidence: evidence.length, lineage, rules: judgeTexts.rules });
      if (before === body && stored?.customMetadata?.of === metadata.of) return stats;
      const { outcome } = await swapStats(bucket, key, body, stored?.etag ?? null, metadata);
      if (outcome !== "lost" || attempt === FOLD_ATTEMPTS) return stats;
    }
  }

  /** The stats as a listing shows them, with the present number of evidence objects. Reads no object. */
  async function counted(lineages: Map<SkillName, Lineage>): Promise<Map<SkillName, SkillStats | null>> {
    const { counts, cutAt } = await countObjects();
    const all = new Map<SkillName, SkillStats | null>([...counts.keys()].map((name) => [name, null]));
    const prefix = prefixOf("stats", { profile });
    for await (const { key, customMetadata } of listObjects(bucket, prefix, { metadata: true })) {
      const { name } = slotsOf("stats", key)!;
      const evidence = counts.get(name);
      const lineage = lineages.get(name);
      if (customMetadata?.of === undefined) continue;
      // Beyond the limit the counts of the last fold are used, and no verdict is drawn from them.
      if (cutAt !== null && name >= cutAt) all.set(name, fromStatsMetadata(name, key, customMetadata));
      if (evidence === undefined) continue;
      const isWhole = customMetadata.of === fingerprintStats({ evidence, lineage, rules: judgeTexts.rules });
      if (isWhole) all.set(name, fromStatsMetadata(name, key, customMetadata, lineage));
    }
    return all;
  }

  /** Evidence objects by skill. `cutAt`: the first skill that was not counted whole; null when all were. */
  async function countObjects(): Promise<{ counts: Map<SkillName, number>; cutAt: SkillName | null }> {
    const counts = new Map<SkillName, number>();
    const folder = prefixOf("evidence", { profile });
    let listed = 0;
    for await (const { key } of listObjects(bucket, folder)) {
      const name = key.slice(folder.length, key.indexOf("/", folder.length));
      if (++listed > MAX_COUNTED) {
        counts.delete(name);
        return { counts, cutAt: name };
      }
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return { counts, cutAt: null };
  }

  async function lastCounts(): Promise<Map<SkillName, SkillUse>> {
    const counts = new Map<SkillName, SkillUse>();
    for await (const { key, customMetadata } of listObjects(bucket, prefixOf("stats", { profile }), {
      metadata: true,
    })) {
      if (customMetadata?.of === undefined) continue;
      const { name } = slotsOf("stats", key)!;
      const { uses, successes, failures, lastUsedDay } = fromStatsMetadata(name, key, customMetadata);
      counts.set(name, { uses, successes, failures, lastUsedDay });
    }
    return counts;
  }

  return { fold, counted, lastCounts };
}

/** A deleted skill needs no stats: the swap then counts as unknown. */
async function swapStats(
  bucket: Bucket,
  key: string,
  body: string,
  etag: string | null,
  metadata: Record<string, string>,
): Promise<SwapOutcome> {
  try {
    return await swapObject(bucket, key, body, etag, metadata);
  } catch (error) {
    if (!(error instanceof DeletedError)) throw error;
    return { outcome: "unknown", message: error.message };
  }
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

function fromStatsMetadata(
  skill: SkillName,
  key: string,
  metadata: Record<string, string>,
  lineage?: Lineage,
): SkillStats {
  const { uses, successes, failures, lastUsedDay = null, said } = metadata;
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

/** A use is one turn, even if the turn used the skill several times. The strongest of its judges counts. */
function countUses(skill: SkillName, evidence: Evidence[]): Omit<SkillStats, "texts"> {
  const byTurn = new Map<string, Evidence>();
  let lastUsedDay: Day | null = null;
  for (const record of evidence.filter(isUse)) {
    const known = byTurn.get(record.turn);
    if (!known || outranks(record, known)) byTurn.set(record.turn, record);
    if (lastUsedDay === null || record.day > lastUsedDay) lastUsedDay = record.day;
  }
  const outcomes = [...byTurn.values()].map(({ outcome }) => outcome);
  const successes = outcomes.filter((outcome) => outcome === "success").length;
  const failures = outcomes.filter((outcome) => outcome === "failure").length;
  return { v: 2, skill, uses: outcomes.length, successes, failures, lastUsedDay };
}
