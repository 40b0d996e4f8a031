// Where a session meets the experiments of its profile: what a review wrote is sent to be tried, and the person is told how it ended. The
// outbox sends, with a row that is written in the transaction that settles the review. Nothing is read or written where no grant is possible.
import { ofPresentText } from "../../experiments/present-text.ts";
import { summarise } from "../../learning/review/lessons.ts";
import type { ExperimentId } from "../../schemas/learning/experiment.ts";
import type { ReviewResult } from "../../schemas/learning/review.ts";
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";

type ExperimentJob = Extract<Job, { kind: "experiment" }>;

/** Whether the profile's settings in force leave tokens for experiments that nobody asked for. */
export function mayExperiment({
  experiments,
  settings,
}: Pick<EngineContext["host"], "experiments" | "settings">): boolean {
  return experiments !== undefined && settings.review.replayTokens > 0;
}

/** Call inside the transaction that settles the review. One job for each skill with a new text. True: there is one. */
export function planExperiments({ host, jobs }: EngineContext, { review, lessons }: ReviewResult): boolean {
  if (!mayExperiment(host)) return false;
  const written = new Map<string, ExperimentJob>();
  for (const lesson of lessons) {
    if (lesson.kind !== "skill") continue;
    const { skill, action, rev, text } = lesson;
    const before = written.get(skill);
    if (action === "delete") written.delete(skill);
    // Requests alone are not a new text.
    else if (action !== "set_requests" || before?.text === text) {
      const isNew = action === "create" || before?.isNew === true;
      written.set(skill, { kind: "experiment", review, skill, rev, text, isNew });
    }
  }
  for (const job of written.values()) jobs.put(`experiment:${review}:${job.skill}`, host.clock.now(), job);
  return written.size > 0;
}

/** The result for the model's news: a skill that is held back is news when its hold ends. */
export function withoutSkills({ lessons }: ReviewResult): Pick<ReviewResult, "summary" | "lessons"> {
  const others = lessons.filter(({ kind }) => kind !== "skill");
  return { summary: summarise(others), lessons: others };
}

export async function carryExperiment({ host, jobs }: EngineContext, row: JobRow, job: ExperimentJob): Promise<void> {
  const { review, skill, rev, text, isNew } = job;
  const snapshot = host.experiments ? await host.skills.open(skill) : null;
  const occasion = isNew ? "lesson" : "revision";
  const wish = { key: `review:${review}:${skill}:${rev}`, occasion, session: host.session } as const;
  // If another text has replaced it, there is nothing left to try.
  const asked = snapshot?.head.text === text ? ofPresentText(snapshot, wish) : null;
  const taken = asked && (await host.experiments!.take(asked));
  // A conflict: an earlier attempt was taken, and the skill has other requests since.
  if (taken?.ok === false && taken.failure.code !== "idempotency_conflict")
    host.report(`job ${row.id}`, `not tried: ${taken.failure.message}`);
  jobs.delete(row.id);
}

/** Ids that were told, oldest first. An experiment asks again only until the session has answered. */
const MAX_TOLD = 100;

/** Tells the person how an experiment ended, once no answer streams. The same id again changes nothing. */
export function planExperimentNotice({ host, log, jobs }: EngineContext, id: ExperimentId, text: string): void {
  const told = log.meta<ExperimentId[]>("told_experiments") ?? [];
  if (told.includes(id)) return;
  host.sql.transaction(() => {
    log.setMeta("told_experiments", [...told, id].slice(-MAX_TOLD));
    // A notice belongs to a turn.
    const isTold = host.settings.review.notice !== "off" && log.lastTurn() !== null;
    if (isTold) jobs.put(`notice:experiment:${id}`, host.clock.now(), { kind: "notice", text });
  });
}
