// Makes and stores the plan of a curation run: state moves, findings about broken skills, work for a model; or how to take an earlier
// run back. Called by run-curation.ts. Changes no skill; a run that is not dry refreshes the index and what it says of use.
import { type CurationId, type SkillName, dayOf } from "../../schemas/ids.ts";
import type { CurationPlan, CuratorNotes } from "../../schemas/learning/curation.ts";
import type { Grant } from "../../schemas/learning/review.ts";
import type { SkillStats, SkillUse } from "../../schemas/skill.ts";
import { isLimited, toDayBudget } from "../../schemas/usage.ts";
import { clustersOf, notedClusters } from "./work/clusters.ts";
import { planCuration } from "./curate.ts";
import { gatherFacts } from "./gather-facts.ts";
import { checkHealth } from "./health.ts";
import type { CurationContext } from "./run-options.ts";
import { endWork } from "./work/run-work.ts";
import { type WorkFacts, planWork } from "./work/work.ts";

export async function makePlan(options: CurationContext, notes: CuratorNotes): Promise<CurationPlan> {
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
  return curation.putPlan({
    ...moves,
    ...(health.length > 0 && { health }),
    ...(checked.length > 0 && { checked }),
    ...(options.work && (await planPaidWork(options, wanted))),
  });
}

/**
 * The plan that rolls back another run, last change first. Unfinished work of that run is ended first. This run holds the lease, so
 * no other process is doing the work, and later deliveries find its outcome.
 */
export async function makeUndo(options: CurationContext, undoes: CurationId): Promise<CurationPlan> {
  const { curation, profile, run, clock, work: models } = options;
  const report = await curation.report(profile, undoes);
  const note = "Its run was taken back.";
  if (models) {
    for (const { work } of report?.run.work ?? []) {
      await endWork({ ...options, ...models, run: undoes, work }, { state: "cancelled", note });
    }
  }
  const works = (await curation.works(profile, undoes)).toSorted((a, b) => a.finishedAt - b.finishedAt);
  const changes = [...(report?.run.changes ?? []), ...works.flatMap((work) => work.changes)];
  const undo = changes.toReversed();
  return curation.putPlan({ v: 1, run, profile, at: clock.now(), dryRun: false, moves: [], undoes, undo });
}

/** The work that the day's budget allows. `unpaid`: how much of it the budget left out. */
async function planPaidWork(
  options: CurationContext,
  facts: WorkFacts,
): Promise<Pick<CurationPlan, "work" | "unpaid" | "allowance">> {
  const due = planWork(facts);
  if (due.length === 0) return {};
  const allowance = await allowanceOf(options, facts.now);
  if (allowance === null) return { work: due };
  const work = allowance.grant ? planWork({ ...facts, allowance: allowance.grant }) : [];
  const unpaid = due.length - work.length;
  return {
    ...(work.length > 0 && { work }),
    ...(unpaid > 0 && { unpaid }),
    ...(work.length > 0 && allowance.id !== undefined && { allowance: allowance.id }),
  };
}

/** `null`: no day has a limit that is known here. Without a grant, the day's budget has nothing left for the run. A dry run takes nothing. */
async function allowanceOf(options: CurationContext, now: number): Promise<{ id?: string; grant?: Grant } | null> {
  const { settings, curation, profile, run, dryRun, allowance } = options;
  // Also where the operator has no limit: the profile may have one of its own, which this Worker does not know.
  if (allowance) return allowance.grant.expiresAt > now ? allowance : {};
  if (!isLimited(toDayBudget(settings.budget))) return null;
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
