// Evidence of a profile's skills over a bucket: one create-only object for each turn, text and judge, whose metadata holds all of it.
// Called by evidence-store.ts alone.
import * as z from "zod";
import { DeletedError } from "../../core/errors.ts";
import type { Bucket, EvidenceStore } from "../../core/ports.ts";
import type { ProfileId, SkillName } from "../../core/schemas/ids.ts";
import { Baseline, Evidence, type EvidenceInput } from "../../core/schemas/skill.ts";
import { encodeOp, keyOf, prefixOf, slotsOf } from "../keys.ts";
import { checkRecord, createOnce, listObjects, parseRecord } from "../objects.ts";

export type EvidenceRecords = Pick<EvidenceStore, "put" | "list">;

export function createEvidenceRecords({ bucket, profile }: { bucket: Bucket; profile: ProfileId }): EvidenceRecords {
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

  return { put, list };
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
