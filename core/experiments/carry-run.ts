// Carries one run from its row to its verdict: it is begun, looked at, judged and booked. Called by pump.ts.
import { fromTurnId } from "../schemas/ids.ts";
import { wordsIn } from "../learning/observe/call-words.ts";
import { textOrEmpty } from "../schemas/file-body.ts";
import { type Arm, type ReplayReport, emptyReport } from "../schemas/learning/experiment.ts";
import { sumUsageLines, toUsageLines } from "../schemas/usage.ts";
import { type PumpContext, advance } from "./advance.ts";
import { readArm } from "./arm-texts.ts";
import { type RunFacts, judgeRun, needsModel } from "./judge-run.ts";
import { compareByModel } from "./model-judge.ts";
import type { StoredExperiment, StoredRun } from "./rows.ts";

/** What a report might miss: how often a run is looked at. Its report comes by itself. */
const LOOK_MS = 60_000;
/** A run without a word from a model or a tool for so long is lost. [own] Longer than a slow model's answer. */
const LOST_MS = 10 * 60_000;

export async function carryOpenRun(context: PumpContext, experiment: StoredExperiment, run: StoredRun): Promise<void> {
  const { host } = context;
  const { id, skill, ownTokens } = experiment;
  const now = host.clock.now();
  const replay = run.replay!;
  switch (run.step) {
    case "begin": {
      const asked = { id, now, tokens: experiment.tokens.granted, isOwn: ownTokens !== null };
      const budget = (await host.budget.reserve(asked)) ?? { tokens: 1, usdMicros: 0 };
      const { session, n } = fromTurnId(run.turn);
      const begun = await host.replays.begin({
        ...{ v: 1, id: replay, experiment: id, source: { session, turn: n }, arm: run.arm, skill, budget },
      });
      // It was stopped or forgotten meanwhile, and may have been erased before it began.
      if (context.rows.run(replay)?.step !== "begin") return host.replays.erase(replay);
      if (begun.ok)
        return advanceRun(context, experiment, run, { step: "wait", state: "running", begunAt: now }, now + LOOK_MS);
      const report = emptyReport("failed", begun.failure.code, now);
      return advanceRun(context, experiment, run, { ...ended("book", report), erased: true });
    }
    case "wait": {
      const seen = await host.replays.look(replay);
      if (seen?.report) return advanceRun(context, experiment, run, { step: "judge", report: seen.report });
      const isLost = !seen || now - Math.max(seen.activeAt, run.begunAt) >= LOST_MS;
      if (!isLost) return advanceRun(context, experiment, run, {}, now + LOOK_MS);
      await host.replays.erase(replay);
      return advanceRun(context, experiment, run, { ...ended("book", emptyReport("lost", null, now)), erased: true });
    }
    case "judge":
      return judgeReport(context, experiment, run);
  }
}

/** `due`: when the experiment goes on. */
export async function bookRun(
  context: PumpContext,
  experiment: StoredExperiment,
  run: StoredRun,
  due: number,
): Promise<void> {
  const { session } = fromTurnId(run.turn);
  const report = run.report!;
  const lines = [...report.lines, ...run.judging];
  const booking = { id: run.replay!, session, at: report.endedAt, lines };
  if (lines.length > 0) await context.host.budget.book(booking, experiment.id);
  const used = experiment.tokens.used + sumUsageLines(lines).tokens;
  const tokens = { ...experiment.tokens, used };
  advance(context, experiment, { tokens, due }, () => context.rows.putRun({ ...run, step: "ended" }));
}

function ended(step: StoredRun["step"], report: ReplayReport): Partial<StoredRun> {
  return { step, state: "done", report, verdict: "unknown", judge: "none" };
}

function advanceRun(
  context: PumpContext,
  experiment: StoredExperiment,
  run: StoredRun,
  next: Partial<StoredRun>,
  due?: number,
): void {
  advance(context, experiment, due === undefined ? {} : { due }, () => context.rows.putRun({ ...run, ...next }));
}

/** Of the words, those that the arm's text has only in lines which the text it is compared with has too. */
async function findSharedWords(
  context: PumpContext,
  experiment: StoredExperiment,
  arm: Arm,
  words: readonly string[],
): Promise<Set<string>> {
  if (!experiment.hasParent || arm === "without") return new Set();
  const read = async (of: Arm) => {
    const files = await readArm(context, experiment, of);
    const bodies = files.ok ? Object.values(files.value ?? {}) : [];
    return new Set(bodies.flatMap((body) => textOrEmpty(body).split("\n")).map((line) => line.trim()));
  };
  const [own, other] = [await read(arm), await read(arm === "with" ? "parent" : "with")];
  const alone = new Set([...own].filter((line) => !other.has(line)).flatMap((line) => [...wordsIn(line)]));
  return new Set(words.filter((word) => !alone.has(word)));
}

async function judgeReport(context: PumpContext, experiment: StoredExperiment, run: StoredRun): Promise<void> {
  const { host } = context;
  const { clock, random, settings } = host;
  const { id, tokens, tried, passes } = experiment;
  const report = run.report!;
  const turn = tried.find((one) => one.turn === run.turn);
  const facts: RunFacts = {
    ...{ report, request: turn?.request ?? "", accepted: turn?.accepted ?? null },
    ...(turn?.refused && { refused: turn.refused }),
    ...(passes[run.arm] !== undefined && { passesChecks: passes[run.arm]! }),
    ...(report.failedWords.length > 0 && {
      shared: await findSharedWords(context, experiment, run.arm, report.failedWords),
    }),
  };
  const used = sumUsageLines(report.lines).tokens;
  let judging: StoredRun["judging"] = [];
  if (host.judges && needsModel(facts) && tokens.used + used < tokens.granted) {
    const answers = { request: facts.request, accepted: facts.accepted!, answer: report.answer ?? "" };
    const judged = await compareByModel({
      models: host.judges,
      ...answers,
      clock,
      random,
      settings,
      cacheKey: `judge ${id}`,
    });
    facts.model = judged.verdict;
    judging = toUsageLines(judged.spent.map((call) => ({ kind: "replay", ...call })));
  }
  const next = { ...run, ...judgeRun(facts), judging, step: "book" as const, state: "done" as const };
  advance(context, experiment, {}, () => context.rows.putRun(next));
}
