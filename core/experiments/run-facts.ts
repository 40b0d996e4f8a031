// The runs of an experiment as the rule of decide.ts reads them. Called by pump.ts and carry-run.ts. Pure.
import { countTokens } from "../schemas/usage.ts";
import { givesNothingOf } from "./compare-answers.ts";
import type { ExperimentFacts, JudgedRun } from "./decide.ts";
import type { StoredExperiment, StoredRun, TriedTurn } from "./rows.ts";

/** The first run that is lost does not count: it is made again once. A run whose model did not have the text says nothing about it. */
export function toFacts({ tried, turns, hasParent }: StoredExperiment, runs: StoredRun[]): ExperimentFacts {
  const done = runs.filter((run) => run.state === "done" && run.report !== null);
  const counted = done.filter((run) => {
    if (run.report!.end !== "lost") return true;
    return done.some(
      (one) => one.nth < run.nth && one.turn === run.turn && one.arm === run.arm && one.report!.end === "lost",
    );
  });
  const outdated = findOutdated(tried, counted);
  const isOpen = (turn: string) => turns.some((one) => one.turn === turn && one.replayability.replayable);
  const present = withoutOtherWorlds(counted);
  return {
    hasParent,
    // A turn whose session is gone stays with the runs that it has.
    turns: tried.filter(({ turn }) => isOpen(turn) || counted.some((run) => run.turn === turn && run.arm === "with")),
    runs: present.map((run): JudgedRun => {
      const { turn, arm, replay, report, verdict, judge } = run;
      const lacksText = arm !== "without" && replay !== null && !report!.loaded && report!.end === "answered";
      return {
        ...{ turn, arm, isRecorded: replay === null },
        end: lacksText ? "failed" : report!.end,
        ...(lacksText || outdated.has(run)
          ? { verdict: "unknown", judge: "none" }
          : { verdict: verdict ?? "unknown", judge: judge ?? "none" }),
        ...(givesNothing(run, counted, tried) && { givesNothing: true }),
        ...{ calls: report!.stats.toolCalls, failedCalls: report!.stats.failedCalls },
        tokens: countTokens(report!.stats.usage),
      };
    }),
  };
}

/** A text that says `Done.` at once makes a run cheap. Where nobody has judged the answer, the answers of the other arm show it. */
function givesNothing(
  { turn, arm, judge, report }: StoredRun,
  runs: StoredRun[],
  tried: readonly TriedTurn[],
): boolean {
  const { end, answer } = report!;
  if (arm !== "with" || end !== "answered" || answer === null || (judge !== "exit" && judge !== "none")) return false;
  const request = tried.find((one) => one.turn === turn)?.request ?? "";
  const others = runs.filter((run) => run.turn === turn && run.arm !== "with" && run.report!.end === "answered");
  const answers = others.flatMap((run) => (run.report!.answer === null ? [] : [run.report!.answer]));
  return answers.length > 0 && answers.every((other) => givesNothingOf(other, answer, request));
}

/**
 * Runs with the text that failed with a word of it on an older turn, while a newer cited turn went without that. They say nothing against the
 * text: it was written for the newer turn, and what was right before may have changed since.
 */
export function findOutdated(tried: readonly TriedTurn[], runs: readonly StoredRun[]): Set<StoredRun> {
  const turns = new Map(tried.map((one) => [one.turn, one]));
  const own = runs.filter(({ arm, replay, report }) => arm === "with" && replay !== null && report !== null);
  const wentWell = own.filter(({ turn, judge, report }) => {
    const { end, loaded, stats } = report!;
    const isTried = end === "answered" && loaded && stats.toolCalls > 0;
    return isTried && judge !== "words" && turns.get(turn)?.cited === true;
  });
  const newest = Math.max(...wentWell.map(({ turn }) => turns.get(turn)!.endedAt));
  return new Set(own.filter(({ turn, judge }) => judge === "words" && (turns.get(turn)?.endedAt ?? 0) < newest));
}

/** Calls of a recorded turn and of a new run of its arm, divided, from which on something else has changed. [own] */
const UNLIKE = 1.5;
/** Calls that two runs may differ by chance. [own] */
const MIN_CALLS = 2;

/**
 * The recorded turns are runs of another world if a new run of the same turn and arm costs something quite different: the library has learned
 * or lost another skill since. Then only new runs count.
 */
export function withoutOtherWorlds(runs: StoredRun[]): StoredRun[] {
  const isOther = runs.some(
    (recorded) =>
      recorded.replay === null &&
      runs.some(
        (run) => run.replay !== null && run.turn === recorded.turn && run.arm === recorded.arm && differ(run, recorded),
      ),
  );
  return isOther ? runs.filter(({ replay }) => replay !== null) : runs;
}

function differ({ report: a }: StoredRun, { report: b }: StoredRun): boolean {
  if (a?.end !== "answered" || b?.end !== "answered") return false;
  const [less, more] = [a.stats.toolCalls, b.stats.toolCalls].toSorted((x, y) => x - y) as [number, number];
  return more - less >= MIN_CALLS && more >= UNLIKE * less;
}
