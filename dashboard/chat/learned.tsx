// What reviews learned from a turn, and why: under the turn that a lesson cites last.
import { Icon } from "../components/icon.tsx";
import type { Answer } from "../data/api.ts";
import { hrefOf } from "../pages.ts";
import type { Conversation } from "./conversation.ts";

type Review = Answer<"GET /v1/reviews">["reviews"][number];
type Given = NonNullable<Review["lessons"]>[number];

export interface Lesson {
  review: string;
  lesson: Given;
}

export function Learned({ lessons }: { lessons: readonly Lesson[] }) {
  return (
    <section class="learned" aria-label="Learned from this turn">
      <h3>
        <Icon name="spark" /> Learned
      </h3>
      <ul>
        {lessons.map(({ review, lesson }) => (
          <li key={`${review} ${lesson.kind === "skill" ? `${lesson.skill} ${lesson.rev}` : lesson.id}`}>
            <span dir="auto">
              {lesson.kind === "skill" ? (
                <>
                  {SKILL_VERBS[lesson.action] ?? "Changed the skill"}{" "}
                  <a href={hrefOf("skills", lesson.skill)}>{lesson.skill}</a>
                </>
              ) : (
                <>
                  {lesson.action === "remove" ? "Forgot" : "Remembered"}: {lesson.text}
                </>
              )}
              {lesson.preview !== undefined && <span class="muted"> — {lesson.preview}</span>}
            </span>{" "}
            <a class="small" href={hrefOf("learning", "reviews", review)}>
              Why
              <span class="visually-hidden"> this was learned</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const SKILL_VERBS: Record<string, string> = {
  create: "Wrote the skill",
  edit: "Rewrote the skill",
  patch: "Improved the skill",
  archive: "Archived the skill",
  remove_file: "Removed a file of the skill",
  write_file: "Wrote a file of the skill",
};

/** Lessons by turn. A lesson belongs to the turn of the newest entry that it cites, else to the last one that the review read. */
export function placeLessons(
  reviews: readonly Review[],
  { turns }: Conversation,
  session: string,
): Map<number, Lesson[]> {
  const placed = new Map<number, Lesson[]>();
  for (const { review, lessons = [] } of reviews) {
    const last = Number(/-(\d+)$/.exec(review)?.[1] ?? 0);
    for (const lesson of lessons) {
      const cited = lesson.citations.flatMap((citation) => {
        const [, of, entry] = /^([^/]+)\/(\d+)#/.exec(citation) ?? [];
        return of === session ? [Number(entry)] : [];
      });
      const entry = cited.length > 0 ? Math.max(...cited) : last;
      const turn = turns.findLast(({ items }) => items.length > 0 && items[0]!.entry <= entry);
      if (turn) placed.set(turn.n, [...(placed.get(turn.n) ?? []), { review, lesson }]);
    }
  }
  return placed;
}
