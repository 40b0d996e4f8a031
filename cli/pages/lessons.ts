// What reviews learned of a session, why, and how it is taken back: /why and /unlearn. Called by the commands of the terminal and of the
// plain conversation. Lessons are numbered as they were shown last, so that a newer one never takes the number of an older one.
import type { Lesson } from "../../core/schemas/learning/review.ts";
import type { Client } from "../connection/client.ts";
import { toOneLine } from "../output/plain-text.ts";

export type LessonClient = Pick<Client, "listReviews" | "review" | "undoSkillRevision" | "archiveSkill" | "forget">;

export type Lessons = ReturnType<typeof createLessons>;

const MAX_REVIEWS = 3;

export function createLessons(client: LessonClient) {
  let shown: Lesson[] = [];

  /** The newest reviews of the session that learned something. */
  async function why(session: string | null): Promise<string> {
    if (session === null) return "Nothing was learned here yet.";
    const reviews = await client.listReviews(session);
    const learned = reviews.filter(({ lessons = [] }) => lessons.length > 0).slice(0, MAX_REVIEWS);
    if (learned.length === 0) {
      const waiting = reviews.some(({ state }) => state === "waiting");
      return waiting ? "A review of this conversation has not ended yet." : "Nothing was learned here yet.";
    }
    shown = [];
    const pages: string[] = [];
    for (const { review } of learned) {
      const { result, job } = await client.review(review);
      if (result === null) continue;
      const because = toOneLine(result.because ?? job?.because ?? "");
      const head = `${toOneLine(result.summary)} (review ${review}, begun by ${result.trigger.replaceAll("_", " ")})`;
      const lessons = result.lessons.map((lesson) => {
        shown.push(lesson);
        return describeLesson(lesson, shown.length);
      });
      const note = toOneLine(result.note);
      pages.push(
        [
          head,
          ...(because === "" ? [] : [`  because: ${because}`]),
          ...lessons,
          ...(note === "" ? [] : [`  note: ${note}`]),
        ].join("\n"),
      );
    }
    return [...pages, "/unlearn N takes back lesson N; /learning shows whether lessons help."].join("\n");
  }

  return {
    why,
    /** `argument`: a number of `why`; "": the only lesson. */
    async unlearn(session: string | null, argument: string): Promise<string> {
      const page = shown.length === 0 ? await why(session) : "";
      if (shown.length === 0) return page;
      const n = argument === "" && shown.length === 1 ? 1 : Number(argument);
      const lesson = Number.isInteger(n) ? shown[n - 1] : undefined;
      if (!lesson)
        return [...(page === "" ? [] : [page]), `Write it as /unlearn N, with N from 1 to ${shown.length}.`].join("\n");
      return takeBack(client, lesson);
    },
  };
}

function describeLesson(lesson: Lesson, n: number): string {
  const what =
    lesson.kind === "skill"
      ? `skill ${lesson.skill}, revision ${lesson.rev} (${lesson.action})`
      : `memory ${lesson.store} (${lesson.action}): ${toOneLine(lesson.text)}`;
  const entries = lesson.citations.map((citation) => citation.split("/")[1] ?? citation);
  const cites = entries.length > 0 ? `, from entries ${entries.join(", ")}` : "";
  const preview = lesson.preview === undefined ? [] : [`     ${toOneLine(lesson.preview)}`];
  return [`  ${n}. ${what}${cites}`, ...preview].join("\n");
}

/** A new skill is archived, a change of one is reverted, a fact is forgotten. Refusals of the server are for the caller. */
async function takeBack(client: LessonClient, lesson: Lesson): Promise<string> {
  if (lesson.kind === "memory") {
    if (lesson.action === "remove") return "A removed fact cannot be brought back here: tell the agent to remember it.";
    const { removed } = await client.forget(lesson.store, lesson.id);
    return removed === 0 ? "(that fact is not stored any more)" : `(forgotten: ${toOneLine(lesson.text)})`;
  }
  if (lesson.rev === 1) {
    await client.archiveSkill(lesson.skill);
    return `(skill ${lesson.skill} is archived; nothing is deleted)`;
  }
  const head = await client.undoSkillRevision(lesson.skill, lesson.rev);
  return `(revision ${lesson.rev} of ${lesson.skill} is taken back by revision ${head.rev})`;
}
