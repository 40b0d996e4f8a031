// One curation of one profile, over ports: finishes what an earlier run left open, makes a plan, carries it out change by
// change, hands work to a model over to messages of its own, reports. Called by the curator Worker. It deletes nothing, and
// each of its changes can be taken back.
import type { Clock, CurationStore, EvidenceStore, Queue, SkillStore } from "../../ports.ts";
import {
  type CurationChange,
  type CurationMessage,
  type CurationPlan,
  type CurationRun,
  type CuratorNotes,
  toWorkMessage,
} from "../../schemas/learning/curation.ts";
import { NO_USAGE } from "../../schemas/entry.ts";
import {
  type CurationId,
  DAY_MS,
  type Day,
  type ProfileId,
  type SkillName,
  dayOf,
  fromCurationId,
  toCurationId,
} from "../../schemas/ids.ts";
import type { Grant } from "../../schemas/learning/review.ts";
import { isLimited, toDayBudget } from "../../schemas/usage.ts";
import type { Settings } from "../../schemas/settings.ts";
import {
  type HeadMirror,
  type IndexLine,
  type SkillIndex,
  type SkillStats,
  type SkillUse,
  toLineage,
} from "../../schemas/skill.ts";
import type { RunChecks } from "../../skills/checks.ts";
import { type Seeds, mergeLines } from "../../skills/library.ts";
import { type Neighbourhood, createNeighbourhood } from "../../skills/search/similarity.ts";
import { type SkillFacts, earliestDay, planCuration } from "./curate.ts";
import { applyPlan, onlyPlanned } from "./changes.ts";
import { checkHealth } from "./health.ts";
import { countStates, renderCurationReport, toReported } from "./report.ts";
import { clustersOf, noteOf, notedClusters, planWork, toNotes } from "./work.ts";
import { finishMerges } from "./consolidate.ts";
import { endWork } from "./model.ts";

export interface CurationOptions {
  profile: ProfileId;
  run: CurationId;
  /** Reports what it would do, and neither moves a state nor touches another run's plan. */
  dryRun: boolean;
  /** A person wants to know which skills should be one. */
  consolidate?: boolean;
  /** What the profile's Account set aside for this run, where a day's budget is set. */
  allowance?: { id: string; grant: Grant };
  /** Takes this run back instead. */
  undoes?: CurationId;
  curation: CurationStore;
  skills: SkillStore;
  evidence: EvidenceStore;
  /** Where work for a model is sent; absent: none is left to a model. */
  work?: { queue: Queue<CurationMessage>; seeds: Seeds };
  /** Runs the checks that skills bring along. Absent: none runs. */
  runChecks?: RunChecks;
  /** Whether a head that the index never held may enter it: the duplicate check. */
  checkHead(line: { name: SkillName } & IndexLine, index: SkillIndex): string | null;
  /** Whether this invocation may make more requests. Absent: always. */
  hasRoom?(): boolean;
  clock: Clock;
  settings: Settings;
}

/** What is done so far has been stored: the same run goes on in another invocation. */
class OutOfRoom extends Error {}

/**
 * `busy`: another run holds the profile; come again later. `more`: this invocation has no requests left; call it again, with
 * the same run, in another one. For a profile that has been deleted nothing is done. Throws when
 * a store does; then the next run goes on.
 */
export async function runCuration(given: CurationOptions): Promise<"done" | "busy" | "more"> {
  const { hasRoom = () => true } = given;
  const assertRoom = () => {
    if (!hasRoom()) throw new OutOfRoom("the requests of this invocation are used up");
  };
  try {
    return await runOnce({ ...given, folded: new Map(), hasRoom, assertRoom });
  } catch (thrown) {
    if (thrown instanceof OutOfRoom) return "more";
    throw thrown;
  }
}

async function runOnce(options: Run): Promise<"done" | "busy"> {
  const { curation, profile, run, clock, settings } = options;
  if (await curation.isGone(profile)) return "done";
  if (await curation.report(profile, run)) return "done";
  if (options.dryRun) {
    await carryOut(options, await makePlan(options, await curation.notes(profile)));
    return "done";
  }
  const now = clock.now();
  if (!(await curation.lease(profile, run, now, now + settings.curation.leaseMs))) return "busy";
  try {
    const since = openSince(await settleOwed(options));
    for (let open = await curation.openPlan(profile, since); open; open = await curation.openPlan(profile, since)) {
      await carryOut(options, open);
    }
    if (!(await curation.report(profile, run))) {
      const { undoes } = options;
      // What an open plan has just left is known by now.
      const plan = undoes ? await makeUndo(options, undoes) : await makePlan(options, await curation.notes(profile));
      await carryOut(options, plan);
    }
    const { owed } = await curation.notes(profile);
    const keptFrom = now - settings.curation.keepDays * DAY_MS;
    await curation.sweep(
      profile,
      keptFrom,
      owed.map((work) => work.run),
    );
  } finally {
    await curation.release(profile, run);
  }
  return "done";
}

/** Folding lists a skill's evidence and writes its stats: once a run is enough, and twice a second is refused. */
interface Run extends CurationOptions {
  folded: Map<SkillName, SkillStats>;
  hasRoom(): boolean;
  /** Throws OutOfRoom. Called where all that was done is stored. */
  assertRoom(): void;
}

/** A run that was asked for may wait in the queue for as long while others pass it. */
const OPEN_DAYS = 2;

/** Plans older than this have reported: the listing need not begin at the profile's first day. */
function openSince({ last }: CuratorNotes): CurationId | undefined {
  return last === null ? undefined : toCurationId(fromCurationId(last) - OPEN_DAYS * DAY_MS, () => 0);
}

/** Whether a run that began after the day's end has reported on the profile: then that day's marker has been served. */
export async function isCurated(curation: CurationStore, profile: ProfileId, day: Day): Promise<boolean> {
  const dayEndMs = Date.parse(`${day}T00:00:00Z`) + DAY_MS;
  for (const run of await curation.runs(profile)) {
    if (fromCurationId(run) < dayEndMs) return false;
    const report = await curation.report(profile, run);
    if (report && !report.run.dryRun && report.run.undoes === undefined) return true;
  }
  return false;
}

/**
 * The duplicate check for a head that a crash kept out of the index. What a person wrote is never held back by it, and
 * an archived head is no neighbour.
 */
export function toHeadCheck(seeds: Seeds, limits: Settings["skills"]): CurationOptions["checkHead"] {
  let known: { skills: SkillIndex["skills"]; hood: Neighbourhood } | null = null;
  let asked: SkillName | null = null;

  /** A rebuild asks for one head after another, and adds the line of each that passed: the others stay as they are known. */
  function neighboursIn(index: SkillIndex): Neighbourhood {
    const added = asked !== null && Object.hasOwn(index.skills, asked) ? asked : null;
    // Also when a skill takes the place of a bundled one.
    if (known?.skills !== index.skills || (added !== null && Object.hasOwn(seeds, added))) {
      const lines = mergeLines(index, seeds).filter((line) => line.state !== "archived");
      known = { skills: index.skills, hood: createNeighbourhood(lines) };
    } else if (added !== null && index.skills[added]!.state !== "archived") {
      known.hood.add({ ...index.skills[added]!, name: added });
    }
    return known.hood;
  }

  return (head, index) => {
    const hood = neighboursIn(index);
    asked = head.name;
    if (head.origin === "user") return null;
    const [nearest] = hood.nearest(head, 1);
    if (!nearest || nearest.similarity < limits.duplicateSimilarity) return null;
    return `nearly the same as ${nearest.name}`;
  };
}

/** Merges that were cut off are carried to their end before anything is planned; what has no outcome yet is sent again. */
async function settleOwed(options: Run): Promise<CuratorNotes> {
  const { curation, profile, work: models } = options;
  const notes = await curation.notes(profile);
  if (!models) return notes;
  const settled = new Set<string>();
  for (const { run, work } of notes.owed) {
    options.assertRoom();
    const store = curation.work(profile, run, work);
    if (await store.outcome()) {
      settled.add(`${run} ${work}`);
      continue;
    }
    await finishMerges({ ...options, ...models, run, work, store });
    await models.queue.send(toWorkMessage(profile, run, work));
  }
  if (settled.size === 0) return notes;
  return curation.changeNotes(profile, (now) => ({
    ...now,
    owed: now.owed.filter(({ run, work }) => !settled.has(`${run} ${work}`)),
  }));
}

async function makePlan(options: Run, notes: CuratorNotes): Promise<CurationPlan> {
  const { curation, skills, profile, run, dryRun, clock, settings } = options;
  const index = dryRun ? await skills.index() : await skills.rebuildIndex(options.checkHead, options.assertRoom);
  const policy = await curation.policy(profile);
  const facts = await gatherFacts(options, notes);
  if (!dryRun) await skills.noteUse(toUse(facts.skills));
  const now = clock.now();
  const moves = planCuration({ ...facts, run, profile, now, policy, settings, dryRun });
  const { health, checked } = await checkHealth(options, { skills: facts.skills, notes, index });
  const broken = new Map(Object.entries(index.skills).map(([name, line]) => [name, line.health?.broken ?? []]));
  for (const finding of health) broken.set(finding.skill, finding.broken);
  const asked = options.consolidate === true;
  const clusters = asked ? clustersOf(facts.skills, index) : notedClusters(facts.skills, index, notes);
  const wanted = { skills: facts.skills, broken, notes, index, policy, settings, now, plan: moves, clusters, asked };
  const due = options.work ? planWork(wanted) : [];
  const allowance = due.length > 0 ? await allowanceOf(options, now) : null;
  const work = allowance?.grant ? planWork({ ...wanted, most: allowance.grant }) : allowance === null ? due : [];
  const unpaid = due.length - work.length;
  return curation.putPlan({
    ...moves,
    ...(health.length > 0 && { health }),
    ...(checked.length > 0 && { checked }),
    ...(work.length > 0 && { work }),
    ...(unpaid > 0 && { unpaid }),
    ...(work.length > 0 && allowance?.id !== undefined && { allowance: allowance.id }),
  });
}

/** `null`: no day has a limit. Without a grant: this day's budget has nothing for the run. A dry run takes nothing. */
async function allowanceOf(options: Run, now: number): Promise<{ id?: string; grant?: Grant } | null> {
  const { settings, curation, profile, run, dryRun, allowance } = options;
  if (!isLimited(toDayBudget(settings.budget))) return null;
  if (allowance) return allowance.grant.expiresAt > now ? allowance : {};
  if (dryRun) return null;
  return (await curation.takeAllowance(profile, dayOf(now), run)) ?? {};
}

/** What the index says of each skill that was ever used. */
function toUse(skills: { name: SkillName; stats: SkillStats }[]): Record<SkillName, SkillUse> {
  const used = skills.filter(({ stats }) => stats.uses > 0);
  return Object.fromEntries(
    used.map(({ name, stats: { uses, successes, failures, lastUsedDay } }) => [
      name,
      { uses, successes, failures, lastUsedDay },
    ]),
  );
}

function neverUsed(skill: SkillName): SkillStats {
  return { v: 2, skill, uses: 0, successes: 0, failures: 0, lastUsedDay: null, texts: {} };
}

type Counted = SkillFacts & { stats: SkillStats };

async function gatherFacts(options: Run, notes: CuratorNotes) {
  const { skills, evidence, clock, folded } = options;
  const mirrors = new Map<SkillName, HeadMirror>();
  for await (const { name, mirror } of skills.scan()) mirrors.set(name, mirror);
  const lineages = new Map([...mirrors].map(([name, mirror]) => [name, toLineage(mirror)]));
  const counted = await evidence.counted(lineages);
  const found: Counted[] = [];
  for (const [name, mirror] of mirrors) {
    const known = folded.get(name) ?? (counted.has(name) ? counted.get(name)! : neverUsed(name));
    if (!known) options.assertRoom();
    const stats = known ?? (await evidence.fold(name, lineages.get(name)));
    if (!known) folded.set(name, stats);
    found.push({ name, mirror, stats, seen: noteOf(notes, name)?.seen ?? null });
  }
  return { skills: found, activeDays: await evidence.activeDays(earliestDay(found, clock.now())) };
}

/**
 * Takes back what another run did, last change first. Work of it that is still under way is ended before: with the lease
 * nobody is at it, and who comes later finds its outcome.
 */
async function makeUndo(options: Run, undoes: CurationId): Promise<CurationPlan> {
  const { curation, profile, run, clock, work: models } = options;
  const report = await curation.report(profile, undoes);
  const note = "Its run was taken back.";
  for (const { work } of (models && report?.run.work) || []) {
    await endWork({ ...options, ...models!, run: undoes, work }, { state: "cancelled", note });
  }
  const works = (await curation.works(profile, undoes)).toSorted((a, b) => a.finishedAt - b.finishedAt);
  const changes = [...(report?.run.changes ?? []), ...works.flatMap((work) => work.changes)];
  const undo = changes.toReversed();
  return curation.putPlan({ v: 1, run, profile, at: clock.now(), dryRun: false, moves: [], undoes, undo });
}

/** Idempotent: a plan that was carried out in part is carried out to its end. */
async function carryOut(options: Run, plan: CurationPlan): Promise<void> {
  const { curation, clock, profile, skills } = options;
  const done = plan.dryRun ? onlyPlanned(plan) : await applyPlan(options, plan);
  if (!plan.dryRun && done.changes.length > 0) await skills.rebuildIndex(options.checkHead, options.assertRoom);
  const notes = await curation.notes(profile);
  const facts = await gatherFacts(options, notes);
  const policy = await curation.policy(profile);
  if (!plan.dryRun) await remember(options, plan, facts.skills, done.changes);
  const { index, overlaps } = await readOverlaps(options);
  const run: CurationRun = {
    v: 1,
    run: plan.run,
    profile,
    dryRun: plan.dryRun,
    startedAt: plan.at,
    finishedAt: clock.now(),
    skills: facts.skills.length,
    byState: countStates(facts.skills),
    moves: done.moves,
    ...(done.verdicts.length > 0 && { verdicts: done.verdicts }),
    ...(done.health.length > 0 && { health: done.health }),
    ...(overlaps.length > 0 && { overlaps }),
    ...(plan.work && { work: plan.work }),
    ...(plan.left && { left: plan.left }),
    ...(plan.unpaid && { unpaid: plan.unpaid }),
    ...(plan.undoes && { undoes: plan.undoes, undone: done.undone }),
    ...(done.changes.length > 0 && { changes: done.changes }),
    usage: NO_USAGE,
  };
  const { activeDays } = facts;
  const listed = facts.skills.map((skill) => toReported(skill, { activeDays, now: plan.at, policy, index }));
  await curation.putReport(run, renderCurationReport(run, listed));
}

/** Before the report: a run that was cut off in between is carried out again, and its work sent again. */
async function remember(
  options: Run,
  plan: CurationPlan,
  skills: SkillFacts[],
  changes: CurationChange[],
): Promise<void> {
  const { curation, profile, clock } = options;
  const afresh = plan.undoes ? changes.map(({ skill }) => skill) : [];
  const index = await options.skills.index();
  await curation.changeNotes(profile, (notes) => toNotes(notes, { skills, plan, index, afresh, now: clock.now() }));
  for (const { work } of plan.work ?? []) await options.work?.queue.send(toWorkMessage(profile, plan.run, work));
}

async function readOverlaps({ skills }: Run) {
  const index = await skills.index();
  const overlaps = Object.entries(index.skills).flatMap(([skill, { state, overlaps: noted = [] }]) => {
    const living = noted.filter(
      (name) => Object.hasOwn(index.skills, name) && index.skills[name]!.state !== "archived",
    );
    return state !== "archived" && living.length > 0 ? [{ skill, with: living }] : [];
  });
  return { index, overlaps };
}
