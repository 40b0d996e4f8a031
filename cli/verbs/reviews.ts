// `talaria reviews`: what the reviews of finished work decided.
import type * as z from "zod";
import { type ReviewDetail, ReviewLineList } from "../../core/schemas/api.ts";
import type { Lesson } from "../../core/schemas/learning/review.ts";
import { PAGE_FLAGS } from "../command-line/flags.ts";
import { showList } from "../command-line/pages.ts";
import type { Column } from "../output/table.ts";
import { type Verb, textFlag } from "../command-line/verb.ts";

type Line = ReviewLineList["reviews"][number];

const LINE: Column<Line>[] = [
  { title: "review", cell: ({ review }) => review },
  { title: "state", cell: ({ state }) => state },
  { title: "lessons", cell: ({ lessons }) => lessons?.length ?? 0 },
  { title: "summary", cell: ({ summary = "" }) => summary, shrinks: true },
];

export const reviews: Verb = {
  name: "reviews",
  help: "list or show the reviews of finished work",
  actions: [
    {
      name: "list",
      help: "all reviews, newest first",
      flags: { session: { type: "string", value: "ID", help: "of this session only" }, ...PAGE_FLAGS },
      run: (call) =>
        showList(call, {
          schema: ReviewLineList,
          route: "GET /v1/reviews",
          field: "reviews",
          itemsOf: (answer) => answer.reviews,
          query: { session: textFlag(call.flags, "session") },
          columns: LINE,
          empty: "There is no review yet.",
        }),
    },
    {
      name: "show",
      words: "REVIEW",
      help: "what one review learned, refused and noted",
      async run({ words: [review = ""], json, output, client }) {
        const detail = await client().review(review);
        if (json) output.json(detail);
        else output.text(renderReview(detail));
      },
    },
  ],
};

function renderReview({ review, state, job, result, dead }: z.infer<typeof ReviewDetail>): string {
  const session = result?.session ?? job?.session ?? dead?.session;
  const lines = [`${review}: ${state}`, ...(session ? [`of session ${session}`] : [])];
  if (dead) lines.push(`given up: ${dead.message} (${dead.code})`);
  if (result) {
    lines.push("", result.summary);
    if (result.note) lines.push("", result.note);
    if (result.lessons.length > 0)
      lines.push("", "Learned:", ...result.lessons.map((lesson) => `  ${nameLesson(lesson)}`));
    const refused = result.refused.map(({ tool, code, message }) => `  ${tool}: ${message} (${code})`);
    if (refused.length > 0) lines.push("", "Refused:", ...refused);
  }
  return lines.join("\n");
}

function nameLesson(lesson: Lesson): string {
  return lesson.kind === "skill"
    ? `skill ${lesson.skill}, revision ${lesson.rev}: ${lesson.action}`
    : `memory (${lesson.store}): ${lesson.action}`;
}
