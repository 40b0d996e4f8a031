// One run of a review: the loop of a session's turn, over a script instead of a log, with tools for skills and memory only. Called
// by the review Worker. The idempotency key of each write is its place in the script, so a resumed run repeats nothing.
import type { ModelChain, Tool } from "../../agent/contract.ts";
import { type Failure, err } from "../../errors.ts";
import { renderReviewMemory } from "../../memory/block.ts";
import type { Clock, MemoryStore, PendingStore, Random, ReviewStore, SkillStore } from "../../ports.ts";
import { REVIEW_AGAIN, reviewPrompt } from "../../prompts/review/review.ts";
import type { Answer } from "../../schemas/entry.ts";
import { fromReviewId } from "../../schemas/ids.ts";
import type { ReviewJob, ReviewResult, ReviewStep } from "../../schemas/learning/review.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { SpentCall } from "../../schemas/usage.ts";
import type { Scene } from "../../skills/format/conditions.ts";
import type { RunChecks } from "../../skills/checks.ts";
import { type Library, type Seeds, createLibrary } from "../../skills/library.ts";
import { createAskingMemoryTool } from "../../tools/approval/approval.ts";
import { createCheckInspector } from "../../tools/skills/check-inspector.ts";
import type { MemoryToolOptions } from "../../tools/memory/memory.ts";
import { createSkillTools } from "../../tools/skills/skills.ts";
import { checkCitations, readCitations } from "./rules/citations.ts";
import { lessonsOf, summarise, countWaiting } from "./lessons.ts";
import { POLICY, type ReviewPolicy, createInspectors } from "./rules/policy.ts";
import { readKindLine, takeKinds } from "../kinds.ts";
import { type ScriptJournal, createScriptJournal } from "../script/script-journal.ts";
import { answersOf, callsOf, costOf, hasViewed, refusalsOf } from "../script/script-facts.ts";
import { type ScriptRunOptions, clipNote, createGrantCheck, isGrantOver, runScript } from "../script/script-run.ts";
import { createTaint } from "../taint/taint.ts";
import { type SecondJudgeOptions, withSecondJudge } from "./rules/second-judge.ts";
import { choosePrefix, toRequest, toReviewSpecs } from "./request.ts";
import { showSkills } from "./shown-skills.ts";
import { renderTranscript } from "./transcript.ts";
import { type ReadVerdicts, isVerdictLine, readVerdicts } from "./verdicts.ts";

export interface ReviewOptions {
  job: ReviewJob;
  reviews: ReviewStore;
  skills: SkillStore;
  memory: MemoryStore;
  /** Changes that wait for a person. */
  pending: PendingStore;
  seeds: Seeds;
  /** The primary model, then the fallbacks. */
  models: ModelChain;
  /** The second judge of tainted sentences. Absent: the rules alone decide. */
  judges?: ModelChain | undefined;
  clock: Clock;
  random: Random;
  settings: Settings;
  /** Runs the checks of skills. Absent: no check runs. */
  runChecks?: RunChecks;
  /** Which rules are enforced. Absent: all of them. */
  policy?: ReviewPolicy;
  /** Aborts the run at its time limit, even if a model hangs. */
  signal: AbortSignal;
}

export type ReviewEnd =
  | { state: "finished"; result: ReviewResult }
  /** The run is postponed, not failed: another delivery continues the script after `delayMs`. */
  | { state: "again"; delayMs: number }
  /** `final`: a retry cannot help. */
  | { state: "failed"; failure: Failure; final: boolean };

/** Throws when a store does. */
export async function runReview(options: ReviewOptions): Promise<ReviewEnd> {
  const { job, reviews, settings } = options;
  const begun = (await reviews.script(job.review)).steps;
  if ((await reviews.watermark(job.session)) >= fromReviewId(job.review).to) {
    return finish(options, begun, { state: "superseded", note: "A later review of this session came first." });
  }
  const script = begun.length > 0 ? begun : await start(options);
  if (!script) return { state: "again", delayMs: settings.review.quietMs };
  const journal = createScriptJournal({ reviews, review: job.review, clock: options.clock, script });
  const failed: SpentCall[] = [];
  const end = await runScript(toScriptRun(options, journal, script[0]!, failed));
  switch (end.state) {
    case "again":
      return end;
    case "failed":
      return settleFailure(options, journal, end.failure, failed);
    case "done":
      return finish(options, journal.steps(), { state: "done", ...readVerdicts(job, end.note) }, failed);
  }
}

/** `null`: another delivery has just started this review and continues it. */
async function start(options: ReviewOptions): Promise<ReviewStep[] | null> {
  const { job, reviews, memory, models, clock, settings } = options;
  const stores = job.memory ? await Promise.all([memory.list("memory"), memory.list("user")]) : null;
  const memoryBlock = stores ? renderReviewMemory(...stores, settings) : "";
  const shown = job.skills ? await showSkills(job, toLibrary(options)) : null;
  const at = clock.now();
  const digest = `${reviewPrompt(job)} ${renderTranscript(job)}`;
  // The choice is recorded: another delivery must show the model the same conversation, even if the cache has expired.
  const prefix = choosePrefix({ job, model: models[0], settings, now: at, digest }) !== null;
  const put = await reviews.createStep(job.review, 0, {
    v: 1,
    kind: "start",
    at,
    memoryBlock,
    ...(shown && { skillsBlock: shown.text, read: shown.read }),
    ...(prefix && { prefix }),
  });
  return put.won ? [put.step] : null;
}

function toScriptRun(
  options: ReviewOptions,
  journal: ScriptJournal,
  begin: ReviewStep,
  failed: SpentCall[],
): ScriptRunOptions {
  const { job, models, clock, random, settings, signal } = options;
  const request = toRequest(options, begin);
  const checkBudget = createGrantCheck({
    grant: job.grant,
    called: "The review's grant",
    journal,
    failed,
    clock,
    settings,
  });
  const findRefusal = async () => checkBudget() ?? (await checkServer(options));
  // The second judge is asked in the middle of a write, so it checks the grant only and does not wait for turns.
  const tools = toTools(options, journal, checkBudget);
  return {
    models,
    journal,
    clock,
    random,
    settings,
    signal,
    failed,
    findRefusal,
    writes: WRITES,
    ...request,
    specs: request.specs ?? toReviewSpecs(tools),
    // A review must read a skill itself before it changes the skill, even if the session was shown it before.
    tools: request.specs ? tools.map((tool) => ({ ...tool, showsOnce: false })) : tools,
    goOn: (answer) => (describesUnwrittenLessons(journal.steps(), answer) ? REVIEW_AGAIN : null),
  };
}

const WRITES = new Set(["skill_manage", "memory"]);

/** Whether to ask once more: the first closing answer describes lessons in prose, and no write was tried. */
function describesUnwrittenLessons(script: ReviewStep[], { text, stop }: Answer): boolean {
  const answers = answersOf(script);
  const isFirst = answers.filter(({ calls }) => calls.length === 0).length === 1;
  const tried = answers.some(({ calls }) => calls.some(({ name }) => WRITES.has(name)));
  const said = text.split("\n").filter((line) => readKindLine(line) === null && !isVerdictLine(line));
  const isNothing = /^[^\p{L}]*(?:nothing\b|$)/iu.test(said.join("\n").slice(0, 100));
  return isFirst && !tried && stop === "end" && !isNothing;
}

/** Tools for the stores that the job covers. The loop refuses any other tool as unknown. */
function toTools(
  options: ReviewOptions,
  journal: ScriptJournal,
  checkBudget: SecondJudgeOptions["findRefusal"],
): Tool[] {
  const { job, skills, memory, seeds, clock, settings, pending, runChecks, judges, policy = POLICY } = options;
  const approval = { pending, session: job.session, clock };
  const cite = (citations: string[], written: string) => checkCitations(job, citations, written);
  const inspectors = createInspectors({ job, policy, skills, seeds, settings });
  const taint = policy.taint ? createTaint(job) : null;
  const skillTools = createSkillTools({
    library: toLibrary(options),
    store: skills,
    origin: "review",
    settings,
    ...(policy.readFirst && { isViewed: (name: string) => hasViewed(journal.steps(), name) }),
    ...(policy.citations && { cite }),
    inspectors: inspectors.skills,
    ...(taint && { gate: taint.holdSkill, inspectArchive: taint.inspectArchive }),
    ...(runChecks && policy.checks && { check: createCheckInspector(runChecks) }),
    fingerprints: () => job.tools ?? null,
    rules: { duplicates: policy.duplicates, companions: policy.companions },
    ...(job.holdMs !== undefined && { heldUntil: () => clock.now() + job.holdMs! }),
    approval,
  });
  const writing: MemoryToolOptions = {
    store: memory,
    origin: "review",
    session: job.session,
    clock,
    settings,
    ...(policy.citations && { cite }),
    inspectors: [inspectors.checkFacts],
    ...(taint && { gate: taint.holdFacts }),
  };
  const memoryTool = createAskingMemoryTool(writing, approval);
  const tools = [...(job.skills ? skillTools : []), ...(job.memory ? [memoryTool] : [])].map((tool) =>
    withFullCitations(tool, job),
  );
  if (!taint || !judges) return tools;
  return tools.map((tool) => withSecondJudge(tool, taint, { ...options, models: judges, findRefusal: checkBudget }));
}

/** Completes citations: a review writes them without the session, and they are stored with it. */
function withFullCitations(tool: Tool, job: ReviewJob): Tool {
  const { prepare } = tool;
  const read = (args: { citations?: string[] }) =>
    args.citations ? { ...args, citations: readCitations(args.citations, job) } : args;
  return {
    ...tool,
    ...(prepare && { prepare: (args) => prepare(read(args)) }),
    run: (args, context) => tool.run(read(args), context),
  };
}

function toLibrary(options: ReviewOptions): Library {
  return createLibrary({ store: options.skills, seeds: options.seeds, scene: toScene(options) });
}

/** Shows all skills, independent of the tools that they need. Their contracts are compared with the session's tools. */
function toScene({ job: { tools }, settings }: ReviewOptions): Scene {
  return { disabled: settings.skills.disabled, ...(tools && { fingerprints: () => tools }) };
}

const TURN_FIRST = "turn_first";
/** A turn marks its model server when it begins. An older mark is from a turn that died, or from a very long one. */
const MARK_MS = 10 * 60_000;
/** The delay before a retry. The queue gives a message up after a hundred deliveries. */
const TURN_WAIT_MS = 30_000;
/** A review older than this no longer waits for turns. */
const MAX_WAIT_MS = 15 * 60_000;

/** A local model server may answer only one request at a time, so turns of persons go first. */
async function checkServer({ job, models: [model], reviews, clock }: ReviewOptions): Promise<Failure | null> {
  const now = clock.now();
  if (model.server === undefined || now - job.createdAt > MAX_WAIT_MS) return null;
  if (!(await reviews.isBusy(model.server, now - MARK_MS))) return null;
  return err(TURN_FIRST, "A turn runs on the review's model server: the review continues after it.").failure;
}

async function settleFailure(
  options: ReviewOptions,
  journal: ScriptJournal,
  failure: Failure,
  failed: SpentCall[],
): Promise<ReviewEnd> {
  if (failure.code === TURN_FIRST) return { state: "again", delayMs: TURN_WAIT_MS };
  const final = isGrantOver(failure);
  // Lessons that are already written are reported.
  if (final && lessonsOf(callsOf(journal.steps()), options.job).length > 0) {
    return finish(options, journal.steps(), { state: "done", note: `Stopped early. ${failure.message}` }, failed);
  }
  return { state: "failed", failure, final };
}

/** Writes the create-only result, then raises the watermark. If a run dies between the two, `settleWatermark` is called again. */
async function finish(
  { job, reviews, clock, settings }: ReviewOptions,
  script: ReviewStep[],
  end: Pick<ReviewResult, "state"> & Partial<ReadVerdicts> & Pick<ReadVerdicts, "note">,
  failed: SpentCall[] = [],
): Promise<ReviewEnd> {
  const calls = callsOf(script);
  const lessons = lessonsOf(calls, { session: job.session, previews: settings.review.notice === "verbose" });
  const waiting = countWaiting(calls);
  const { note: said, kinds } = takeKinds(end.note, job.entries);
  const note = clipNote(said);
  const result = await reviews.finish({
    v: 1,
    review: job.review,
    session: job.session,
    state: end.state,
    trigger: job.trigger,
    ...(job.because && { because: job.because }),
    summary: end.state === "superseded" && lessons.length === 0 ? note : summarise(lessons, waiting),
    note,
    lessons,
    refused: [...refusalsOf(calls), ...(end.refused ?? [])],
    ...(end.verdicts && { verdicts: end.verdicts }),
    ...(waiting > 0 && { waiting }),
    ...(kinds.length > 0 && { kinds }),
    ...costOf(script, failed),
    finishedAt: clock.now(),
  });
  await settleWatermark(reviews, result);
  return { state: "finished", result };
}

/** Also called for a result that exists already: the run that wrote it may have died before this step. */
export async function settleWatermark(reviews: ReviewStore, result: ReviewResult): Promise<void> {
  if (result.state === "done") await reviews.raiseWatermark(result.session, fromReviewId(result.review).to);
}
