// Turns that failed with a skill's present text, as far as a review's job still holds them: what a rewrite has to go by. Called for a
// rewrite's request, and for the check of what it writes. Reads the stores of evidence and reviews.
import type { EvidenceStore, ReviewStore } from "../../ports.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { SessionId, SkillName, TurnId } from "../../schemas/ids.ts";
import type { ReviewJob } from "../../schemas/learning/review.ts";
import { type Evidence, type SkillHead, outranks } from "../../schemas/skill.ts";
import { renderTranscript } from "../review/transcript.ts";

export interface FailedTurn {
  evidence: Evidence;
  /** The turn's own entries, and what the person said next; `null`: no job holds them. */
  job: ReviewJob | null;
}

export interface FailedTurnsOptions {
  evidence: Pick<EvidenceStore, "list">;
  reviews: Pick<ReviewStore, "list" | "job">;
}

/** A model needs a few; each takes a transcript. */
const MAX_TURNS = 3;
/** Jobs of one session that are opened for one turn. */
const MAX_JOBS = 3;

/** The newest first. */
export async function findFailedTurns(
  head: Pick<SkillHead, "name" | "text">,
  options: FailedTurnsOptions,
): Promise<FailedTurn[]> {
  const words = new Map<TurnId, Evidence>();
  for await (const word of options.evidence.list(head.name)) {
    const known = words.get(word.turn);
    if (word.text === head.text && (!known || outranks(word, known))) words.set(word.turn, word);
  }
  const failed = [...words.values()].filter(({ outcome, contradicted }) => outcome === "failure" || contradicted);
  const newest = failed.toSorted((a, b) => b.at - a.at).slice(0, MAX_TURNS);
  return Promise.all(newest.map(async (evidence) => ({ evidence, job: await findJob(evidence.turn, options) })));
}

async function findJob(turn: TurnId, { reviews }: FailedTurnsOptions): Promise<ReviewJob | null> {
  const session = sessionOf(turn);
  const n = Number(turn.slice(session.length + 1));
  for (const { review } of (await reviews.list(session)).slice(0, MAX_JOBS)) {
    const job = await reviews.job(review);
    const own = job?.entries.filter((entry) => entry.turn === n) ?? [];
    if (!job || own.length === 0) continue;
    const said = job.entries.find((entry) => entry.turn === n + 1 && entry.kind === "user");
    const observations = job.observations.filter((seen) => seen.turn === turn);
    return { ...job, entries: said ? [...own, said] : own, observations };
  }
  return null;
}

/** Whose words are shown. */
export function sessionsOf(turns: FailedTurn[]): SessionId[] {
  return [...new Set(turns.flatMap(({ evidence, job }) => (job ? [sessionOf(evidence.turn)] : [])))];
}

function sessionOf(turn: TurnId): SessionId {
  return turn.slice(0, turn.lastIndexOf("-"));
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
    return job ? `${facts}\n\n${renderTranscript(job)}` : `${facts} What was done in it is not kept any more.`;
  });
  return [`Turns that failed with \`${skill}\`, the newest first:`, ...shown].join("\n\n");
}
