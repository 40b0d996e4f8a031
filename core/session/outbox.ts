// Carries out the jobs a turn left behind. A row leaves only when its effect is proved: a put that answered, or, for a
// review, a result that can be read. Until then it is done again, which its id makes harmless.
import { toReviewJob } from "../learning/job.ts";
import type { EngineContext } from "./context.ts";
import type { Job, JobRow } from "./jobs.ts";
import { observeEntries } from "./learn.ts";
import { toNotice } from "./notices.ts";

type ReviewJobRow = JobRow & { job: Extract<Job, { kind: "review" }> };

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox(context: EngineContext) {
  const { host, log, jobs, hub } = context;
  const { clock, settings } = host;
  let draining: Promise<void> | null = null;

  async function run(): Promise<void> {
    for (const row of jobs.due()) {
      try {
        await carryOut(row);
      } catch (error) {
        host.report(`job ${row.id}`, error);
        if (jobs.get(row.id)) jobs.retry(row);
      }
    }
    await jobs.arm();
  }

  async function carryOut(row: JobRow): Promise<void> {
    switch (row.job.kind) {
      case "drive":
        return; // the driver's
      case "evidence":
        for (const evidence of row.job.evidence) await host.evidence.put(evidence);
        return jobs.delete(row.id);
      case "active":
        await host.evidence.markActive(row.job.day);
        return jobs.delete(row.id);
      case "review":
        return carryReview({ ...row, job: row.job });
    }
  }

  async function carryReview(row: ReviewJobRow): Promise<void> {
    if (row.job.looks > 0 && (await settleReview(row, () => log.openTurns().length === 0))) return;
    if (row.job.looks >= settings.review.maxLooks) return giveUp(row);
    if (!row.job.granted) {
      const { perProfileMs } = settings.review;
      const urgent = row.job.trigger === "correction" || row.job.trigger === "refine";
      const place = await host.reserveReview({ session: host.session, now: clock.now(), perProfileMs, urgent });
      if (!place.granted) return jobs.put(row.id, place.retryAt, row.job);
      jobs.put(row.id, row.due, { ...row.job, granted: true });
    }
    if (row.job.looks === 0) await host.reviews.putJob(makeJob(row.job));
    await host.queue.send({ v: 1, profile: host.profile, review: row.job.review });
    if (!jobs.get(row.id)) return; // meanwhile a turn has looked, and found the result
    const { looksMs } = settings.review;
    const wait = looksMs[Math.min(row.job.looks, looksMs.length - 1)]!;
    jobs.put(row.id, clock.now() + wait, { ...row.job, granted: true, looks: row.job.looks + 1 });
  }

  function makeJob(job: ReviewJobRow["job"]) {
    const { from, to, trigger, skills, memory } = job;
    const entries = log.entries(from, to);
    const turns = [...new Set(entries.map((entry) => entry.turn))];
    return toReviewJob({
      profile: host.profile,
      session: host.session,
      decision: { trigger, skills, memory },
      from,
      to,
      entries,
      observations: turns.map((turn) =>
        observeEntries(
          context,
          turn,
          entries.filter((entry) => entry.turn === turn),
        ),
      ),
      model: host.model.ok ? host.model.value.name : "none",
      settings,
      now: clock.now(),
    });
  }

  /**
   * True when the review has ended. The person is told in one line, which takes an entry number: while an answer streams
   * the next number is its own, so the row waits for the turn's end.
   */
  async function settleReview(row: ReviewJobRow, mayWrite: () => boolean): Promise<boolean> {
    const outcome = await host.reviews.outcome(row.job.review);
    if (!outcome) return false;
    if (!jobs.get(row.id)) return true; // another look was quicker
    if (!mayWrite()) {
      jobs.put(row.id, clock.now() + settings.review.looksMs[0]!, row.job);
      return true;
    }
    const summary = "lessons" in outcome && outcome.lessons.length > 0 ? outcome.summary : null;
    host.sql.transaction(() => {
      jobs.delete(row.id);
      if (summary !== null) addNotice(summary);
    });
    return true;
  }

  function addNotice(text: string): void {
    const n = log.nextEntry();
    log.put(toNotice({ n, turn: log.lastTurn()!.n, at: clock.now(), code: "learned", text }));
    hub.emit({ at: { entry: n, offset: 0 }, event: { type: "notice_add", entry: n, code: "learned", text } });
  }

  async function giveUp(row: ReviewJobRow): Promise<void> {
    const { review } = row.job;
    const message = `No result came in ${settings.review.maxLooks} looks.`;
    await host.reviews.bury({ v: 1, review, session: host.session, code: "no_result", message, at: clock.now() });
    jobs.delete(row.id);
  }

  return {
    /** One at a time; a second caller waits for the first. Never rejects. */
    async drain(): Promise<void> {
      while (draining) await draining;
      draining = run().catch((error) => host.report("outbox", error));
      await draining;
      draining = null;
    },
    /** Before a turn's first answer: has a review ended meanwhile? Sends nothing. Never rejects. */
    async look(): Promise<void> {
      for (const row of jobs.all()) {
        if (row.job.kind !== "review" || row.job.looks === 0) continue;
        await settleReview({ ...row, job: row.job }, () => true).catch((error) => host.report(`look ${row.id}`, error));
      }
    },
  };
}
