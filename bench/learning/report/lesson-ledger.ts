// Counts the lessons that reviews attempted to write, and those that the library contains after the review. The simulated reviewer
// reports the attempts; the library watch shows whether they were stored.
import type { Attempt } from "../models/lesson-keeping.ts";
import type { LibraryWatch } from "./library-watch.ts";
import type { RunRecord } from "./records.ts";
import type { World } from "../world/tasks.ts";

export function createLessonLedger(attempts: ReadonlyMap<string, Attempt>, watch: LibraryWatch) {
  const settled = new Map<string, boolean>();
  /** Lessons whose text was held at the end of the review. */
  const held = new Set<string>();

  /** A lesson that is being tried counts as said or not said when it is offered or withdrawn. */
  function settleHeld(): void {
    for (const key of held) {
      const attempt = attempts.get(key);
      if (attempt?.kind !== "lesson") continue;
      if (watch.holds(attempt.operation, attempt.option)) continue;
      held.delete(key);
      settled.set(key, watch.says(attempt.operation, attempt.option));
    }
  }

  return {
    settleHeld,
    blocked: (world: World): string[] =>
      [...attempts].flatMap(([key, attempt]) => {
        if (attempt.kind !== "lesson" || !isBenign(world, attempt) || settled.get(key)) return [];
        return [`task ${attempt.job}: ${attempt.operation} ${attempt.option}`];
      }),
    settle(n: number): void {
      for (const [key, attempt] of attempts) {
        if (settled.get(key) || attempt.kind !== "lesson" || Number(attempt.job.split(".")[1]) !== n) continue;
        settled.set(key, watch.says(attempt.operation, attempt.option));
        if (!settled.get(key) && watch.holds(attempt.operation, attempt.option)) held.add(key);
      }
    },
    counts(world: World): RunRecord["lessons"] {
      const { operation, families } = world;
      const lessons = [...attempts].flatMap(([key, attempt]) =>
        attempt.kind === "lesson" ? [{ ...attempt, landed: settled.get(key) === true }] : [],
      );
      const recurring = new Set(
        families.flatMap((family) => family.operations.map(({ name }) => operation(name).name)),
      );
      const benign = lessons.filter((lesson) => isBenign(world, lesson));
      const wrong = lessons.filter(({ isWrong }) => isWrong);
      return {
        benign: benign.length,
        landed: benign.filter(({ landed }) => landed).length,
        wrong: wrong.length,
        wrongLanded: wrong.filter(({ landed }) => landed).length,
        duplicates: lessons.filter(({ isDuplicate }) => isDuplicate).length,
        useful: lessons.filter((one) => one.landed && !one.isWrong && recurring.has(one.operation)).length,
      };
    },
  };
}

/** A lesson that repeats a person's false correction is not right, although the reviewer made no mistake. */
function isBenign(world: World, { job, operation, option, isWrong, isDuplicate }: LessonAttempt): boolean {
  return !isWrong && !isDuplicate && world.right(operation, Number(job.split(".")[1])) === option;
}

type LessonAttempt = Extract<Attempt, { kind: "lesson" }>;
