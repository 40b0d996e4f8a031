// Builds the job of a review: the range of entries it covers, without secrets, small enough for one stored object. Called by the
// session engine when a review is due. Pure and deterministic: the same input always gives the same job.
import type { Entry, ToolCall } from "../../schemas/entry.ts";
import { byteLength } from "../../schemas/learning/digest.ts";
import { type ProfileId, type SessionId, toReviewId, toTurnId } from "../../schemas/ids.ts";
import type { Observation } from "../../schemas/learning/learning.ts";
import type { Grant, ReviewJob, SentPrefix } from "../../schemas/learning/review.ts";
import type { Settings } from "../../schemas/settings.ts";
import { toUsdMicros } from "../../schemas/usage.ts";
import { redactDeep, redactText } from "../../redact.ts";
import type { ToolFingerprints } from "../../skills/format/contract.ts";
import { taintedPieces } from "../taint/tainted-pieces.ts";
import type { ReviewDecision } from "../observe/triggers/triggers.ts";
import { cutDeep, cutText, editJson } from "./cut.ts";

/** Writer and reader hold the whole job in memory. In practice a model's window is the tighter limit. */
export const MAX_JOB_BYTES = 900_000;
/** Most bytes of a job's observations. In a long range, those of the newest turns are kept. */
const OBSERVATIONS_BYTES = 300_000;
/** Most characters of one string, tried in this order until the job fits. */
const STRING_CHARS = [20_000, 8_000, 3_000, 1_000, 300];

interface WorkToReview {
  profile: ProfileId;
  session: SessionId;
  decision: ReviewDecision;
  /** Entries from `from` to `to`, both included. */
  from: number;
  to: number;
  entries: Entry[];
  /** Earlier entries that the range refers to, such as the turn that a person rates. */
  extraEntries?: Entry[];
  /** The session up to the range's end: all entries that may explain what the agent says. Absent: the range is all. */
  read?: Entry[];
  /** Of the turns in the range and of the extra entries. */
  observations: Observation[];
  /** The model the session runs on. */
  model: string;
  /** The last request of the session, if a review could continue from it. */
  prefix?: SentPrefix;
  /** Fingerprints of its tools. */
  tools?: ToolFingerprints;
  preferences?: ReviewJob["preferences"];
  grant: Grant;
  holdMs?: ReviewJob["holdMs"];
  now: number;
}

/** The grant of a review that only the operator's settings limit. */
export function defaultGrant({ review }: Settings, now: number): Grant {
  const usdMicros = toUsdMicros(review.grantUsd);
  return { tokens: review.grantTokens, ...(usdMicros > 0 ? { usdMicros } : {}), expiresAt: now + review.grantMs };
}

/**
 * The job has at most about 900 KB. First, long strings lose their middle. As a last resort the oldest entries of the range are
 * left out. Entries of earlier turns are left out only after those, since the review is about them.
 */
export function toReviewJob(work: WorkToReview): ReviewJob {
  const inRange = work.entries.filter((entry) => entry.n >= work.from && entry.n <= work.to);
  const range = [...(work.extraEntries ?? []), ...inRange].filter((entry) => entry.kind !== "compaction");
  const clean = range.map((entry) => edit(entry, REDACTED));
  const findTainted = createTaintedFinder(work, range);
  const extraTurns = new Set(work.extraEntries?.map(({ turn }) => toTurnId(work.session, turn)));
  const job: ReviewJob = {
    v: 1,
    review: toReviewId(work.session, work.from, work.to),
    profile: work.profile,
    session: work.session,
    trigger: work.decision.trigger,
    ...(work.decision.because !== undefined && { because: work.decision.because }),
    ...(work.decision.focus !== undefined && { focus: redactText(work.decision.focus) }),
    skills: work.decision.skills,
    memory: work.decision.memory,
    grant: work.grant,
    ...(work.holdMs !== undefined && { holdMs: work.holdMs }),
    model: work.model,
    ...(work.tools && { tools: { ...work.tools } }),
    ...(work.preferences && { preferences: work.preferences }),
    createdAt: work.now,
    observations: keepNewest(redactDeep(work.observations), ({ turn }) => extraTurns.has(turn), OBSERVATIONS_BYTES),
    entries: clean,
  };
  for (const maxChars of STRING_CHARS) {
    job.entries = clean.map((entry) => edit(entry, cutAt(maxChars)));
    Object.assign(job, findTainted(isCut(clean, job.entries)));
    if (byteLength(JSON.stringify(job)) <= MAX_JOB_BYTES) return withPrefix(job, work.prefix);
  }
  const rest = MAX_JOB_BYTES - byteLength(JSON.stringify({ ...job, entries: [] }));
  return { ...job, entries: keepNewest(job.entries, ({ n }) => n < work.from, rest) };
}

/** Returns a function that finds what the agent said because of content that the job does not show. `cut`: strings were cut. */
function createTaintedFinder(
  { read = [] }: WorkToReview,
  range: Entry[],
): (cut: boolean) => Pick<ReviewJob, "tainted"> {
  const numbers = new Set(range.map(({ n }) => n));
  const said = new Set(range.filter(({ kind }) => kind === "assistant").map(({ n }) => n));
  const pieces = (shown: Entry[]) => {
    const found = taintedPieces(read.length > 0 ? read : range, { said, shown }).map(redactText);
    return found.length > 0 ? { tainted: found } : {};
  };
  const known: { whole?: Pick<ReviewJob, "tainted">; cut?: Pick<ReviewJob, "tainted"> } = {};
  return (cut) => {
    if (cut) return (known.cut ??= pieces([]));
    return (known.whole ??= read.some(({ n }) => !numbers.has(n)) ? pieces(range) : {});
  };
}

function isCut(whole: Entry[], shown: Entry[]): boolean {
  return JSON.stringify(whole).length !== JSON.stringify(shown).length;
}

/** A prefix must match the provider's cache byte for byte. One with a secret, or too long for the job, is left out. */
function withPrefix(job: ReviewJob, prefix: SentPrefix | undefined): ReviewJob {
  if (!prefix) return job;
  const text = JSON.stringify(prefix);
  const isClean = JSON.stringify(redactDeep(prefix)) === text;
  return isClean && byteLength(JSON.stringify(job)) + byteLength(text) < MAX_JOB_BYTES ? { ...job, prefix } : job;
}

type Answer = Extract<Entry, { kind: "assistant" }>["answer"];

/** How to edit each kind of text in an entry. */
interface Edit {
  text(text: string): string;
  value<T>(value: T): T;
  answer(answer: Answer): Answer;
  call(call: ToolCall): ToolCall;
}

function edit(entry: Entry, by: Edit): Entry {
  // Tool parts hold JSON as text, which must stay valid JSON.
  const editText = entry.kind === "tool" ? (text: string) => editJson(text, by) : by.text;
  const parts = entry.parts.map((part) => ({ ...part, text: editText(part.text) }));
  if (entry.kind === "assistant") return { ...entry, parts, answer: by.answer(entry.answer) };
  if (entry.kind !== "tool") return { ...entry, parts };
  return { ...entry, parts, call: by.call(entry.call), prepared: by.value(entry.prepared) };
}

/** The provider's native form of an answer and its reasoning are left out: no lesson cites them. */
const REDACTED: Edit = {
  text: redactText,
  value: redactDeep,
  answer: ({ native: _native, reasoning: _reasoning, ...answer }) => redactDeep(answer),
  call: redactDeep,
};

function cutAt(maxChars: number): Edit {
  const text = (whole: string) => cutText(whole, maxChars);
  const value = <T>(whole: T) => cutDeep(whole, maxChars) as T;
  const call = ({ malformed, ...made }: ToolCall): ToolCall => ({
    ...made,
    args: value(made.args),
    ...(malformed !== undefined && { malformed: text(malformed) }),
  });
  return { text, value, call, answer: (answer) => ({ ...answer, calls: answer.calls.map(call) }) };
}

/** Keeps as many items as fit in `bytes`, in their order. Priority: the newest item, the extra items, then newer before older. */
function keepNewest<T>(items: T[], isExtra: (item: T) => boolean, bytes: number): T[] {
  const newest = items.at(-1);
  const ranked = items.toReversed().toSorted((a, b) => rank(a) - rank(b));
  const kept = new Set<T>();
  let left = bytes;
  for (const item of ranked) {
    left -= byteLength(JSON.stringify(item)) + 1;
    if (left < 0 && item !== newest) break;
    kept.add(item);
  }
  return items.filter((item) => kept.has(item));

  function rank(item: T): number {
    if (item === newest) return 0;
    return isExtra(item) ? 1 : 2;
  }
}
