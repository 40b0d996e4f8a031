// The experiments of a profile: what is asked for, read, stopped and forgotten. The work is in pump.ts, which the alarm drives. Created by the
// Experiments object, by the bench and by tests. Nothing is stored before the first experiment.
import { type Result, err, ok } from "../errors.ts";
import { hashFiles, sha256Hex } from "../schemas/learning/digest.ts";
import type { SessionId, Sha256 } from "../schemas/ids.ts";
import type { Experiment, ExperimentId, ExperimentSum } from "../schemas/learning/experiment.ts";
import type { ExperimentLine } from "../schemas/learning/experiment-api.ts";
import { type PumpContext, toReport, withoutWords } from "./advance.ts";
import { readArm } from "./arm-texts.ts";
import type { ExperimentHost, Experiments, NewExperiment } from "./ports.ts";
import { takeStep } from "./pump.ts";
import { type StoredExperiment, type StoredRun, createRows } from "./rows.ts";

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
    if (tries >= MAX_TRIES && current.step !== "kept") return transact(() => giveUp(current));
    const wait = Math.min(BASE_RETRY_MS * 2 ** current.tries, MAX_RETRY_MS);
    const due = now() + wait + Math.round(host.random() * wait * 0.5);
    transact(() => void rows.put({ ...current, tries, due }));
  }

  function giveUp(current: StoredExperiment): void {
    const why = current.why || "It could not be tried.";
    if (current.step !== "conclude") {
      rows.put({ ...current, step: "conclude", outcome: null, why, tries: 0, due: now() });
      closeRuns(current.id);
      return;
    }
    const endedAt = current.endedAt ?? now();
    rows.put({
      ...current,
      state: "done",
      step: "kept",
      why,
      endedAt,
      runsUntil: now(),
      due: now(),
      tries: 0,
      tried: [],
    });
  }

  /** Runs that nobody waits for any more. Those that have reported are booked; the others are erased when the experiment concludes. */
  function closeRuns(id: ExperimentId): void {
    for (const run of rows.runs(id)) {
      if (run.step === "judge") rows.putRun({ ...run, step: "book", state: "done", verdict: "unknown", judge: "none" });
    }
  }

  function stopNow(experiment: StoredExperiment, why: string): void {
    const { step } = experiment;
    if (step === "kept" || step === "erased" || step === "conclude") return;
    rows.put({
      ...experiment,
      state: "done",
      step: "conclude",
      outcome: null,
      why,
      endedAt: now(),
      tries: 0,
      due: now(),
    });
    closeRuns(experiment.id);
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
        return ok(show(known));
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
      return ok(show(experiment));
    },
    async read(id) {
      const experiment = rows.get(id);
      return experiment ? ok(show(experiment)) : notFound(id);
    },
    async list({ skill, after, limit }) {
      return rows.list({ skill, after, limit: Math.min(limit, FIXED_LIST) }).map(toLine);
    },
    async stop(id) {
      const experiment = rows.get(id);
      if (!experiment) return notFound(id);
      transact(() => stopNow(experiment, "A person stopped it."));
      await arm();
      return ok(show(rows.get(id)!));
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
        transact(() => {
          rows.putRun({ ...run, step: "judge", state: "running", report });
          rows.put({ ...experiment, due: now() });
        });
        return arm();
      }
      // It was lost or stopped. What it has used is booked nevertheless.
      if (run.step !== "ended" || report.lines.length === 0 || (run.report?.lines.length ?? 0) > 0) return;
      transact(() => {
        const late = { ...(run.report ?? toReport("failed", "stopped", report.endedAt)), lines: report.lines };
        rows.putRun({ ...run, step: "book", report: late });
        const due = experiment.step === "kept" || experiment.step === "erased" ? experiment.due : now();
        rows.put({ ...experiment, due });
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
      const erased = rows.runsOfSession(session);
      transact(() => {
        for (const experiment of rows.all()) forgetWithin(experiment, session);
      });
      for (const { replay } of erased) if (replay !== null) await host.replays.erase(replay);
      if (rows.hasTables()) await arm();
    },
    async forgetSkill(skill) {
      transact(() => {
        for (const one of rows.open()) if (one.skill === skill) stopNow(one, "Its skill was deleted.");
      });
      if (rows.hasTables()) await arm();
    },
    async forgetWords() {
      const all = rows.all();
      transact(() => {
        for (const experiment of all) forgetAllWords(experiment);
      });
      for (const { id } of all) {
        for (const { replay } of rows.runs(id)) if (replay !== null) await host.replays.erase(replay);
      }
      if (rows.hasTables()) await arm();
    },
    async eraseAll() {
      for (const { id } of rows.all()) {
        for (const { replay, erased } of rows.runs(id))
          if (replay !== null && !erased) await host.replays.erase(replay);
      }
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

  function show(experiment: StoredExperiment): Experiment {
    const runs = rows.runs(experiment.id).map(({ replay, turn, arm, nth, state, verdict, judge, report }) => ({
      ...{ replay, turn, arm, nth, state, verdict, judge, report },
    }));
    return { ...toLine(experiment), runs };
  }

  function forgetWithin(experiment: StoredExperiment, session: SessionId): void {
    const isOf = (turn: string) => turn.startsWith(`${session}-`);
    const runs = rows.runs(experiment.id).filter(({ turn }) => isOf(turn));
    const isTold = experiment.session === session;
    if (!isTold && runs.length === 0 && !experiment.turns.some(({ turn }) => isOf(turn))) {
      // It may be describing turns of this session at this moment: its step is taken again.
      if (experiment.step === "choose") rows.put(experiment);
      return;
    }
    for (const run of runs) rows.putRun(toForgotten(run, now()));
    const gone = { replayable: false, reason: "session_gone", why: "Its session was deleted." } as const;
    const turns = experiment.turns.map((one) =>
      isOf(one.turn) ? { ...one, request: null, replayability: gone } : one,
    );
    const tried = experiment.tried.map((one) => (isOf(one.turn) ? { ...one, request: "", accepted: null } : one));
    const due = experiment.step === "run" ? now() : experiment.due;
    rows.put({ ...experiment, session: isTold ? null : experiment.session, turns, tried, due });
  }

  function forgetAllWords(experiment: StoredExperiment): void {
    stopNow(experiment, "A text was purged that its runs may have quoted.");
    const current = rows.get(experiment.id)!;
    for (const run of rows.runs(current.id)) {
      const { report } = toForgotten(run, now());
      const bare = report && { ...report, failedWords: [], refusedWords: [], workedWords: [] };
      rows.putRun({ ...toForgotten(run, now()), report: bare });
    }
    rows.deleteText(current.id);
    const turns = current.turns.map((one) => ({ ...one, request: null }));
    rows.put({ ...current, turns, tried: [], about: "", citations: [] });
  }
}

/** The Replay object is erased, or will be at once; one that had not reported ends here. */
function toForgotten(run: StoredRun, endedAt: number): StoredRun {
  const bare = withoutWords(run);
  if (run.step === "begin" || run.step === "wait") {
    const report = toReport("failed", "session_gone", endedAt);
    return { ...bare, step: "ended", state: "done", verdict: "unknown", judge: "none", report };
  }
  return run.step === "judge" ? { ...bare, step: "book", state: "done", verdict: "unknown", judge: "none" } : bare;
}

/** [own] One page. */
const FIXED_LIST = 100;

function notFound(id: ExperimentId): Result<never> {
  return err("experiment_not_found", `There is no experiment ${id}.`);
}

function toExperiment(asked: NewExperiment, made: { id: ExperimentId; asked: string; now: number }): StoredExperiment {
  const { key, skill, occasion, rev, text, parent, citations, about, session, given, tokens } = asked;
  return {
    ...{ v: 1, id: made.id, skill, text, parent, rev: rev ?? null, occasion, session, state: "waiting", outcome: null },
    ...{ why: "", turns: [], arms: {}, tokens: { granted: 0, used: 0 }, createdAt: made.now, endedAt: null },
    ...{ runsUntil: null, key, asked: made.asked, citations, about, isGiven: given !== undefined },
    ...{ ownTokens: tokens ?? null, step: "reserve", due: made.now, tries: 0, seq: 0, tried: [], hasParent: false },
    ...{ passes: {}, concluding: null },
  };
}

function fingerprintOf({ given, ...asked }: NewExperiment): Sha256 {
  return sha256Hex(JSON.stringify([asked, given ? hashFiles(given) : null]));
}

/** What the API shows. */
function toLine(experiment: StoredExperiment): ExperimentLine {
  const { v, id, skill, text, parent, rev, occasion, session, state, outcome, why, turns, arms, tokens } = experiment;
  const { createdAt, endedAt, runsUntil } = experiment;
  return {
    ...{ v, id, skill, text, parent, rev, occasion, session, state, outcome, why, turns, arms, tokens },
    ...{ createdAt, endedAt, runsUntil },
  };
}

function sumExperiments(all: StoredExperiment[], runsOf: (id: ExperimentId) => StoredRun[]): ExperimentSum {
  const sum: ExperimentSum = {
    ...{
      waiting: 0,
      running: 0,
      helps: 0,
      no_difference: 0,
      harms: 0,
      not_replayable: 0,
      none: 0,
      withdrawnBeforeOffer: 0,
      replays: 0,
      tokens: 0,
    },
  };
  for (const { id, state, outcome, tokens, concluding } of all) {
    sum[state === "done" ? (outcome ?? "none") : state] += 1;
    // Only what a review learned is held back, and such a text is withdrawn by this outcome.
    if (outcome === "harms" && concluding?.isHeld === true) sum.withdrawnBeforeOffer += 1;
    sum.replays += runsOf(id).filter(({ replay }) => replay !== null).length;
    sum.tokens += tokens.used;
  }
  return sum;
}
