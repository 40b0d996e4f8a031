// One curation of one profile: completes what an earlier run left open, makes a plan, carries it out, and reports. Called by the
// curator Worker. Work for a model goes to the queue, a message each. Must never delete a skill; every change can be taken back.
import type { CurationStore } from "../../ports.ts";
import { type CurationId, DAY_MS, type Day, type ProfileId, fromCurationId, toCurationId } from "../../schemas/ids.ts";
import { type CuratorNotes, toWorkMessage } from "../../schemas/learning/curation.ts";
import { carryOut } from "./carry-out.ts";
import { finishMerges } from "./work/consolidate.ts";
import { makePlan, makeUndo } from "./make-plan.ts";
import type { CurationOptions, CurationContext } from "./run-options.ts";

/** This invocation may make no more requests. Everything done so far is stored, and another invocation continues the run. */
class OutOfRoom extends Error {}

/**
 * `busy`: another run holds the profile; try later. `more`: this invocation has no requests left; call again with the same run in
 * another one. Does nothing for a deleted profile. Throws when a store does; the next run then completes this one.
 */
export async function runCuration(given: CurationOptions): Promise<"done" | "busy" | "more"> {
  const { hasRoom = () => true } = given;
  const assertRoom = () => {
    if (!hasRoom()) throw new OutOfRoom("the requests of this invocation are used up");
  };
  try {
    return await runOnce({ ...given, folded: new Map(), hasRoom, assertRoom });
  } catch (thrown) {
    if (thrown instanceof OutOfRoom) return "more";
    throw thrown;
  }
}

/** Whether a run that began after the day's end has reported on the profile. If so, the day's marker can go. */
export async function isCurated(curation: CurationStore, profile: ProfileId, day: Day): Promise<boolean> {
  const dayEndMs = Date.parse(`${day}T00:00:00Z`) + DAY_MS;
  for (const run of await curation.runs(profile)) {
    if (fromCurationId(run) < dayEndMs) return false;
    const report = await curation.report(profile, run);
    if (report && !report.run.dryRun && report.run.undoes === undefined) return true;
  }
  return false;
}

async function runOnce(options: CurationContext): Promise<"done" | "busy"> {
  const { curation, profile, run, clock, settings } = options;
  if (await curation.isGone(profile)) return "done";
  if (await curation.report(profile, run)) return "done";
  if (options.dryRun) {
    await carryOut(options, await makePlan(options, await curation.notes(profile)));
    return "done";
  }
  const now = clock.now();
  if (!(await curation.lease(profile, run, now, now + settings.curation.leaseMs))) return "busy";
  try {
    await carryOutPlans(options);
    await sweepOldRuns(options, now);
  } finally {
    await curation.release(profile, run);
  }
  return "done";
}

/** Completes the open plans of earlier attempts and runs, then makes and carries out this run's own. */
async function carryOutPlans(options: CurationContext): Promise<void> {
  const { curation, profile, run, undoes } = options;
  const since = openSince(await settlePreviousRun(options));
  let open = await curation.openPlan(profile, since);
  while (open) {
    await carryOut(options, open);
    open = await curation.openPlan(profile, since);
  }
  if (await curation.report(profile, run)) return;
  // The notes are read again: an open plan may have changed them.
  const plan = undoes ? await makeUndo(options, undoes) : await makePlan(options, await curation.notes(profile));
  await carryOut(options, plan);
}

async function sweepOldRuns({ curation, profile, settings }: CurationContext, now: number): Promise<void> {
  const { owed } = await curation.notes(profile);
  const keptFrom = now - settings.curation.keepDays * DAY_MS;
  await curation.sweep(
    profile,
    keptFrom,
    owed.map((work) => work.run),
  );
}

/** Days that a requested run may wait in the queue while other runs overtake it. */
const OPEN_DAYS = 2;

/** All plans before this day have reported, so the listing need not begin at the profile's first day. */
function openSince({ last }: CuratorNotes): CurationId | undefined {
  return last === null ? undefined : toCurationId(fromCurationId(last) - OPEN_DAYS * DAY_MS, () => 0);
}

/** Completes interrupted merges before anything is planned, and sends work without an outcome again. */
async function settlePreviousRun(options: CurationContext): Promise<CuratorNotes> {
  const { curation, profile, work: models } = options;
  const notes = await curation.notes(profile);
  if (!models) return notes;
  const settled = new Set<string>();
  for (const { run, work } of notes.owed) {
    options.assertRoom();
    const store = curation.work(profile, run, work);
    if (await store.outcome()) {
      settled.add(`${run} ${work}`);
      continue;
    }
    await finishMerges({ ...options, ...models, run, work, store });
    await models.queue.send(toWorkMessage(profile, run, work));
  }
  if (settled.size === 0) return notes;
  return curation.changeNotes(profile, (now) => ({
    ...now,
    owed: now.owed.filter(({ run, work }) => !settled.has(`${run} ${work}`)),
  }));
}
