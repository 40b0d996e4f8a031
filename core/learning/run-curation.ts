// One curation of one profile, over ports: finishes an unfinished plan, makes a plan, applies it move by move, reports.
// Called by the curator Worker. It changes states only: never a skill's text, and it deletes nothing.
import { err, ok } from "../errors.ts";
import type { Clock, CurationStore, EvidenceStore, SkillStore } from "../ports.ts";
import type { CurationMove, CurationPlan, CurationRun, Policy } from "../schemas/curation.ts";
import { NO_USAGE } from "../schemas/entry.ts";
import { type CurationId, type Day, type ProfileId, type SkillName, fromCurationId } from "../schemas/ids.ts";
import type { Settings } from "../schemas/settings.ts";
import { type IndexLine, type SkillIndex, SkillState, type SkillStats, type SkillUse } from "../schemas/skill.ts";
import { type Seeds, mergeLines } from "../skills/library.ts";
import { nearestNeighbours } from "../skills/similarity.ts";
import { type SkillFacts, ageInActiveDays, earliestDay, isAged, planCuration } from "./curate.ts";
import { type SkillForReport, renderCurationReport } from "./curation-report.ts";

export interface CurationOptions {
  profile: ProfileId;
  run: CurationId;
  /** Reports what it would do, and neither moves a state nor touches another run's plan. */
  dryRun: boolean;
  curation: CurationStore;
  skills: SkillStore;
  evidence: EvidenceStore;
  /** Whether a head that the index never held may enter it: the duplicate check. */
  checkHead(line: { name: SkillName } & IndexLine, index: SkillIndex): string | null;
  clock: Clock;
  settings: Settings;
}

/** `busy`: another run holds the profile; come again later. Throws when a store does; then the next run goes on. */
export async function runCuration(given: CurationOptions): Promise<"done" | "busy"> {
  const options: Run = { ...given, folded: new Map() };
  const { curation, profile, run, clock, settings } = options;
  if (await curation.report(profile, run)) return "done";
  if (options.dryRun) {
    await carryOut(options, await makePlan(options));
    return "done";
  }
  const now = clock.now();
  if (!(await curation.lease(profile, run, now, now + settings.curation.leaseMs))) return "busy";
  try {
    for (let open = await curation.openPlan(profile); open; open = await curation.openPlan(profile)) {
      await carryOut(options, open);
    }
    if (!(await curation.report(profile, run))) await carryOut(options, await makePlan(options));
  } finally {
    await curation.release(profile, run);
  }
  return "done";
}

/** Folding lists a skill's evidence and writes its stats: once a run is enough, and twice a second is refused. */
interface Run extends CurationOptions {
  folded: Map<SkillName, SkillStats>;
}

/** Whether a run that began after the day's end has reported on the profile: then that day's marker has been served. */
export async function isCurated(curation: CurationStore, profile: ProfileId, day: Day): Promise<boolean> {
  const dayEndMs = Date.parse(`${day}T00:00:00Z`) + 24 * 60 * 60_000;
  for (const run of await curation.runs(profile)) {
    if (fromCurationId(run) < dayEndMs) return false;
    const report = await curation.report(profile, run);
    if (report && !report.run.dryRun) return true;
  }
  return false;
}

/**
 * The duplicate check for a head that a crash kept out of the index. What a person wrote is never held back by it, and
 * an archived head is no neighbour.
 */
export function toHeadCheck(seeds: Seeds, limits: Settings["skills"]): CurationOptions["checkHead"] {
  return (head, index) => {
    if (head.origin === "user") return null;
    const others = mergeLines(index, seeds).filter((line) => line.name !== head.name && line.state !== "archived");
    const [nearest] = nearestNeighbours(others, head, 1);
    if (!nearest || nearest.similarity < limits.duplicateSimilarity) return null;
    return `nearly the same as ${nearest.name}`;
  };
}

async function makePlan(options: Run): Promise<CurationPlan> {
  const { curation, profile, run, dryRun, clock, settings } = options;
  if (!dryRun) await options.skills.rebuildIndex(options.checkHead);
  const policy = await curation.policy(profile);
  const facts = await gatherFacts(options);
  if (!dryRun) await options.skills.noteUse(toUse(facts.skills));
  const aged = facts.skills.filter((skill) => isAged(skill, policy));
  const plan = planCuration({ ...facts, skills: aged, run, profile, now: clock.now(), policy, settings, dryRun });
  return curation.putPlan(plan);
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

async function gatherFacts(options: Run) {
  const { skills, evidence, clock, folded } = options;
  const found: (SkillFacts & { stats: SkillStats })[] = [];
  for await (const { name, mirror } of skills.scan()) {
    const stats = folded.get(name) ?? (await evidence.fold(name));
    folded.set(name, stats);
    found.push({ name, mirror, stats });
  }
  return { skills: found, activeDays: await evidence.activeDays(earliestDay(found, clock.now())) };
}

/** Idempotent: a plan that was carried out in part is carried out to its end. */
async function carryOut(options: Run, plan: CurationPlan): Promise<void> {
  const { curation, clock, profile } = options;
  const moves: CurationRun["moves"] = [];
  for (const move of plan.moves) {
    const result = plan.dryRun ? "planned" : (await applyMove(options.skills, plan.run, move)) ? "moved" : "left";
    moves.push({ ...move, result });
  }
  if (moves.some((move) => move.result === "moved")) await options.skills.rebuildIndex(options.checkHead);
  const facts = await gatherFacts(options);
  const policy = await curation.policy(profile);
  const run: CurationRun = {
    v: 1,
    run: plan.run,
    profile,
    dryRun: plan.dryRun,
    startedAt: plan.at,
    finishedAt: clock.now(),
    skills: facts.skills.length,
    byState: countStates(facts.skills),
    moves,
    usage: NO_USAGE,
  };
  const listed = facts.skills.map((skill) => toReported(skill, ageInActiveDays(skill, facts.activeDays), policy));
  await curation.putReport(run, renderCurationReport(run, listed));
}

/** True when the head is where the plan wanted it, also by an earlier attempt; false when something moved it first. */
async function applyMove(skills: SkillStore, run: CurationId, move: CurationMove): Promise<boolean> {
  const head = await skills.head(move.skill);
  if (!head) return false;
  const changed = await skills.change({
    name: move.skill,
    op: `curation:${run}:${move.skill}`,
    since: head.rev,
    decide(current) {
      if (!current) return err("skill_moved", "The skill is gone.");
      const { seq, state, reason } = current.head;
      const done = seq === move.seq + 1 && state === move.to && reason === move.reason;
      if (seq !== move.seq && !done) return err("skill_moved", "The skill has changed since the plan was made.");
      return ok({ state: move.to, reason: move.reason });
    },
  });
  if (changed.ok) return true;
  if (changed.failure.code === "skill_moved") return false;
  throw new Error(`Moving ${move.skill} to ${move.to} failed: ${changed.failure.message}`);
}

function countStates(skills: SkillFacts[]): CurationRun["byState"] {
  const counts = Object.fromEntries(SkillState.options.map((state) => [state, 0])) as CurationRun["byState"];
  for (const skill of skills) counts[skill.mirror.state] += 1;
  return counts;
}

function toReported(skill: SkillFacts & { stats: SkillStats }, age: number, policy: Policy): SkillForReport {
  const { name, mirror, stats } = skill;
  const { uses, successes, failures } = stats;
  return { name, state: mirror.state, exempt: exemptionOf(skill, policy), uses, successes, failures, age };
}

function exemptionOf(skill: SkillFacts, policy: Policy): string {
  if (skill.mirror.pinned === "1") return "pinned";
  if (policy.keepSkills.includes(skill.name)) return "a job names it";
  if (skill.mirror.state === "pending") return "waiting for a person";
  const { origin } = skill.mirror;
  if (origin === "user") return "a person's";
  return origin === "hub" || origin === "bundled" ? "from outside" : "";
}
