// A piece of a curation's work for a model: a skill written again, a stale one looked at, several made one. The same loop as a
// review's, over a script of its own, within the run's grant, with tools that reach skills and nothing else. Called by the
// curator Worker, a message each. A delivery that comes again asks nothing twice and writes nothing twice.
import type { ModelChain, Tool } from "../../agent/contract.ts";
import { fail } from "../../agent/tool-result.ts";
import type { Failure, Result } from "../../errors.ts";
import type { Clock, CurationStore, EvidenceStore, Random, ReviewStore, SkillStore, WorkStore } from "../../ports.ts";
import { curationPrompt } from "../../prompts/curation/curation.ts";
import { type CurationWork, type WorkId, fromWorkId } from "../../schemas/learning/curation.ts";
import { type CurationId, type ProfileId, type SkillName, fromCurationId } from "../../schemas/ids.ts";
import type { Grant, ReviewStep } from "../../schemas/learning/review.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type SpentCall, toUsageLines } from "../../schemas/usage.ts";
import type { RunChecks } from "../../skills/checks.ts";
import { type Seeds, createLibrary } from "../../skills/library.ts";
import type { SkillOperation } from "../../skills/edit/operation-list.ts";
import { createCheckInspector } from "../../tools/skills/check-inspector.ts";
import { type SkillInspector, createSkillManage, toOperations } from "../../tools/skills/skill-manage.ts";
import { createSkillView } from "../../tools/skills/skill-view.ts";
import { createSkillsList } from "../../tools/skills/skills-list.ts";
import { addedText } from "../added-text.ts";
import { createClaims } from "../review/rules/claims.ts";
import { createSkillMerge, finishMerges } from "./consolidate.ts";
import { standingOf } from "./changes.ts";
import { type WorkRequest, plannedItem, requestFor } from "./request.ts";
import { factsOf } from "./script.ts";
import { hasViewed } from "../script/script-facts.ts";
import { createScriptJournal } from "../script/script-journal.ts";
import { clipNote, createBudget, isGrantOver, runScript } from "../script/script-run.ts";
import { toTainted } from "../../tools/approval/hold.ts";
import { type Taint, createTaint } from "../taint/taint.ts";
import { entriesOf, findFailedTurns } from "./failed-turns.ts";
import { shareOf } from "./work.ts";

export interface WorkOptions {
  profile: ProfileId;
  run: CurationId;
  work: WorkId;
  curation: CurationStore;
  skills: SkillStore;
  evidence: EvidenceStore;
  reviews: Pick<ReviewStore, "list" | "job">;
  seeds: Seeds;
  /** The primary, then those to fall back on; asked for when there is something to do. */
  models(): Result<ModelChain>;
  /** Runs the checks that skills bring along. Absent: none runs. */
  runChecks?: RunChecks;
  clock: Clock;
  random: Random;
  settings: Settings;
  /** Aborts at the time limit of a run. */
  signal: AbortSignal;
}

export type WorkEnd =
  | { state: "finished"; result: CurationWork }
  /** Nobody does it now: the profile is paused or gone. It stays owed. */
  | { state: "waits" }
  /** Somebody else is at the profile: later, and not counted as a try. */
  | { state: "held"; delayMs: number }
  /** No failure: another delivery begins it or goes on with it. */
  | { state: "again"; delayMs: number }
  | { state: "failed"; failure: Failure; final: boolean };

/** How long a profile that is held is left alone. */
const HELD_MS = 60_000;

/** Throws when a store does. */
export async function runWork(options: WorkOptions): Promise<WorkEnd> {
  const { curation, profile, run, work, clock, settings } = options;
  const store = curation.work(profile, run, work);
  const found = await store.outcome();
  if (found) return { state: "finished", result: found };
  const { paused } = await curation.policy(profile);
  // Who asked for a consolidation knows that the profile is paused.
  if (await curation.isGone(profile)) return { state: "waits" };
  const isAsked = async () =>
    !(await curation.plan(profile, run))?.work?.some((item) => item.work === work && item.groups);
  if (paused && !(work === "consolidate" && (await isAsked()))) return { state: "waits" };
  const now = clock.now();
  if (!(await curation.lease(profile, run, now, now + settings.curation.leaseMs, work))) {
    return { state: "held", delayMs: HELD_MS };
  }
  try {
    return await goOn(options, store);
  } finally {
    await curation.release(profile, run, work);
  }
}

/** Ends a work that will not be done, with what it had done so far. Create-only: who ends it first has ended it. */
export async function endWork(
  options: Pick<WorkOptions, "profile" | "run" | "work" | "curation" | "skills" | "seeds" | "settings" | "clock">,
  end: Pick<CurationWork, "state" | "note">,
): Promise<CurationWork> {
  const store = options.curation.work(options.profile, options.run, options.work);
  const merged = await finishMerges({ ...options, store });
  const { steps } = await store.script();
  return finishWork(options, store, { ...end, ...factsOf(steps, await store.merges(), [], merged) });
}

/** The bill goes first: a work that is finished is not looked at again. */
async function finishWork(
  options: Pick<WorkOptions, "profile" | "run" | "work" | "curation" | "clock">,
  store: WorkStore,
  work: Omit<CurationWork, keyof ReturnType<typeof headOf>>,
): Promise<CurationWork> {
  const { profile, run, curation, clock } = options;
  const lines = work.spent.map((call) => ({ kind: "curation" as const, ...call }));
  const grant = (await curation.plan(profile, run))?.allowance;
  if (lines.length > 0 || grant !== undefined) {
    const spent = { v: 1 as const, run, work: options.work, at: clock.now(), lines: toUsageLines(lines) };
    await curation.putSpent(profile, { ...spent, ...(grant !== undefined && { grant }) });
  }
  return store.finish({ ...headOf(options), ...work });
}

function headOf({ run, work, clock }: Pick<WorkOptions, "run" | "work" | "clock">) {
  return { v: 1 as const, run, work, finishedAt: clock.now() };
}

async function goOn(options: WorkOptions, store: WorkStore): Promise<WorkEnd> {
  const { clock, random, settings, signal, run, work, profile } = options;
  const { steps, newestAt } = await store.script();
  // Somebody else is at it: the bucket's clock is not ours, so a time that lies ahead is now.
  const quietMs = newestAt === 0 ? 0 : settings.review.quietMs - Math.max(0, clock.now() - newestAt);
  if (quietMs > 0) return { state: "again", delayMs: quietMs };
  const models = options.models();
  if (!models.ok) return { state: "failed", failure: models.failure, final: false };
  const begun = steps.length > 0 ? steps : await begin(options, store);
  if (begun === "lost") return { state: "again", delayMs: settings.review.quietMs };
  if (typeof begun === "string") {
    return { state: "finished", result: await endWork(options, { state: "left", note: begun }) };
  }
  const id = `curation:${profile}:${run}.${work}`;
  const reviews = {
    script: () => store.script(),
    createStep: (_id: string, n: number, step: ReviewStep) => store.createStep(n, step),
  };
  const journal = createScriptJournal({ reviews, review: id, clock, script: begun });
  const failed: SpentCall[] = [];
  const planned = await plannedItem(options);
  const grant = planned?.grant ?? (await grantAlone(options));
  const end = await runScript({
    ...{ models: models.value, journal, clock, random, settings, signal, failed, writes: WRITES },
    tools: toTools(options, store, () => journal.steps(), planned?.skills ?? []),
    system: curationPrompt(fromWorkId(work).kind),
    history: [{ role: "user", text: begun[0]?.kind === "start" ? (begun[0].request ?? "") : "" }],
    cacheKey: `curation ${profile}`,
    ...(settings.models.effort.curation && { effort: settings.models.effort.curation }),
    mayAsk: createBudget({ grant, called: "The grant", journal, failed, clock, settings }),
  });
  if (end.state === "again") return end;
  if (end.state === "failed" && !isGrantOver(end.failure)) return { ...end, final: false };
  const note = end.state === "done" ? clipNote(end.note) : `Stopped early. ${end.failure.message}`;
  const facts = factsOf(journal.steps(), await store.merges(), failed);
  const state = facts.changes.length > 0 ? "done" : "left";
  return { state: "finished", result: await finishWork(options, store, { state, note, ...facts }) };
}

const WRITES = new Set(["skill_manage", "skill_merge"]);

/** A text: why there is nothing to do. `lost`: another delivery began at the same moment. */
async function begin(options: WorkOptions, store: WorkStore): Promise<ReviewStep[] | string> {
  const request = await requestFor(options);
  if (!request.ok) return request.failure.message;
  const step: ReviewStep = { v: 1, kind: "start", at: options.clock.now(), ...toStart(request.value) };
  const put = await store.createStep(0, step);
  return put.won ? [put.step] : "lost";
}

function toStart({ text, sessions = [] }: WorkRequest) {
  return { request: text, ...(sessions.length > 0 && { sessions }) };
}

/** A work that no plan knows of has what one alone would have. */
async function grantAlone({ curation, profile, run, settings }: WorkOptions): Promise<Grant> {
  return shareOf(await curation.policy(profile), settings, 1, fromCurationId(run));
}

/** `several`: the skills of a work that is about more than one. */
function toTools(options: WorkOptions, store: WorkStore, steps: () => ReviewStep[], several: SkillName[]): Tool[] {
  const { skills, seeds, settings, work, runChecks } = options;
  const { kind, skill } = fromWorkId(work);
  const library = createLibrary({ store: skills, seeds, scene: { disabled: settings.skills.disabled } });
  const reading = [createSkillsList({ library }), createSkillView({ library, settings })];
  const checks = runChecks ? [createCheckInspector(runChecks)] : [];
  const merge = createSkillMerge({ ...options, store, inspectors: checks });
  if (kind === "consolidate") return [...reading, merge];
  // The request shows it whole.
  const isViewed = (name: string) => name === skill || several.includes(name) || hasViewed(steps(), name);
  const inspectors = [checkClaims, ...(kind === "rewrite" ? [createTurnsInspector(options)] : []), ...checks];
  const writing = { library, store: skills, origin: "curator", settings, isViewed, inspectors } as const;
  const write = createSkillManage(writing);
  if (kind === "requests") return [...reading, noting(onlyRequests(write, several), skills)];
  const manage = noting(within(write, skill!), skills);
  return [...reading, manage, ...(kind === "look" ? [merge] : [])];
}

/** As in a review: what a text says against a tool outlives its reason. */
const checkClaims: SkillInspector = ({ before, after }) =>
  createClaims([])(addedText(before?.files ?? {}, after).prose);

/** What a rewrite read in failed turns came from outside in part: it is judged as in a review, and here nobody can be asked. */
function createTurnsInspector(options: WorkOptions): SkillInspector {
  let taint: Promise<Taint> | null = null;
  return async (write) => {
    taint ??= findFailedTurns({ name: write.name, text: write.before?.head.text ?? "" }, options).then((turns) =>
      createTaint({ entries: entriesOf(turns) }),
    );
    const hold = (await taint).holdSkill(write);
    return hold && toTainted(hold);
  };
}

/** The one skill the work is about, and its text only: what is archived goes up in another by skill_merge. */
function within<T extends Tool>(tool: T, skill: SkillName): T {
  return {
    ...tool,
    async run(args, context) {
      const operations = toOperations(args);
      const first = operations.ok ? operations.value[0]! : null;
      if (first && first.name !== skill) {
        return fail("not_this_skill", `This is about '${skill}' alone: leave '${first.name}' as it is.`);
      }
      if (first?.action === "create" || first?.action === "delete") {
        return fail("not_here", `'${skill}' is patched or edited here, not made or archived.`);
      }
      return tool.run(args, context);
    },
  };
}

/** The requests of those skills, and no word of their texts. */
function onlyRequests<T extends Tool>(tool: T, names: SkillName[]): T {
  return {
    ...tool,
    async run(args, context) {
      const operations = toOperations(args);
      const isMeant = ({ action, name }: SkillOperation) => action === "set_requests" && names.includes(name);
      if (operations.ok && !operations.value.every(isMeant)) {
        return fail("requests_only", "Give name and requests of one of the skills that are shown, and nothing else.");
      }
      return tool.run(args, context);
    },
  };
}

/** Records with the intent what the skill was, so that the change can be taken back. */
function noting<T extends Tool>(tool: T, skills: SkillStore): T {
  return {
    ...tool,
    async prepare(args) {
      const operations = toOperations(args);
      const head = operations.ok ? await skills.head(operations.value[0]!.name) : null;
      return { ...(await tool.prepare?.(args)), before: head && standingOf(head) };
    },
  };
}
