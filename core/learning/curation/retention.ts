// Deletes what a quiet profile left in R2 once its retention is over: reviews, decided changes, curations. Called by the curator
// Worker for a `sweep/` marker, which a profile's last active day leaves. An active profile sweeps by itself.
import type { CurationStore, PendingStore, Queue, ReviewStore } from "../../ports.ts";
import { type CurationMessage, toWorkMessage } from "../../schemas/learning/curation.ts";
import { DAY_MS, type Day, type ProfileId, dayOf, fromCurationId } from "../../schemas/ids.ts";
import type { Settings } from "../../schemas/settings.ts";

export interface RetentionOptions {
  profile: ProfileId;
  curation: CurationStore;
  reviews: ReviewStore;
  pending: PendingStore;
  queue: Queue<CurationMessage>;
  now: number;
  settings: Pick<Settings, "review" | "curation">;
}

/** The day of the next sweep, because something younger is left; `null`: nothing is left. */
export async function sweepQuiet(options: RetentionOptions): Promise<Day | null> {
  const { profile, curation, reviews, pending, now, settings } = options;
  if (await curation.isGone(profile)) return null;
  const reviewsBefore = now - settings.review.keepDays * DAY_MS;
  const runsBefore = now - settings.curation.keepDays * DAY_MS;
  const kept = await endOwed(options, runsBefore);
  await reviews.sweep(reviewsBefore);
  await pending.sweep(reviewsBefore);
  await curation.sweep(profile, runsBefore, kept);
  if (kept.some((run) => fromCurationId(run) < runsBefore)) return dayOf(now + DAY_MS);
  const left = [
    sweepTime(await reviews.newest(), settings.review.keepDays),
    sweepTime(await pending.newest(), settings.review.keepDays),
    sweepTime(await curation.newest(profile), settings.curation.keepDays),
  ].filter((at) => at !== null);
  return left.length === 0 ? null : dayOf(Math.max(now, ...left));
}

/** A time on the first day after the retention has ended. */
function sweepTime(newest: number | null, keepDays: number): number | null {
  return newest === null ? null : newest + (keepDays + 1) * DAY_MS;
}

/** The day after the last retention ends, for a profile whose last active day this was. */
export function sweepDayOf(active: Day, { review, curation }: Pick<Settings, "review" | "curation">): Day {
  const keepDays = Math.max(review.keepDays, curation.keepDays);
  return dayOf(Date.parse(`${active}T00:00:00Z`) + (keepDays + 1) * DAY_MS);
}

/**
 * Sends unfinished work of expired runs again. Its grant has expired as well, so its message ends it without a model. Returns the runs
 * that still have unfinished work.
 */
async function endOwed({ profile, curation, queue }: RetentionOptions, before: number) {
  const { owed } = await curation.notes(profile);
  const settled = new Set<string>();
  for (const { run, work } of owed) {
    if (fromCurationId(run) >= before) continue;
    if (await curation.work(profile, run, work).outcome()) settled.add(`${run} ${work}`);
    else await queue.send(toWorkMessage(profile, run, work));
  }
  const isOpen = ({ run, work }: (typeof owed)[number]) => !settled.has(`${run} ${work}`);
  if (settled.size > 0) {
    await curation.changeNotes(profile, (notes) => ({ ...notes, owed: notes.owed.filter(isOpen) }));
  }
  return owed.filter(isOpen).map(({ run }) => run);
}
