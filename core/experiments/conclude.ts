// What follows from an experiment's outcome: evidence, the verdict on the text, the end of its hold, the line for the person. Each part may be
// repeated. A text that was changed meanwhile gets its evidence, and nothing else follows. Called by pump.ts.
import { type SkillMove, settleSkill } from "../learning/evidence/settle.ts";
import { err, ok } from "../errors.ts";
import { medianOf } from "../median.ts";
import type { SkillNext } from "../ports.ts";
import { type TurnId, dayOf } from "../schemas/ids.ts";
import type { ExperimentId } from "../schemas/learning/experiment.ts";
import { countTokens } from "../schemas/usage.ts";
import { type Baseline, type EvidenceInput, type Outcome, type SkillHead, lineOf } from "../schemas/skill.ts";
import { type PumpContext, RUNS_KEPT_MS, advance } from "./advance.ts";
import type { StoredExperiment, StoredRun } from "./rows.ts";
import { findOutdated, withoutOtherWorlds } from "./run-facts.ts";

/** First what must not change when it is repeated becomes a row, then its effects follow. */
export async function conclude(context: PumpContext, experiment: StoredExperiment): Promise<void> {
  const { host, rows } = context;
  const { id, skill, outcome, concluding } = experiment;
  const runs = rows.runs(id);
  if (concluding === null) return prepare(context, experiment);
  // Of a run that was stopped.
  for (const { replay, erased, step } of runs)
    if (step !== "ended" && replay !== null && !erased) await host.replays.erase(replay);
  const inLibrary = experiment.rev !== null && outcome !== null && outcome !== "not_replayable";
  if (inLibrary) for (const evidence of toEvidence(experiment, runs, concluding.nth)) await host.evidence.put(evidence);
  const followed = experiment.rev === null ? "" : await settle(context, experiment, runs);
  const isTold = outcome !== null && (outcome !== "not_replayable" || ASKED.has(experiment.occasion));
  const text = `Skill \`${skill}\`: ${experiment.why}${followed}`;
  if (isTold && experiment.session !== null) await host.tell(experiment.session, id, text);
  await host.budget.release(id);
  const endedAt = experiment.endedAt ?? host.clock.now();
  const runsUntil = endedAt + RUNS_KEPT_MS;
  advance(
    context,
    experiment,
    {
      ...{ state: "done", step: "kept", endedAt, runsUntil, due: runsUntil, tried: [], about: "" },
      contradicted: undefined,
      why: `${experiment.why}${followed}`,
    },
    () => {
      for (const run of runs)
        if (run.step !== "ended") rows.putRun({ ...run, step: "ended", state: "done", erased: true });
      rows.deleteText(id);
    },
  );
}

const ASKED: ReadonlySet<string> = new Set(["asked", "try"]);

async function prepare(context: PumpContext, experiment: StoredExperiment): Promise<void> {
  const { host, rows } = context;
  const { id, skill, text } = experiment;
  const others = rows.list({ skill, limit: MAX_OTHERS }).filter((one) => one.id !== id && one.text === text);
  const isSecond = others.some(({ outcome, id: other }) => outcome === "no_difference" && other < id);
  const nth = others.filter((one) => one.state === "done").length + 1;
  const line = lineOf(await host.skills.index(), skill);
  const isShared = line !== undefined && (line.shared === true || line.public === true);
  const isHeld = line?.text === text && (line.heldUntil ?? 0) > host.clock.now();
  advance(context, experiment, { concluding: { nth, isSecond, isShared, isHeld } });
}

const MAX_OTHERS = 500;

/** Applies the outcome to the skill's present text. Returns a sentence about what changed, with a blank before it; "" for nothing. */
async function settle(
  { host }: PumpContext,
  { id, skill, text, outcome, why, concluding, contradicted }: StoredExperiment,
  runs: StoredRun[],
): Promise<string> {
  const { isSecond, isShared } = concluding!;
  const { skills, evidence, settings } = host;
  const op = `experiment:${id}`;
  let followed = "";
  if (outcome === "harms" || outcome === "helps") {
    const head = await skills.head(skill);
    const isDone = head?.settled?.op === op;
    if (head && (head.text === text || isDone)) {
      const harmful = outcome === "harms" ? { harmful: { text, why, words: contradicted ?? failedWordsOf(runs) } } : {};
      const { moved } = await settleSkill({ skills, evidence, settings, skill, op, ...harmful });
      if (moved) followed = describeMove(moved);
      if (moved?.withdrew) await tellWithdrawn(host, { moved, id, isShared });
    }
  }
  const changed = await changeHead(host, {
    skill,
    op,
    text,
    isStale: outcome === "no_difference" && isSecond && settings.learning.verdicts,
  });
  return changed === "stale" ? " It made no difference twice, so it is offered last." : followed;
}

async function tellWithdrawn(
  host: PumpContext["host"],
  { moved, id, isShared }: { moved: SkillMove; id: ExperimentId; isShared: boolean },
): Promise<void> {
  const { skill, to, rev, inPart } = moved;
  await host.tellHooks?.({ skill, state: to, rev, inPart, experiment: id });
  if (isShared) await host.tellFollowers?.();
}

/** Words with which every run with the text failed that was judged by them. */
function failedWordsOf(runs: StoredRun[]): string[] {
  const judged = runs.filter(({ arm, judge }) => arm === "with" && judge === "words");
  const words = [...new Set(judged.flatMap(({ report }) => report!.failedWords))];
  return judged.every(({ report }) => report!.failedWords.length > 0) ? words : [];
}

function describeMove({ withdrew, inPart, to }: SkillMove): string {
  if (inPart) return " The sentences about it were removed.";
  if (!withdrew) return to === "active" ? " It is active now." : "";
  if (to === "archived") return " It was withdrawn.";
  return to === "stale" ? " It is offered last now." : " It was withdrawn, and the text before it is back.";
}

/** Ends the hold, and makes a text stale that made no difference twice. Pinned and bundled skills keep their state. */
async function changeHead(
  { skills }: PumpContext["host"],
  { skill, op, text, isStale }: { skill: string; op: string; text: string; isStale: boolean },
): Promise<"stale" | null> {
  const head = await skills.head(skill);
  if (head?.text !== text) return null;
  if (head.settled?.op === op && head.state === "stale" && isStale && head.heldUntil === undefined) return "stale";
  const nextOf = (current: SkillHead): SkillNext => ({
    ...(current.heldUntil !== undefined && { heldUntil: null }),
    ...(isStale && isOffered(current) && toStale(current, op)),
  });
  if (Object.keys(nextOf(head)).length === 0) return null;
  const changed = await skills.change({
    ...{ name: skill, op, since: head.rev },
    decide: (current) =>
      current?.head.text === text
        ? ok(nextOf(current.head))
        : err("skill_moved", `The skill ${skill} was changed meanwhile.`),
  });
  if (!changed.ok && changed.failure.code === "busy") throw new Error(changed.failure.message);
  return changed.ok && isStale && changed.value.head.state === "stale" && changed.value.head.settled?.op === op
    ? "stale"
    : null;
}

function isOffered({ state, pinned, origin }: SkillHead): boolean {
  return (state === "trial" || state === "active") && !pinned && origin !== "bundled";
}

function toStale({ state, rev }: SkillHead, op: string): SkillNext {
  const reason = "It was tried on earlier turns twice, and made no difference. It is offered last.";
  return { state: "stale", reason, settled: { op, from: state, to: "stale", rev } };
}

// ---- evidence ----

/** One record for each turn that was run with the text. Another experiment's record of the same turn has another `nth`. */
export function toEvidence(experiment: StoredExperiment, runs: StoredRun[], nth: number): EvidenceInput[] {
  const outdated = findOutdated(experiment.tried, runs);
  const counted = runs.filter((run) => run.state === "done" && run.report !== null && !outdated.has(run));
  const ended = withoutOtherWorlds(counted);
  const own = ended.filter(
    (run) => run.arm === "with" && run.report!.loaded && (run.report!.end === "answered" || run.verdict === "wrong"),
  );
  const against = experiment.hasParent ? "parent" : "without";
  const baseline = toBaseline(
    ended.filter((run) => run.arm === against && (run.report!.end === "answered" || run.verdict === "wrong")),
  );
  return [...Map.groupBy(own, ({ turn }) => turn)].map(([turn, ofTurn]) =>
    toRecord(experiment, turn, ofTurn, { nth, baseline }),
  );
}

function toRecord(
  { skill, text }: StoredExperiment,
  turn: TurnId,
  runs: StoredRun[],
  { nth, baseline }: { nth: number; baseline: Baseline | null },
): EvidenceInput {
  const reports = runs.map(({ report }) => report!);
  const at = Math.max(...reports.map(({ endedAt }) => endedAt));
  const median = (values: number[]) => Math.round(medianOf(values) ?? 0);
  const union = (lists: string[][]) => [...new Set(lists.flat())].slice(0, MAX_WORDS);
  return {
    ...{ v: 2, skill, text, turn, judge: "replay", nth, outcome: outcomeOf(runs), day: dayOf(at), at },
    contradicted: reports.some(({ contradicted }) => contradicted),
    failedWords: union(reports.map(({ failedWords }) => failedWords)),
    refusedWords: union(reports.map(({ refusedWords }) => refusedWords)),
    workedWords: union(reports.map(({ workedWords }) => workedWords)),
    modelCalls: median(reports.map(({ stats }) => stats.modelCalls)),
    toolCalls: median(reports.map(({ stats }) => stats.toolCalls)),
    failedCalls: median(reports.map(({ stats }) => stats.failedCalls)),
    tokens: median(reports.map(({ stats }) => countTokens(stats.usage))),
    baseline,
  };
}

/** As in core/learning/observe/tried-words.ts: what the metadata of evidence has room for. */
const MAX_WORDS = 5;

/** Runs that disagree say nothing. */
function outcomeOf(runs: StoredRun[]): Outcome {
  const verdicts = new Set(runs.map(({ verdict }) => verdict).filter((verdict) => verdict !== "unknown"));
  if (verdicts.size !== 1) return "unknown";
  return verdicts.has("right") ? "success" : "failure";
}

function toBaseline(runs: StoredRun[]): Baseline | null {
  const judged = runs.filter(({ verdict }) => verdict === "right" || verdict === "wrong");
  if (judged.length === 0) return null;
  return {
    turns: runs.length,
    successes: judged.filter(({ verdict }) => verdict === "right").length,
    failures: judged.filter(({ verdict }) => verdict === "wrong").length,
    calls: medianOf(judged.map(({ report }) => report!.stats.toolCalls)),
  };
}
