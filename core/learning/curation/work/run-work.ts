// Does one piece of a curation's work with a model: rewrites a skill, looks at a stale one, merges several, or writes requests. Runs the
// loop of reviews over a separate script, within the run's grant. Called by the curator Worker, once a message. A repeated delivery
// neither calls a model twice nor writes twice.
import type { ModelChain } from "../../../agent/contract.ts";
import type { WorkStore } from "../../../ports.ts";
import { curationPrompt } from "../../../prompts/curation/curation.ts";
import { fromCurationId } from "../../../schemas/ids.ts";
import { type CurationWork, fromWorkId } from "../../../schemas/learning/curation.ts";
import type { ReviewStep } from "../../../schemas/learning/review.ts";
import { type SpentCall, toUsageLines } from "../../../schemas/usage.ts";
import { createScriptJournal } from "../../script/script-journal.ts";
import { clipNote, createGrantCheck, isGrantOver, runScript } from "../../script/script-run.ts";
import { finishMerges } from "./consolidate.ts";
import { shareOf } from "./grants.ts";
import { type WorkRequest, plannedItem, requestFor } from "./request.ts";
import { factsOf } from "./script.ts";
import type { WorkEnd, WorkOptions } from "./work-options.ts";
import { createWorkTools } from "./work-tools.ts";

/** Wait before the next delivery for a profile that another run holds. */
const HELD_MS = 60_000;
const WRITES = new Set(["skill_manage", "skill_merge"]);

/** Throws when a store does. */
export async function runWork(options: WorkOptions): Promise<WorkEnd> {
  const { curation, profile, run, work, clock, settings } = options;
  const store = curation.work(profile, run, work);
  const found = await store.outcome();
  if (found) return { state: "finished", result: found };
  const { paused } = await curation.policy(profile);
  if (await curation.isGone(profile)) return { state: "waits" };
  if (paused && !(await isRequested(options))) return { state: "waits" };
  const now = clock.now();
  if (!(await curation.lease(profile, run, now, now + settings.curation.leaseMs, work))) {
    return { state: "held", delayMs: HELD_MS };
  }
  try {
    return await doWork(options, store);
  } finally {
    await curation.release(profile, run, work);
  }
}

/** Ends a piece of work that will not be done, and keeps what it had done so far. Create-only: the first end wins. */
export async function endWork(
  options: Pick<WorkOptions, "profile" | "run" | "work" | "curation" | "skills" | "seeds" | "settings" | "clock">,
  end: Pick<CurationWork, "state" | "note">,
): Promise<CurationWork> {
  const store = options.curation.work(options.profile, options.run, options.work);
  const merged = await finishMerges({ ...options, store });
  const { steps } = await store.script();
  return finishWork(options, store, { ...end, ...factsOf(steps, await store.merges(), [], merged) });
}

/** A person asked for this consolidation, and knows that the profile is paused. */
async function isRequested(options: WorkOptions): Promise<boolean> {
  if (options.work !== "consolidate") return false;
  return !(await plannedItem(options))?.groups;
}

/** Stores the bill before the result: nothing reads finished work again, so a bill could not be added later. */
async function finishWork(
  options: Pick<WorkOptions, "profile" | "run" | "work" | "curation" | "clock">,
  store: WorkStore,
  end: Omit<CurationWork, "v" | "run" | "work" | "finishedAt">,
): Promise<CurationWork> {
  const { profile, run, work, curation, clock } = options;
  const lines = end.spent.map((call) => ({ kind: "curation" as const, ...call }));
  const grant = (await curation.plan(profile, run))?.allowance;
  if (lines.length > 0 || grant !== undefined) {
    const spent = { v: 1 as const, run, work, at: clock.now(), lines: toUsageLines(lines) };
    await curation.putSpent(profile, { ...spent, ...(grant !== undefined && { grant }) });
  }
  return store.finish({ v: 1, run, work, finishedAt: clock.now(), ...end });
}

async function doWork(options: WorkOptions, store: WorkStore): Promise<WorkEnd> {
  const { clock, settings } = options;
  const { steps, newestAt } = await store.script();
  // Another delivery wrote recently. The bucket has its own clock, so a time in the future counts as now.
  const quietMs = newestAt === 0 ? 0 : settings.review.quietMs - Math.max(0, clock.now() - newestAt);
  if (quietMs > 0) return { state: "again", delayMs: quietMs };
  const models = options.models();
  if (!models.ok) return { state: "failed", failure: models.failure, final: false };
  if (steps.length > 0) return askModel(options, { store, begun: steps, models: models.value });
  const request = await requestFor(options);
  if (!request.ok) {
    return { state: "finished", result: await endWork(options, { state: "left", note: request.failure.message }) };
  }
  const first = await putFirstStep(request.value, options, store);
  if (!first.won) return { state: "again", delayMs: settings.review.quietMs };
  return askModel(options, { store, begun: [first.step], models: models.value });
}

/** Runs the script to its end, or as far as the grant and the time limit allow. */
async function askModel(
  options: WorkOptions,
  { store, begun, models }: { store: WorkStore; begun: ReviewStep[]; models: ModelChain },
): Promise<WorkEnd> {
  const { clock, random, settings, signal, run, work, profile, curation } = options;
  const reviews = {
    script: () => store.script(),
    createStep: (_id: string, n: number, step: ReviewStep) => store.createStep(n, step),
  };
  const journal = createScriptJournal({ reviews, review: `curation:${profile}:${run}.${work}`, clock, script: begun });
  const failed: SpentCall[] = [];
  const planned = await plannedItem(options);
  // A work that no plan names gets the grant of a run with a single piece of work.
  const grant = planned?.grant ?? shareOf(await curation.policy(profile), settings, 1, fromCurationId(run));
  const end = await runScript({
    models,
    journal,
    clock,
    random,
    settings,
    signal,
    failed,
    writes: WRITES,
    tools: createWorkTools({ options, store, steps: () => journal.steps(), several: planned?.skills ?? [] }),
    system: curationPrompt(fromWorkId(work).kind),
    history: [{ role: "user", text: begun[0]?.kind === "start" ? (begun[0].request ?? "") : "" }],
    cacheKey: `curation ${profile}`,
    ...(settings.models.effort.curation && { effort: settings.models.effort.curation }),
    findRefusal: createGrantCheck({ grant, called: "The grant", journal, failed, clock, settings }),
  });
  if (end.state === "again") return end;
  if (end.state === "failed" && !isGrantOver(end.failure)) return { ...end, final: false };
  const note = end.state === "done" ? clipNote(end.note) : `Stopped early. ${end.failure.message}`;
  const facts = factsOf(journal.steps(), await store.merges(), failed);
  const state = facts.changes.length > 0 ? "done" : "left";
  return { state: "finished", result: await finishWork(options, store, { state, note, ...facts }) };
}

/** `won` is false when another delivery began at the same moment. */
function putFirstStep({ text, sessions = [] }: WorkRequest, { clock }: WorkOptions, store: WorkStore) {
  return store.createStep(0, {
    v: 1,
    kind: "start",
    at: clock.now(),
    request: text,
    ...(sessions.length > 0 && { sessions }),
  });
}
