// Deletes expired records of an inactive profile from R2: reviews, decided changes, curations, packages of the hub. Called by the curator Worker for a
// `sweep/` marker, which is written on a profile's last active day. The runs of an active profile delete them anyway.
import type { CurationStore, HubQuarantine, PendingStore, Queue, ReviewStore } from "../../ports.ts";
import { type CurationMessage, toWorkMessage } from "../../schemas/learning/curation.ts";
import { DAY_MS, type Day, type ProfileId, dayOf, fromCurationId } from "../../schemas/ids.ts";
import type { Settings } from "../../schemas/settings.ts";

export interface RetentionOptions {
  profile: ProfileId;
  curation: CurationStore;
  reviews: ReviewStore;
  pending: PendingStore;
  quarantine: Pick<HubQuarantine, "sweep">;
  queue: Queue<CurationMessage>;
  now: number;
  settings: Pick<Settings, "review" | "curation">;
}

/** Returns the day of the next sweep, or `null` if no records are left. */
export async function sweepInactiveProfile(options: RetentionOptions): Promise<Day | null> {
  const { profile, curation, reviews, pending, quarantine, now, settings } = options;
  if (await curation.isGone(profile)) return null;
  const reviewsBefore = now - settings.review.keepDays * DAY_MS;
  const runsBefore = now - settings.curation.keepDays * DAY_MS;
  const kept = await resendUnfinishedWork(options, runsBefore);
  await reviews.sweep(reviewsBefore);
  await pending.sweep(reviewsBefore);
  const isFetching = (await quarantine.sweep(now - DAY_MS)) > 0;
  await curation.sweep(profile, runsBefore, kept);
  if (kept.some((run) => fromCurationId(run) < runsBefore)) return dayOf(now + DAY_MS);
  const nextSweeps = [
    sweepTime(await reviews.newest(), settings.review.keepDays),
    sweepTime(await pending.newest(), settings.review.keepDays),
    sweepTime(await curation.newest(profile), settings.curation.keepDays),
    isFetching ? now + DAY_MS : null,
  ].filter((at) => at !== null);
  return nextSweeps.length === 0 ? null : dayOf(Math.max(now, ...nextSweeps));
}

/** A time on the first day after the newest record has expired. */
function sweepTime(newest: number | null, keepDays: number): number | null {
  return newest === null ? null : newest + (keepDays + 1) * DAY_MS;
}

/** The first day on which all records of a profile have expired, if `active` was its last active day. */
export function sweepDayOf(active: Day, { review, curation }: Pick<Settings, "review" | "curation">): Day {
  const keepDays = Math.max(review.keepDays, curation.keepDays);
  return dayOf(Date.parse(`${active}T00:00:00Z`) + (keepDays + 1) * DAY_MS);
}

/**
 * Sends unfinished work of expired runs again. Its grant has expired too, so the delivery ends the work without a model. Returns the
 * runs that still have unfinished work.
 */
async function resendUnfinishedWork({ profile, curation, queue }: RetentionOptions, before: number) {
  const { owed } = await curation.notes(profile);
  const finished = new Set<string>();
  for (const { run, work } of owed) {
    if (fromCurationId(run) >= before) continue;
    if (await curation.work(profile, run, work).outcome()) finished.add(`${run} ${work}`);
    else await queue.send(toWorkMessage(profile, run, work));
  }
  const isOpen = ({ run, work }: (typeof owed)[number]) => !finished.has(`${run} ${work}`);
  if (finished.size > 0) {
    await curation.changeNotes(profile, (notes) => ({ ...notes, owed: notes.owed.filter(isOpen) }));
  }
  return owed.filter(isOpen).map(({ run }) => run);
}
