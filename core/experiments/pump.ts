// Carries an experiment from one row to the next: grant, choice of turns, runs, outcome. Every step is a row before it is an effect, and every
// effect may be repeated, so a crash at any write repeats at most what is harmless. Called by experiments.ts when something is due.
import { DAY_MS, type TurnId, dayOf, fromTurnId } from "../schemas/ids.ts";
import { type Arm, type Experiment, emptyReport } from "../schemas/learning/experiment.ts";
import { sumUsageLines } from "../schemas/usage.ts";
import { type PumpContext, RESULT_KEPT_MS, advance, withoutWords } from "./advance.ts";
import { checkText, readArm } from "./arm-texts.ts";
import { bookRun, carryOpenRun } from "./carry-run.ts";
import { chooseTurns } from "./choose-turns.ts";
import { findContradictions } from "./compare-words.ts";
import { conclude } from "./conclude.ts";
import { type Ending, type ExperimentFacts, decideNext, decideNow } from "./decide.ts";
import { explainEnding } from "./explain.ts";
import { judgeRecorded } from "./judge-run.ts";
import type { RecordedTurn } from "./ports.ts";
import type { StoredExperiment, StoredRun } from "./rows.ts";
import { toFacts } from "./run-facts.ts";
import { sumArms } from "./sum-arms.ts";

/** How long an experiment waits for a grant. [own] */
const MAX_WAIT_MS = 7 * DAY_MS;
/** [own] What is asked for where nobody says how much: four turns of a large window. The grant of the day is the limit. */
const MAX_TOKENS = 4_000_000;
/** [own] Of the day's grant, for each lesson: on a day with several, each is looked at before it is offered. */
const SHARE_OF_DAY = 0.25;
/** The next day's grant is asked for within so many milliseconds after midnight, so that not all profiles ask at once. */
const SPREAD_MS = 10 * 60_000;

/** One step. Throws when a port does; the same step is then tried again later. */
export async function takeStep(context: PumpContext, experiment: StoredExperiment): Promise<void> {
  const { host, rows } = context;
  const { step, runsUntil } = experiment;
  const reported = rows.runs(experiment.id).find((run) => run.step === "book");
  if (reported) {
    const { endedAt, createdAt } = experiment;
    const dues = { kept: runsUntil!, erased: (endedAt ?? createdAt) + RESULT_KEPT_MS };
    const due = step === "kept" || step === "erased" ? dues[step] : host.clock.now();
    return bookRun(context, experiment, reported, due);
  }
  switch (step) {
    case "reserve":
      return reserve(context, experiment);
    case "choose":
      return choose(context, experiment);
    case "run":
      return carryRun(context, experiment);
    case "conclude":
      return conclude(context, experiment);
    case "kept":
      return eraseRuns(context, experiment);
    case "erased":
      return host.sql.transaction(() => rows.delete(experiment.id));
  }
}

// ---- the grant ----

const CONTRADICTS =
  "It gives another value than the person's words or the call that it cites, so it was not tried on any earlier turn.";

/** A text that contradicts its own citation needs no run, and so no grant. */
async function reserve(context: PumpContext, experiment: StoredExperiment): Promise<void> {
  const { host } = context;
  const contradicted = await findContradictions(context, experiment);
  if (contradicted.length > 0) {
    return advance(context, experiment, { step: "conclude", outcome: "harms", why: CONTRADICTS, contradicted });
  }
  const { id, ownTokens, createdAt } = experiment;
  const now = host.clock.now();
  const granted = await host.budget.reserve({ id, now, tokens: ownTokens ?? MAX_TOKENS, isOwn: ownTokens !== null });
  if (granted) {
    const tokens = { granted: granted.tokens, used: 0 };
    return advance(context, experiment, { state: "running", step: "choose", tokens });
  }
  const tomorrow = Date.parse(`${dayOf(now)}T00:00:00Z`) + DAY_MS + Math.round(host.random() * SPREAD_MS);
  if (tomorrow - createdAt <= MAX_WAIT_MS) return advance(context, experiment, { due: tomorrow });
  return endWith(context, experiment, null, "Nobody granted it tokens within seven days.");
}

// ---- the turns ----

async function choose(context: PumpContext, experiment: StoredExperiment): Promise<void> {
  const { host, rows } = context;
  const { skill, citations, named, about } = experiment;
  const own = await readArm(context, experiment, "with");
  if (!own.ok) return endWith(context, experiment, null, "Its text is gone.");
  const parent = experiment.parent === null ? null : await readArm(context, experiment, "parent");
  const hasParent = parent?.ok === true;
  const { tried, left } = await chooseTurns(host.turns, { skill, citations, named, about, now: host.clock.now() });
  const passes = {
    ...(await checkText(host, own.value!, "with")),
    ...(parent?.ok && (await checkText(host, parent.value!, "parent"))),
  };
  const model = host.models("replay");
  const name = model.ok ? model.value[0].name : null;
  const next: StoredExperiment = {
    ...experiment,
    ...{ step: "run", hasParent, passes },
    turns: [...tried, ...left].map(({ recorded, cited }) => ({
      turn: recorded.turn,
      cited,
      request: recorded.request.slice(0, MAX_REQUEST_CHARS).toWellFormed(),
      replayability: recorded.replayability,
    })),
    tried: tried.map(({ recorded, cited }) => ({
      ...{ turn: recorded.turn, cited, endedAt: recorded.endedAt },
      ...{ request: recorded.request, accepted: recorded.accepted?.text ?? null },
      ...(recorded.refused && { refused: { ...recorded.refused, answer: recorded.answer } }),
    })),
  };
  advance(context, experiment, next, () => {
    for (const { recorded } of tried) {
      const arm = recorded.model === name ? armOf(experiment, recorded, hasParent) : null;
      if (arm) rows.addRun(toRecordedRun(experiment, recorded, arm), fromTurnId(recorded.turn).session);
    }
  });
}

const MAX_REQUEST_CHARS = 200;

/** The arm that the recorded turn is a run of; `null`: its model had read another text under this name. */
function armOf({ skill, parent }: StoredExperiment, { loaded }: RecordedTurn, hasParent: boolean): Arm | null {
  const own = loaded.filter((one) => one.skill === skill);
  if (own.length === 0) return "without";
  return hasParent && own.every(({ text }) => text === parent) ? "parent" : null;
}

function toRecordedRun({ id }: StoredExperiment, recorded: RecordedTurn, arm: Arm): StoredRun {
  const { turn, stats, answer, exit, endedAt } = recorded;
  const report = { ...emptyReport("answered", null, endedAt), answer, stats, exit, loaded: arm === "parent" };
  return {
    ...{ replay: null, turn, arm, nth: 1, state: "done", step: "ended", ...judgeRecorded(recorded), report },
    ...{ experiment: id, begunAt: endedAt, judging: [], erased: true },
  };
}

// ---- the runs ----

async function carryRun(context: PumpContext, experiment: StoredExperiment): Promise<void> {
  const { host, rows } = context;
  const { id, ownTokens } = experiment;
  const run = rows.runs(id).find(({ step }) => step !== "ended");
  if (run) return carryOpenRun(context, experiment, run);
  const facts = toFacts(experiment, rows.runs(id));
  const decision = decideNext(facts);
  if ("outcome" in decision) return endAs(context, experiment, decision);
  // Asked again, it answers what is left.
  const asked = { id, now: host.clock.now(), tokens: experiment.tokens.granted, isOwn: ownTokens !== null };
  const left = await host.budget.reserve(asked);
  if (!left || left.tokens < leastTokens(facts))
    return endAs(context, experiment, decideNow(facts), " What is left of its grant is too little for another run.");
  if (isShareSpent(rows, experiment, { facts, next: decision.run, ofDay: left.ofDay })) {
    return endAs(context, experiment, decideNow(facts), " Its share of the day's grant was spent.");
  }
  const { turn, arm } = decision.run;
  const nth = rows.runs(id).filter((one) => one.turn === turn && one.arm === arm).length + 1;
  const next: StoredRun = {
    ...{
      replay: host.newId(),
      turn,
      arm,
      nth,
      state: "waiting",
      step: "begin",
      verdict: null,
      judge: null,
      report: null,
    },
    ...{ experiment: id, begunAt: host.clock.now(), judging: [], erased: false },
  };
  advance(context, experiment, {}, () => rows.addRun(next, fromTurnId(turn).session));
}

/** What a person asked for may use all that is left. Others leave something, but one run is made, and one against the text is followed up. */
function isShareSpent(
  rows: PumpContext["rows"],
  { id, occasion, ownTokens }: StoredExperiment,
  { facts, next, ofDay }: { facts: ExperimentFacts; next: { turn: TurnId }; ofDay: number },
): boolean {
  if (ownTokens !== null || occasion === "asked" || occasion === "try") return false;
  const own = facts.runs.filter(({ arm, isRecorded }) => arm === "with" && !isRecorded);
  if (own.length === 0 || own.some(({ verdict }) => verdict === "wrong")) return false;
  const used = rows
    .runs(id)
    .reduce((sum, { report, judging }) => sum + sumUsageLines([...(report?.lines ?? []), ...judging]).tokens, 0);
  const recorded = facts.runs.find(({ turn, isRecorded }) => isRecorded && turn === next.turn);
  return used + (recorded?.tokens ?? leastTokens(facts)) > ofDay * SHARE_OF_DAY;
}

/** A run that would be cut off at its budget tells nothing: half of the cheapest run so far. [own] */
function leastTokens({ runs }: ExperimentFacts): number {
  const tokens = runs.filter(({ end }) => end === "answered").map((run) => run.tokens);
  return tokens.length === 0 ? 1 : Math.min(...tokens) / 2;
}

// ---- the end ----

/** Nothing can be compared: with no run at all the turns are to blame, else the grant or the runs. */
function endAs(context: PumpContext, experiment: StoredExperiment, ending: Ending, note = ""): void {
  const { rows } = context;
  const runs = rows.runs(experiment.id);
  const facts = toFacts(experiment, runs);
  const ownTurns = new Set(facts.runs.filter(({ arm }) => arm === "with").map(({ turn }) => turn));
  // Recorded turns that were not run with the text are left out: they are compared with nothing.
  const arms = sumArms(facts.runs.filter(({ turn }) => ownTurns.has(turn)));
  const turns = new Set(runs.filter(({ arm, replay }) => arm === "with" && replay !== null).map(({ turn }) => turn))
    .size;
  const left = runs.flatMap(({ arm, report }) => (arm === "with" ? (report?.left?.tool ?? []) : []));
  const outcome = ending.outcome ?? (note === "" ? "not_replayable" : null);
  const why = explainEnding({ ...ending, outcome }, { arms, turns, chosen: experiment.turns, left }) + note;
  advance(context, experiment, { step: "conclude", outcome, why, arms });
}

function endWith(
  context: PumpContext,
  experiment: StoredExperiment,
  outcome: Experiment["outcome"],
  why: string,
): void {
  advance(context, experiment, { step: "conclude", outcome, why });
}

/** The runs are erased, and nothing of what was said is left of them. */
async function eraseRuns(context: PumpContext, experiment: StoredExperiment): Promise<void> {
  const { host, rows } = context;
  const { id, endedAt, createdAt } = experiment;
  const runs = rows.runs(id);
  for (const { replay, erased } of runs) if (replay !== null && !erased) await host.replays.erase(replay);
  const due = (endedAt ?? createdAt) + RESULT_KEPT_MS;
  advance(context, experiment, { step: "erased", due }, () => {
    for (const run of runs) rows.putRun({ ...withoutWords(run), erased: true });
  });
}
