// The experiments of a profile: what is asked for, read, stopped and forgotten. The work is in pump.ts, which the alarm drives. Created by the
// Experiments object, by the bench and by tests. Nothing is stored before the first experiment.
import { type Result, err, ok } from "../errors.ts";
import { type ExperimentId, emptyReport } from "../schemas/learning/experiment.ts";
import type { PumpContext } from "./advance.ts";
import { readArm } from "./arm-texts.ts";
import { closeOff, forgetSessionOf, forgetWordsOf, giveUp, stopNow, toUnjudged } from "./endings.ts";
import type { ExperimentHost, Experiments } from "./ports.ts";
import { takeStep } from "./pump.ts";
import { type StoredExperiment, type StoredRun, createRows } from "./rows.ts";
import { fingerprintOf, sumExperiments, toExperiment, toLine, toShown } from "./views.ts";

/** [own] One runs at a time: more would wait for weeks. */
export const MAX_OPEN_EXPERIMENTS = 50;
/** Steps of one alarm. Then the next alarm goes on. */
const MAX_STEPS = 200;
/** When an alarm that was cut off is fired again, if the platform does not. */
const SAFETY_MS = 2 * 60_000;
// Backoff as in core/session/jobs.ts.
const BASE_RETRY_MS = 2_000;
const MAX_RETRY_MS = 15 * 60_000;
/** About ten hours. What fails for so long does not succeed, and others wait for it. */
const MAX_TRIES = 40;

export function createExperiments(host: ExperimentHost): Experiments {
  const rows = createRows(host.sql);
  const context: PumpContext = { host, rows };
  let working: Promise<void> | null = null;

  const arm = async (): Promise<void> => {
    const next = rows.nextDue();
    await host.alarm.set(next === null ? null : Math.max(next.due, host.clock.now()));
  };
  const transact = (work: () => void): void => {
    try {
      host.sql.transaction(work);
    } catch (error) {
      rows.forget();
      throw error;
    }
  };
  const now = () => host.clock.now();

  async function work(): Promise<void> {
    await host.alarm.set(now() + SAFETY_MS);
    for (let step = 0; step < MAX_STEPS; step++) {
      const next = rows.nextDue();
      if (next === null || next.due > now()) break;
      const experiment = rows.get(next.id)!;
      try {
        await takeStep(context, experiment);
      } catch (error) {
        host.report(`experiment ${experiment.id}`, error);
        postpone(experiment);
      }
    }
    await arm();
  }

  /** With backoff. One that fails for hours ends, so that others can begin. */
  function postpone(seen: StoredExperiment): void {
    const current = rows.get(seen.id);
    if (!current || current.seq !== seen.seq) return;
    const tries = current.tries + 1;
    if (tries >= MAX_TRIES && current.step !== "kept") return transact(() => giveUp(rows, current, now()));
    const wait = Math.min(BASE_RETRY_MS * 2 ** current.tries, MAX_RETRY_MS);
    const due = now() + wait + Math.round(host.random() * wait * 0.5);
    transact(() => void rows.put({ ...current, tries, due }));
  }

  /** Each is noted when it is gone: a repetition goes on where it was cut off, and wakes no run a second time. */
  async function eraseNow(runs: StoredRun[]): Promise<void> {
    for (const { replay, erased } of runs) {
      if (replay === null || erased) continue;
      await host.replays.erase(replay);
      const current = rows.run(replay);
      if (current) transact(() => rows.putRun({ ...current, erased: true }));
    }
  }

  return {
    async take(asked) {
      const fingerprint = fingerprintOf(asked);
      const known = rows.byKey(asked.key);
      if (known) {
        if (known.asked !== fingerprint) {
          return err("idempotency_conflict", "This key was used for another experiment. Use a new one.");
        }
        await arm(); // the attempt that made it may have died before it set the alarm
        return ok(toShown(rows, known));
      }
      if (rows.open().length >= MAX_OPEN_EXPERIMENTS) {
        const message = `${MAX_OPEN_EXPERIMENTS} experiments are waiting or running. Stop one, or try again later.`;
        return err("too_many_experiments", message);
      }
      const experiment = toExperiment(asked, { id: host.newId(), asked: fingerprint, now: now() });
      transact(() => {
        rows.make();
        rows.put(experiment);
        if (asked.given) rows.putText(experiment.id, asked.given);
      });
      await arm();
      return ok(toShown(rows, experiment));
    },
    async read(id) {
      const experiment = rows.get(id);
      return experiment ? ok(toShown(rows, experiment)) : notFound(id);
    },
    async list({ skill, after, limit }) {
      return rows.list({ skill, after, limit: Math.min(limit, MAX_PAGE) }).map(toLine);
    },
    async stop(id) {
      const experiment = rows.get(id);
      if (!experiment) return notFound(id);
      transact(() => stopNow(rows, experiment, "A person stopped it.", now()));
      await arm();
      return ok(toShown(rows, rows.get(id)!));
    },
    async readText(id, wanted) {
      const experiment = rows.get(id);
      return experiment ? readArm(context, experiment, wanted) : notFound(id);
    },
    async takeReport(id, report) {
      const run = rows.run(id);
      const experiment = run && rows.get(run.experiment);
      if (!run || !experiment) return;
      if (run.step === "begin" || run.step === "wait") {
        const next = { ...run, step: "judge", state: "running", report } as const;
        transact(() => {
          rows.putRun(experiment.step === "run" ? next : toUnjudged(next));
          rows.put({ ...experiment, due: now() });
        });
        return arm();
      }
      // It was lost or stopped. What it has used is booked nevertheless.
      if (run.step !== "ended" || report.lines.length === 0 || (run.report?.lines.length ?? 0) > 0) return;
      transact(() => {
        const late = { ...(run.report ?? emptyReport("failed", "stopped", report.endedAt)), lines: report.lines };
        rows.putRun({ ...run, step: "book", report: late });
        rows.put({ ...experiment, due: now() });
      });
      return arm();
    },
    async alarm() {
      while (working) await working;
      working = work()
        .catch((error) => host.report("experiments", error))
        .finally(() => (working = null));
      await working;
    },
    async forgetSession(session) {
      transact(() => {
        for (const experiment of rows.all()) forgetSessionOf(rows, experiment, session, now());
      });
      await eraseNow(rows.runsOfSession(session));
      if (rows.hasTables()) await arm();
    },
    async forgetSkill(skill) {
      transact(() => {
        for (const one of rows.open()) if (one.skill === skill) stopNow(rows, one, "Its skill was deleted.", now());
      });
      if (rows.hasTables()) await arm();
    },
    async forgetWords() {
      const all = rows.all();
      transact(() => {
        for (const experiment of all) forgetWordsOf(rows, experiment, now());
      });
      for (const { id } of all) await eraseNow(rows.runs(id));
      if (rows.hasTables()) await arm();
    },
    async eraseAll() {
      const all = rows.all();
      transact(() => {
        for (const experiment of all) closeOff(rows, experiment);
      });
      for (const { id } of all) await eraseNow(rows.runs(id));
      transact(() => rows.deleteAll());
      await host.alarm.set(null);
    },
    sum({ since }) {
      return sumExperiments(
        rows.all().filter(({ createdAt }) => createdAt >= since),
        rows.runs,
      );
    },
  };
}

/** [own] One page. */
const MAX_PAGE = 100;

function notFound(id: ExperimentId): Result<never> {
  return err("experiment_not_found", `There is no experiment ${id}.`);
}
