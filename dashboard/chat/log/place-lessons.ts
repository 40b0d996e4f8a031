// Which turn a lesson belongs to. Pure.
import type { Answer } from "../../data/api.ts";
import type { Conversation } from "../session/conversation.ts";

export type Review = Answer<"GET /v1/reviews">["reviews"][number];

export interface Lesson {
  review: string;
  lesson: NonNullable<Review["lessons"]>[number];
}

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
