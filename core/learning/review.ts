// One run of a review: the same loop as a session's turn, over a script instead of a log, with tools that reach skills
// and memory and nothing else. Called by the review Worker. What it writes carries the place in the script as its id, so
// that a run that goes on where another was cut off does nothing twice.
import { runLoop } from "../agent/loop.ts";
import type { Model, ModelChain, Tool } from "../agent/contract.ts";
import { type Failure, err } from "../errors.ts";
import { renderReviewMemory } from "../memory/block.ts";
import type { Clock, MemoryStore, PendingStore, Random, ReviewStore, SkillStore } from "../ports.ts";
import { reviewPrompt, reviewRequest } from "../prompts/review.ts";
import { NO_USAGE, addUsage } from "../schemas/entry.ts";
import { fromReviewId } from "../schemas/ids.ts";
import type { ReviewJob, ReviewResult, ReviewStep } from "../schemas/review.ts";
import type { Settings } from "../schemas/settings.ts";
import { type SpentCall, type UsageLine, spendingOf } from "../schemas/usage.ts";
import { type Seeds, createLibrary } from "../skills/library.ts";
import { createAskingMemoryTool } from "../tools/approval.ts";
import { createSkillTools } from "../tools/skills.ts";
import { checkCitations } from "./citations.ts";
import { callsOf, hasViewed, lessonsOf, refusalsOf, summarise, waitingIn } from "./lessons.ts";
import { POLICY, type ReviewPolicy } from "./policy.ts";
import { type ScriptJournal, createScriptJournal } from "./script-journal.ts";
import { spentOf, toReviewLines } from "./spent.ts";
import { renderTranscript } from "./transcript.ts";

export interface ReviewOptions {
  job: ReviewJob;
  reviews: ReviewStore;
  skills: SkillStore;
  memory: MemoryStore;
  /** What has to wait for a person. */
  pending: PendingStore;
  seeds: Seeds;
  /** The primary, then those to fall back on. */
  models: ModelChain;
  clock: Clock;
  random: Random;
  settings: Settings;
  /** Which rules are enforced: all of them, when it is left out. */
  policy?: ReviewPolicy;
  /** Aborts the run at its time limit: a model that hangs must not hold it longer. */
  signal: AbortSignal;
}

export type ReviewEnd =
  | { state: "finished"; result: ReviewResult }
  /** No failure: the script stands, and another delivery goes on with it after a while. */
  | { state: "again"; delayMs: number }
  /** `final`: trying again cannot help. */
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
  const end = await runLoop(toLoop(options, journal, script[0]!, failed));
  switch (end.state) {
    case "stopped":
    case "interrupted":
      return { state: "again", delayMs: 0 };
    case "paused":
      return { state: "again", delayMs: end.delayMs ?? PAUSE_MS };
    case "failed":
      return settleFailure(options, journal, end.failure, failed);
    case "done": {
      const note = end.reason === "refusal" ? `The model declined to go on. ${end.text}`.trim() : end.text;
      return finish(options, journal.steps(), { state: "done", note }, failed);
    }
  }
}

/** How long the models of a review are left alone when none of them works and none says for how long. */
const PAUSE_MS = 60_000;

/** Null: another delivery began at the same moment, and is left to it. */
async function start({ job, reviews, memory, clock, settings }: ReviewOptions): Promise<ReviewStep[] | null> {
  const stores = job.memory ? await Promise.all([memory.list("memory"), memory.list("user")]) : null;
  const memoryBlock = stores ? renderReviewMemory(...stores, settings) : "";
  const put = await reviews.createStep(job.review, 0, { v: 1, kind: "start", at: clock.now(), memoryBlock });
  return put.won ? [put.step] : null;
}

function toLoop(
  options: ReviewOptions,
  journal: ScriptJournal,
  begin: ReviewStep,
  failed: SpentCall[],
): Parameters<typeof runLoop>[0] {
  const { job, models, clock, random, settings, signal } = options;
  const memoryBlock = begin.kind === "start" ? (begin.memoryBlock ?? "") : "";
  const startedAt = clock.now();
  return {
    models: models.map((model) => metered(model, failed)) as [Model, ...Model[]],
    tools: toTools(options, journal),
    journal,
    system: reviewPrompt(job),
    history: [{ role: "user", text: reviewRequest({ memoryBlock, transcript: renderTranscript(job) }) }],
    limits: {
      ...settings.turn,
      // The loop asks once more for a closing word.
      maxSteps: Math.max(1, settings.review.maxSteps - 1),
    },
    cacheKey: `review ${job.profile}`,
    clock,
    random,
    signal,
    ...(settings.models.effort.review && { effort: settings.models.effort.review }),
    guardrails: { settings: settings.guardrails, attended: () => false },
    mayAsk: () => checkBudget(options, startedAt, toReviewLines(spentOf(journal.steps(), failed))),
  };
}

/** Puts what its calls cost without bringing an answer into `failed`: the script holds answers only. */
function metered(model: Model, failed: SpentCall[]): Model {
  return {
    ...model,
    async *stream(request, signal, heard) {
      for await (const event of model.stream(request, signal, heard)) {
        if (event.type === "failed" && event.failure.spent) failed.push(event.failure.spent);
        yield event;
      }
    },
  };
}

/** What the job leaves out is not offered, and refused by the loop like any other name. */
function toTools(options: ReviewOptions, journal: ScriptJournal): Tool[] {
  const { job, skills, memory, seeds, clock, settings, pending, policy = POLICY } = options;
  const approval = { pending, session: job.session, clock };
  const cite = (citations: string[]) => checkCitations(job, citations);
  const skillTools = createSkillTools({
    library: createLibrary({ store: skills, seeds, scene: { disabled: settings.skills.disabled } }),
    store: skills,
    origin: "review",
    settings,
    ...(policy.readFirst && { isViewed: (name: string) => hasViewed(journal.steps(), name) }),
    ...(policy.citations && { cite }),
    approval,
  });
  const writing = {
    store: memory,
    origin: "review",
    session: job.session,
    clock,
    settings,
    ...(policy.citations && { cite }),
  } as const;
  const memoryTool = createAskingMemoryTool(writing, approval);
  return [...(job.skills ? skillTools : []), ...(job.memory ? [memoryTool] : [])];
}

function checkBudget({ job, clock, settings }: ReviewOptions, startedAt: number, lines: UsageLine[]): Failure | null {
  const { tokens, usdMicros } = job.grant;
  const spent = spendingOf(lines);
  if (spent.tokens >= tokens) {
    return err("grant_spent", `The review's grant of ${tokens} tokens is spent.`).failure;
  }
  if (usdMicros !== undefined && spent.usdMicros >= usdMicros) {
    return err("grant_spent", `The review's grant of $${usdMicros / 1_000_000} is spent.`).failure;
  }
  if (clock.now() >= job.grant.expiresAt) return err("grant_expired", "The review's grant has expired.").failure;
  if (clock.now() - startedAt < settings.review.runMs) return null;
  return err(RUN_OVER, "The run has used its time; another one goes on.").failure;
}

const RUN_OVER = "run_over";

async function settleFailure(
  options: ReviewOptions,
  journal: ScriptJournal,
  failure: Failure,
  failed: SpentCall[],
): Promise<ReviewEnd> {
  if (failure.code === RUN_OVER) return { state: "again", delayMs: 0 };
  const final = failure.code === "grant_spent" || failure.code === "grant_expired";
  // What was written stands: it is reported, not thrown away with the rest.
  if (final && lessonsOf(callsOf(journal.steps())).length > 0) {
    return finish(options, journal.steps(), { state: "done", note: `Stopped early. ${failure.message}` }, failed);
  }
  return { state: "failed", failure, final };
}

/** The result is create-only, and the watermark is raised after it: a run cut off between the two is finished later. */
async function finish(
  { job, reviews, clock }: ReviewOptions,
  script: ReviewStep[],
  end: Pick<ReviewResult, "state" | "note">,
  failed: SpentCall[] = [],
): Promise<ReviewEnd> {
  const calls = callsOf(script);
  const lessons = lessonsOf(calls);
  const waiting = waitingIn(calls);
  const answers = script.filter((step) => step.kind === "answer").map((step) => step.answer);
  const result = await reviews.finish({
    v: 1,
    review: job.review,
    session: job.session,
    state: end.state,
    trigger: job.trigger,
    summary: end.state === "superseded" && lessons.length === 0 ? end.note : summarise(lessons, waiting),
    note: end.note,
    lessons,
    refused: refusalsOf(calls),
    ...(waiting > 0 && { waiting }),
    modelCalls: answers.length,
    usage: answers.reduce((sum, answer) => addUsage(sum, answer.usage), NO_USAGE),
    spent: spentOf(script, failed),
    finishedAt: clock.now(),
  });
  await settleWatermark(reviews, result);
  return { state: "finished", result };
}

/** Also for a result that is found finished: the run that wrote it may not have come to this. */
export async function settleWatermark(reviews: ReviewStore, result: ReviewResult): Promise<void> {
  if (result.state === "done") await reviews.raiseWatermark(result.session, fromReviewId(result.review).to);
}
