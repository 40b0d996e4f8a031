// The one line that tells a person about a finished review, and the word for the operator's log. Called by the session that finds
// a result, and by the review Worker. Never reports a refused or waiting write as done. Pure.
import { clip } from "../../clip.ts";
import { redactText } from "../../redact.ts";
import type { ToolCall } from "../../schemas/entry.ts";
import type { Lesson, ReviewDead, ReviewResult } from "../../schemas/learning/review.ts";
import type { Settings } from "../../schemas/settings.ts";
import { readRecordedPatches } from "../../tools/skills/skill-manage.ts";
import { VERDICTS } from "./verdicts.ts";

type Level = Settings["review"]["notice"];

// Lengths of previews, as in Hermes Agent.
const ADDED_CHARS = 120;
const REMOVED_CHARS = 60;
const PATCH_CHARS = 80;

/** `null`: there is nothing to report, or reports are off. */
export function describeResult(
  result: Pick<ReviewResult, "lessons" | "waiting" | "summary">,
  level: Level,
): string | null {
  const { lessons, waiting, summary } = result;
  if (level === "off" || (lessons.length === 0 && waiting === undefined)) return null;
  if (level === "on") return summary;
  const previews = lessons.flatMap((lesson) =>
    lesson.preview === undefined ? [] : `${nameOf(lesson)} ${lesson.preview}`,
  );
  return [summary, ...new Set(previews)].join(" · ");
}

/** For a review that a person asked for: always says how it ended, unless reports are off. */
export function describeRequestedReview(outcome: ReviewResult | ReviewDead, level: Level): string | null {
  if (level === "off") return null;
  if (!("lessons" in outcome)) return `The review you asked for did not finish: ${outcome.message}`;
  const notice = describeResult(outcome, level);
  if (notice !== null) return notice;
  if (outcome.state === "superseded") return `The review you asked for was not needed: ${outcome.summary}`;
  const refused = outcome.refused.filter(({ tool }) => tool !== VERDICTS);
  return refused.length === 0
    ? "The review you asked for found nothing worth keeping."
    : `The review you asked for kept nothing: what it wanted to keep was refused (${refusalsOf(refused)}).`;
}

/** Codes with counts, the most frequent first. */
function refusalsOf(refused: ReviewResult["refused"]): string {
  const byCode = Map.groupBy(refused, ({ code }) => code);
  return [...byCode]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([code, calls]) => (calls.length === 1 ? code : `${code} (${calls.length} times)`))
    .join(", ");
}

/** Which stores a review has written to. */
export function nameWrittenStores(lessons: Lesson[]): "none" | "skill" | "memory" | "skill+memory" {
  const kinds = new Set(lessons.map(({ kind }) => kind));
  if (kinds.size === 2) return "skill+memory";
  if (kinds.has("skill")) return "skill";
  return kinds.has("memory") ? "memory" : "none";
}

/** Adds the beginning of each change to the lessons of one call. */
export function addPreviews(lessons: Lesson[], call: ToolCall): Lesson[] {
  return lessons.map((lesson) => {
    const preview = lesson.kind === "skill" ? previewPatch(call) : previewFact(lesson);
    return preview ? { ...lesson, preview } : lesson;
  });
}

function previewPatch({ args }: ToolCall): string {
  const [first] = readRecordedPatches(args);
  if (!first) return "";
  return `${quote(first.oldString, PATCH_CHARS)} → ${quote(first.newString, PATCH_CHARS)}`;
}

function previewFact({ action, text }: Extract<Lesson, { kind: "memory" }>): string {
  return action === "remove" ? `- ${quote(text, REMOVED_CHARS)}` : `+ ${quote(text, ADDED_CHARS)}`;
}

function nameOf(lesson: Lesson): string {
  return lesson.kind === "skill" ? `${lesson.skill}:` : `${lesson.store}:`;
}

function quote(text: string, most: number): string {
  const line = redactText(text)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return `"${clip(line, most)}"`;
}
