// Extracts the outcome of a curation's work from its script: changes, merges, refused calls and cost. Called by run-work.ts when the
// work ends. Pure.
import * as z from "zod";
import { CurationChange, type CurationMerge, type CurationWork, Standing } from "../../../schemas/learning/curation.ts";
import { Sha256, SkillName } from "../../../schemas/ids.ts";
import type { ReviewStep } from "../../../schemas/learning/review.ts";
import { SkillState } from "../../../schemas/skill.ts";
import type { SpentCall } from "../../../schemas/usage.ts";
import { type ScriptCall, callsOf, costOf, refusalsOf } from "../../script/script-facts.ts";

/** The outcome of a skill_merge that has merged. */
export const MergeFacts = z.object({
  umbrella: SkillName,
  absorbed: z.array(SkillName),
  left: z.array(SkillName),
  changes: z.array(CurationChange),
});
export type MergeFacts = z.infer<typeof MergeFacts>;

/** Recorded before the first attempt of a write; see `recordStanding` of work-tools.ts. */
const Prepared = z.object({ before: Standing.nullable() });
const Written = z.object({ name: SkillName, rev: z.int(), text: Sha256, state: SkillState });

export type ScriptFacts = Omit<CurationWork, "v" | "run" | "work" | "state" | "note" | "finishedAt">;

/** `merged`: merges that were completed after the script had stopped. */
export function factsOf(
  script: ReviewStep[],
  merges: CurationMerge[],
  failed: SpentCall[] = [],
  merged: MergeFacts[] = [],
): ScriptFacts {
  const calls = callsOf(script);
  const made = calls.flatMap((call) => (call.failed ? [] : changesOf(call)));
  const ends = [...calls.flatMap((call) => (call.failed ? [] : (mergeOf(call) ?? []))), ...merged];
  return {
    changes: [...made, ...merged.flatMap((end) => end.changes)],
    merges: ends.map((end) => toMerge(end, merges)),
    refused: refusalsOf(calls),
    ...costOf(script, failed),
  };
}

function changesOf(made: ScriptCall): CurationChange[] {
  const merge = mergeOf(made);
  if (merge) return merge.changes;
  const written = Written.safeParse(made.outcome);
  const prepared = Prepared.safeParse(made.prepared);
  if (made.call.name !== "skill_manage" || !written.success || !prepared.success) return [];
  const { name, ...to } = written.data;
  const from = prepared.data.before;
  if (from && from.rev === to.rev && from.state === to.state) return [];
  return [{ skill: name, from, to, reason: "written by the curator" }];
}

function mergeOf({ call, outcome }: ScriptCall): MergeFacts | null {
  if (call.name !== "skill_merge") return null;
  return MergeFacts.safeParse(outcome).data ?? null;
}

function toMerge(end: MergeFacts, merges: CurationMerge[]): CurationWork["merges"][number] {
  const planned = merges.find(
    ({ umbrella, absorbs }) =>
      umbrella === end.umbrella && absorbs.every(({ skill }) => [...end.absorbed, ...end.left].includes(skill)),
  );
  const items = planned?.items ?? [];
  const withReason = (fate: string) =>
    items.filter((item) => item.fate === fate).map(({ id, reason = "" }) => ({ item: id, reason }));
  return {
    umbrella: end.umbrella,
    absorbed: end.absorbed,
    left: end.left,
    kept: items.filter((item) => item.fate === "kept").length,
    superseded: withReason("superseded"),
    archived: withReason("archived"),
  };
}
