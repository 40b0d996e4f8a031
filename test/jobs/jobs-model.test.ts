// Jobs against a reference model after random sequences of commands: the model keeps each job as plain facts and knows nothing of rows. After each
// command both agree about every job, and no slot has had two runs. With TALARIA_SEQUENCES=10000 so many sequences are tried.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEnd } from "../../core/schemas/agenda/job.ts";
import { runs } from "../support/thorough.ts";
import { HOUR, MINUTE, OWNER, START, createJobsBed } from "./jobs-bed.ts";

const SEQUENCES = Number(process.env.TALARIA_SEQUENCES ?? runs(240));
const MAX_RUNNING = 2;
const PAUSE_AFTER = 3;
const DAY = 24 * HOUR;
const RETRIES = [5, 15, 30];
const NAMES = ["a", "b", "c"] as const;
type Name = (typeof NAMES)[number];

/** How they are written, and their first slot after an instant, reckoned from the moment that they were set. */
const SCHEDULES: { text: string; after(time: number, set: number): number | null }[] = [
  { text: "every 7m", after: (time, set) => set + 7 * MINUTE * (Math.floor((time - set) / (7 * MINUTE)) + 1) },
  { text: "every 3h", after: (time, set) => set + 3 * HOUR * (Math.floor((time - set) / (3 * HOUR)) + 1) },
  { text: "every day at 8:15", after: (time) => Math.floor((time - 8.25 * HOUR) / DAY) * DAY + DAY + 8.25 * HOUR },
  { text: "*/20 * * * *", after: (time) => (Math.floor(time / (20 * MINUTE)) + 1) * 20 * MINUTE },
  { text: "in 50m", after: (time, set) => (set + 50 * MINUTE > time ? set + 50 * MINUTE : null) },
];

interface Model {
  text: string;
  after(time: number): number | null;
  repeat: number | null;
  next: number | null;
  isPaused: boolean;
  isFinished: boolean;
  failures: number;
  attempts: number;
  retry: { slot: number; at: number; byHand?: true } | null;
  /** After a failure: not before the one, and by the other at the latest. */
  backoff: { from: number; to: number } | null;
  ran: number;
  open: { id: string; slot: number; isManual: boolean } | null;
  /** When its schedule was set. */
  since: number;
  /** Slots that had a run of the schedule. */
  used: Set<number>;
}

type Ends = "completed" | "error" | "unreachable" | "config" | "stopped" | "unknown";
type Command =
  | { do: "put"; name: Name; schedule: number; repeat: number | null }
  | { do: "pause" | "resume" | "remove" | "runNow"; name: Name }
  | { do: "settle"; name: Name; as: Ends }
  | { do: "advance"; minutes: number }
  | { do: "claim" | "reboot" };

const name = fc.constantFrom(...NAMES);
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ do: fc.constant("put" as const), name, schedule: fc.nat({ max: SCHEDULES.length - 1 }) },
      repeat: fc.option(fc.integer({ min: 1, max: 3 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("pause", "resume", "remove", "runNow", "resume", "runNow"), name }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      ...{ do: fc.constant("settle" as const), name },
      as: fc.constantFrom("completed", "error", "error", "unreachable", "unreachable", "config", "stopped", "unknown"),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("advance" as const),
      minutes: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.constantFrom(24 * 60, 3 * 24 * 60)),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("claim", "claim", "claim", "reboot") }) },
);

const ENDS: Record<Ends, RunEnd> = {
  completed: { state: "completed", text: "Done." },
  error: { state: "failed", outcome: "error", error: "It failed." },
  unreachable: { state: "failed", outcome: "unreachable", error: "Nobody answered." },
  config: { state: "failed", outcome: "config", error: "There is no key." },
  stopped: { state: "failed", outcome: "stopped", error: "Stopped." },
  unknown: { state: "unknown", error: "lost." },
};

function createModel() {
  const bed = createJobsBed({ maxRunning: MAX_RUNNING, failures: PAUSE_AFTER });
  const model = new Map<Name, Model>();
  let calls = 0;

  function put({ name: of, schedule, repeat }: Command & { do: "put" }): void {
    const { text, after } = SCHEDULES[schedule]!;
    const set = bed.clock.now();
    const known = model.get(of);
    if (known) bed.jobs.change(of, { schedule: text, repeat }, { author: OWNER });
    else bed.make(of, text, { repeat });
    // The same words keep the slots of a job that has not finished; only the number of runs may have changed.
    if (known?.text === text && !known.isFinished) {
      if (known.repeat === repeat) return;
      known.repeat = repeat;
      if (repeat !== null && known.ran >= repeat) return finish(known);
      return;
    }
    const fresh = { text, after: (time: number) => after(time, set), repeat, next: after(set, set), isFinished: false };
    const begun = { ...fresh, attempts: 0, retry: null, backoff: null, ran: 0, since: set };
    if (known) Object.assign(known, begun);
    else model.set(of, { ...begun, isPaused: false, failures: 0, open: null, used: new Set() });
  }

  function finish(job: Model): void {
    Object.assign(job, { next: null, retry: null, isFinished: true });
  }

  /** When it is due, at the earliest and at the latest. */
  function due(job: Model): { from: number; to: number } | null {
    if (job.open || job.isPaused || job.isFinished) return null;
    if (job.retry) return { from: job.retry.at, to: job.retry.at };
    if (job.next === null) return null;
    return { from: Math.max(job.next, job.backoff?.from ?? 0), to: Math.max(job.next, job.backoff?.to ?? 0) };
  }

  function claim(): void {
    const now = bed.clock.now();
    const open = [...model.values()].filter((job) => job.open).length;
    const claimed = bed.jobs.claimDue();
    for (const {
      job: { name: of },
      run,
    } of claimed) {
      const job = model.get(of as Name)!;
      const time = due(job);
      expect(time !== null && time.from <= now).toBe(true);
      const isRetry = job.retry !== null && (job.next === null || job.next > now);
      const slot = isRetry ? job.retry!.slot : job.next!;
      const isManual = isRetry && job.retry!.byHand === true;
      expect([run.slot, run.trigger === "retry", run.trigger === "manual"]).toEqual([
        slot,
        isRetry && !isManual,
        isManual,
      ]);
      if (!isRetry) {
        expect(job.used.has(slot)).toBe(false);
        job.used.add(slot);
        job.next = job.after(now);
      }
      Object.assign(job, { open: { id: run.id, slot, isManual }, retry: null, backoff: null });
    }
    const waiting = [...model.values()].filter((job) => (due(job)?.to ?? Infinity) <= now).length;
    // Whoever is surely due was begun, as long as there was room.
    expect(waiting === 0 || open + claimed.length === MAX_RUNNING).toBe(true);
    expect(open + claimed.length).toBeLessThanOrEqual(Math.max(MAX_RUNNING, open));
  }

  function settle(job: Model, as: Ends): void {
    const now = bed.clock.now();
    const { id, slot, isManual } = job.open!;
    bed.settle(id, ENDS[as]);
    job.open = null;
    if (as === "unreachable" && !job.isPaused && !job.isFinished && job.attempts < RETRIES.length) {
      job.retry = { slot, at: now + RETRIES[job.attempts++]! * MINUTE, ...(isManual && { byHand: true as const }) };
    } else {
      if (!isManual && slot > job.since) job.ran++;
      job.attempts = 0;
      if (as === "completed") job.failures = 0;
      else if (as !== "stopped") {
        job.failures++;
        const wait = MINUTE * 2 ** (job.failures - 1);
        job.backoff = { from: now + 0.75 * wait, to: now + 1.25 * wait };
        if (as === "config" || job.failures >= PAUSE_AFTER) job.isPaused = true;
      }
    }
    if ((job.repeat !== null && job.ran >= job.repeat) || (job.next === null && job.retry === null)) finish(job);
  }

  function resume(of: Name, job: Model): void {
    const next = job.isFinished ? null : job.after(bed.clock.now());
    const resumed = bed.jobs.resume(of);
    if (!job.isPaused) return;
    const isPast = next === null && job.open === null;
    expect(resumed.ok).toBe(!isPast);
    if (!isPast) Object.assign(job, { next, isPaused: false, failures: 0, attempts: 0, retry: null, backoff: null });
  }

  function run(given: Command): void {
    if (given.do === "put") return put(given);
    if (given.do === "advance") return bed.clock.advance(given.minutes * MINUTE);
    if (!("name" in given)) return given.do === "claim" ? claim() : bed.reboot();
    const job = model.get(given.name);
    if (!job) return void expect(bed.jobs.find(given.name).ok).toBe(false);
    switch (given.do) {
      case "settle":
        return job.open ? settle(job, given.as) : undefined;
      case "pause":
        bed.jobs.pause(given.name, "Holiday.");
        if (!job.isPaused) Object.assign(job, { isPaused: true, retry: null });
        return;
      case "resume":
        return resume(given.name, job);
      case "remove":
        bed.jobs.remove(given.name);
        return void model.delete(given.name);
      case "runNow": {
        const begun = bed.jobs.runNow(given.name, `call-${calls++}`);
        expect(begun.ok).toBe(job.open === null);
        if (!begun.ok) return;
        const { id, slot } = begun.value.run;
        Object.assign(job, { open: { id, slot, isManual: true }, retry: null, backoff: null });
      }
    }
  }

  function compare(): void {
    expect(
      bed.jobs.list({ after: "", limit: 100 }).map((job) => ({
        ...{
          name: job.name,
          next: job.nextAt,
          isPaused: job.paused !== null,
          isFinished: job.finishedAt !== null,
          ran: job.ran,
        },
        ...{ failures: job.failures, attempts: job.attempts, retry: job.retry, open: job.run },
      })),
    ).toEqual(
      [...model]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([of, { next, isPaused, isFinished, ran, failures, attempts, retry, open }]) => ({
          ...{ name: of, next, isPaused, isFinished, ran, failures, attempts, retry, open: open?.id ?? null },
        })),
    );
    expect(bed.jobs.count()).toBe(model.size);
    const earliest = [...model.values()].map((job) => due(job)?.to ?? Infinity);
    const isFull = [...model.values()].filter((job) => job.open).length >= MAX_RUNNING;
    // The alarm is in time for every job that could begin.
    if (!isFull && Math.min(...earliest) < Infinity)
      expect(bed.jobs.nextDue()!).toBeLessThanOrEqual(Math.min(...earliest));
  }

  return { run, compare, sql: bed.sql };
}

describe("jobs", () => {
  it(
    "agree with the reference model after every command",
    () => {
      fc.assert(
        fc.property(fc.array(command, { minLength: 5, maxLength: 60 }), (commands) => {
          const { run, compare, sql } = createModel();
          for (const given of commands) {
            run(given);
            compare();
          }
          const twice = "SELECT job, key FROM job_run WHERE key LIKE 'slot:%' GROUP BY job, key HAVING count(*) > 1";
          expect(sql.run(twice)).toEqual([]);
          sql.close();
        }),
        { numRuns: SEQUENCES },
      );
    },
    SEQUENCES * 200 + 5_000,
  );

  it("begin on time when their alarm is always set to the next due time, and never twice", () => {
    const bed = createJobsBed();
    bed.make("a", "every 7m");
    bed.make("b", "*/20 * * * *");
    bed.make("c", "every day at 8:15");
    const begun: [string, number][] = [];
    while (bed.clock.now() < START + DAY) {
      bed.clock.advance(Math.max(0, bed.jobs.nextDue()! - bed.clock.now()));
      for (const { job, run } of bed.jobs.claimDue()) {
        expect(run.slot).toBe(bed.clock.now());
        begun.push([job.name, run.slot]);
        bed.settle(run.id, ENDS.completed);
      }
    }
    const of = (which: string) => begun.filter(([job]) => job === which).length;
    expect([of("a"), of("b"), of("c")]).toEqual([Math.floor(DAY / (7 * MINUTE)), 72, 1]);
    expect(new Set(begun.map(String)).size).toBe(begun.length);
  });
});
