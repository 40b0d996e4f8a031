// Carries out the plan of a curation run, remembers what the next run must know, sends the work for a model, and writes the report.
// Called by run-curation.ts. Idempotent: a plan that was carried out in part is completed.
import { NO_USAGE } from "../../schemas/entry.ts";
import { type CurationPlan, type CurationRun, toWorkMessage } from "../../schemas/learning/curation.ts";
import { type SkillIndex, lineOf } from "../../schemas/skill.ts";
import { applyPlan, describeDryRun } from "./changes.ts";
import { gatherFacts } from "./gather-facts.ts";
import { type CurationOutcome, toNotes } from "./remember.ts";
import { countStates, renderCurationReport, toSkillForReport } from "./report.ts";
import type { CurationContext } from "./run-options.ts";

export async function carryOut(options: CurationContext, plan: CurationPlan): Promise<void> {
  const { curation, clock, profile, skills } = options;
  const done = plan.dryRun ? describeDryRun(plan) : await applyPlan(options, plan);
  if (!plan.dryRun && done.changes.length > 0) await skills.rebuildIndex(options.checkHead, options.assertRoom);
  const facts = await gatherFacts(options, await curation.notes(profile));
  const policy = await curation.policy(profile);
  if (!plan.dryRun) {
    const ageReset = plan.undoes ? done.changes.map(({ skill }) => skill) : [];
    await remember(options, { plan, skills: facts.skills, ageReset });
  }
  const index = await skills.index();
  const overlaps = overlapsIn(index);
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
  const listed = facts.skills.map((skill) => toSkillForReport(skill, { activeDays, now: plan.at, policy, index }));
  await curation.putReport(run, renderCurationReport(run, listed));
}

/** Called before the report is stored. If a crash prevents the report, the run is carried out again and sends its work again. */
async function remember(
  options: CurationContext,
  facts: Pick<CurationOutcome, "plan" | "skills" | "ageReset">,
): Promise<void> {
  const { curation, profile, clock, skills } = options;
  const { plan } = facts;
  const index = await skills.index();
  await curation.changeNotes(profile, (notes) => toNotes(notes, { ...facts, index, now: clock.now() }));
  for (const { work } of plan.work ?? []) await options.work?.queue.send(toWorkMessage(profile, plan.run, work));
}

/** Overlaps that reviews noted, between skills that are not archived. */
function overlapsIn(index: SkillIndex): NonNullable<CurationRun["overlaps"]> {
  return Object.entries(index.skills).flatMap(([skill, { state, overlaps = [] }]) => {
    const living = overlaps.filter((name) => (lineOf(index, name)?.state ?? "archived") !== "archived");
    return state !== "archived" && living.length > 0 ? [{ skill, with: living }] : [];
  });
}
