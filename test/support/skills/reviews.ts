// Sample records of reviews, curation and evidence, for tests of the stores.
import { toJudge } from "../../../core/learning/evidence/verdict.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { CurationPlan, CurationRun } from "../../../core/schemas/learning/curation.ts";
import { NO_USAGE } from "../../../core/schemas/entry.ts";
import type { ProfileId, ReviewId } from "../../../core/schemas/ids.ts";
import { type ReviewJob, type ReviewResult, ReviewStep } from "../../../core/schemas/learning/review.ts";
import { Evidence } from "../../../core/schemas/skill.ts";

/** For evidence stores. */
export const JUDGE = toJudge(DEFAULTS.learning);

export const SESSION = "01JZZZZZZZZZZZZZZZZZZZZZZZ";
export const OTHER_SESSION = "01JZZZZZZZZZZZZZZZZZZZZZZ0";

export function reviewJob(profile: ProfileId, review: ReviewId, createdAt = 1): ReviewJob {
  return {
    v: 1,
    review,
    profile,
    session: review.slice(0, 26),
    trigger: "model_calls",
    skills: true,
    memory: true,
    grant: { tokens: 1_000, expiresAt: 2 },
    model: "rehearsal:1",
    createdAt,
    observations: [],
    entries: [{ v: 1, n: 1, turn: 1, at: 1, kind: "user", parts: [{ source: "principal", text: "Hello · ü" }] }],
  };
}

export function reviewResult(review: ReviewId, state: ReviewResult["state"] = "done", summary = ""): ReviewResult {
  const counts = { modelCalls: 3, usage: NO_USAGE, finishedAt: 9 };
  const session = review.slice(0, 26);
  return { v: 1, review, session, state, trigger: "value", summary, note: "", lessons: [], refused: [], ...counts };
}

export function intent(n: number, by = "first"): ReviewStep {
  return ReviewStep.parse({ v: 1, kind: "intent", at: n, call: `call-${n}`, prepared: { by } });
}

export function evidence(turn: number, more: Partial<Evidence> = {}): Evidence {
  return Evidence.parse({
    v: 1,
    skill: "tables",
    text: "a".repeat(64),
    turn: `${SESSION}-${turn}`,
    judge: "exit",
    outcome: "success",
    day: "2026-01-05",
    modelCalls: 4,
    toolCalls: 3,
    failedCalls: 1,
    ...more,
  });
}

export function curationPlan(profile: ProfileId, run: string, more: Partial<CurationPlan> = {}): CurationPlan {
  return { v: 1, run, profile, at: 5, dryRun: false, moves: [], ...more };
}

export function curationRun(profile: ProfileId, run: string, finishedAt = 6): CurationRun {
  const counts = {
    skills: 0,
    byState: { pending: 0, trial: 0, active: 0, stale: 0, archived: 0 },
    moves: [],
    usage: NO_USAGE,
  };
  return { v: 1, run, profile, dryRun: false, startedAt: 5, finishedAt, ...counts };
}
