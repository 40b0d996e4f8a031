// What reviews learned from a turn, and why: under the turn that a lesson cites last.
import { Icon } from "../../components/icon.tsx";
import { hrefOf } from "../../pages.ts";
import type { Lesson } from "./place-lessons.ts";

export function Learned({ lessons }: { lessons: readonly Lesson[] }) {
  return (
    <section class="learned" aria-label="Learned from this turn">
      <h2>
        <Icon name="spark" /> Learned
      </h2>
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
