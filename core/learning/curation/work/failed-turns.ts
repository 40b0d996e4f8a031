// Finds turns that failed with a skill's present text, with their transcripts where a review's job still holds them. Called for a
// rewrite's request, and by the inspector of what the rewrite writes. Reads the stores of evidence and reviews.
import type { EvidenceStore, ReviewStore } from "../../../ports.ts";
import type { Entry } from "../../../schemas/entry.ts";
import { type SessionId, type SkillName, type TurnId, fromTurnId } from "../../../schemas/ids.ts";
import type { ReviewJob } from "../../../schemas/learning/review.ts";
import { type Evidence, type SkillHead, isUse, outranks } from "../../../schemas/skill.ts";
import { renderTranscript } from "../../review/transcript.ts";

export interface FailedTurn {
  evidence: Evidence;
  /** The turn's entries and the person's next message; `null`: no job holds them. */
  job: ReviewJob | null;
}

export interface FailedTurnsOptions {
  evidence: Pick<EvidenceStore, "list">;
  reviews: Pick<ReviewStore, "list" | "job">;
}

/** Maximum number of failed turns. Each adds a transcript to the request, and a few are enough. */
const MAX_TURNS = 3;
/** Limit of a session's jobs that are read for one turn. */
const MAX_JOBS = 3;

/** The newest first. */
export async function findFailedTurns(
  head: Pick<SkillHead, "name" | "text">,
  options: FailedTurnsOptions,
): Promise<FailedTurn[]> {
  const strongest = new Map<TurnId, Evidence>();
  for await (const evidence of options.evidence.list(head.name)) {
    if (!isUse(evidence)) continue;
    const known = strongest.get(evidence.turn);
    if (evidence.text === head.text && (!known || outranks(evidence, known))) strongest.set(evidence.turn, evidence);
  }
  const failed = [...strongest.values()].filter(({ outcome, contradicted }) => outcome === "failure" || contradicted);
  const newest = failed.toSorted((a, b) => b.at - a.at).slice(0, MAX_TURNS);
  return Promise.all(newest.map(async (evidence) => ({ evidence, job: await findJob(evidence.turn, options) })));
}

async function findJob(turn: TurnId, { reviews }: FailedTurnsOptions): Promise<ReviewJob | null> {
  const { session, n } = fromTurnId(turn);
  for (const { review } of (await reviews.list(session)).slice(0, MAX_JOBS)) {
    const job = await reviews.job(review);
    const own = job?.entries.filter((entry) => entry.turn === n) ?? [];
    if (!job || own.length === 0) continue;
    const next = job.entries.find((entry) => entry.turn === n + 1 && entry.kind === "user");
    const observations = job.observations.filter((seen) => seen.turn === turn);
    return { ...job, entries: next ? [...own, next] : own, observations };
  }
  return null;
}

/** The sessions whose transcripts are shown. */
export function sessionsOf(turns: FailedTurn[]): SessionId[] {
  return [...new Set(turns.flatMap(({ evidence, job }) => (job ? [fromTurnId(evidence.turn).session] : [])))];
}

export function entriesOf(turns: FailedTurn[]): Entry[] {
  return turns.flatMap(({ job }) => job?.entries ?? []);
}

/** For the request; "" for none. */
export function showFailedTurns(skill: SkillName, turns: FailedTurn[]): string {
  if (turns.length === 0) return "";
  const shown = turns.map(({ evidence, job }) => {
    const { day, judge, outcome, toolCalls, failedCalls } = evidence;
    const how = outcome === "failure" ? `failed (judged by: ${judge})` : "found it wrong";
    const facts = `On ${day} a turn with it ${how}, with ${toolCalls} tool calls of which ${failedCalls} failed.`;
    return job ? `${facts}\n\n${renderTranscript(job)}` : `${facts} Its transcript is no longer kept.`;
  });
  return [`Turns that failed with \`${skill}\`, the newest first:`, ...shown].join("\n\n");
}
