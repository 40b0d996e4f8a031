// Checks skills' health weekly: parses their scripts, runs their checks, and reports what has changed since as findings. Called by
// make-plan.ts. Changes no skill; a finding is written when the plan is carried out.
import type { Clock, CurationStore, SkillStore } from "../../ports.ts";
import type { CuratorNotes, HealthFinding } from "../../schemas/learning/curation.ts";
import { DAY_MS, type Day, type ProfileId, type SkillName, dayOf } from "../../schemas/ids.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type IndexLine, type SkillIndex, lineOf } from "../../schemas/skill.ts";
import { type RunChecks, hasPrograms } from "../../skills/checks.ts";
import { inspectHealth } from "../../skills/health.ts";
import type { SkillFacts } from "./curate.ts";
import { noteOf } from "./lookup.ts";

/** Checks run programs. Skills that do not fit into this time are checked in the next run. */
const CHECK_MS = 60_000;
const NEVER_ENDED = "checks: they took so long that the Worker running them was ended";

interface HealthOptions {
  profile: ProfileId;
  curation: Pick<CurationStore, "beginCheck" | "endCheck">;
  skills: SkillStore;
  clock: Clock;
  settings: Settings;
  runChecks?: RunChecks;
  /** Whether this invocation may make more requests. */
  hasRoom(): boolean;
}

/**
 * Checks as many skills as a run may change. A finding is only what differs from the head. A check that escapes its limits ends
 * the whole Worker. The start of each check is therefore stored, and such a check is not run again within the week, so that the other
 * profiles of the page get their turn.
 */
export async function checkHealth(
  { profile, curation, skills, clock, settings, runChecks, hasRoom }: HealthOptions,
  facts: { skills: SkillFacts[]; notes: CuratorNotes; index: SkillIndex },
): Promise<{ health: HealthFinding[]; checked: SkillName[] }> {
  const health: HealthFinding[] = [];
  const checked: SkillName[] = [];
  const began = clock.now();
  const { checkDays, maxChanges } = settings.curation;
  const due = dueForCheck(facts.skills, { ...facts, now: began, checkDays });
  for (const name of due.slice(0, maxChanges)) {
    if (clock.now() - began > CHECK_MS || !hasRoom()) break;
    const snapshot = await skills.open(name);
    if (!snapshot) continue;
    const { files, head } = snapshot;
    const isNeeded = runChecks !== undefined && hasPrograms(files);
    const begun = { text: head.text, now: began, since: began - checkDays * DAY_MS };
    const mayRun = !isNeeded || (await curation.beginCheck(profile, name, begun));
    const run = mayRun ? runChecks : undefined;
    const { broken } = await inspectHealth({ files, now: began, run, known: head.health });
    if (!mayRun) broken.push(NEVER_ENDED);
    else if (isNeeded) await curation.endCheck(profile, name);
    checked.push(name);
    const known = head.health?.broken ?? [];
    if (JSON.stringify(known) !== JSON.stringify(broken)) health.push({ skill: name, text: head.text, broken });
  }
  return { health, checked };
}

/**
 * Skills whose checks have not run for `curation.checkDays` days. Broken skills come first and in every run, because a new text may
 * have repaired them. Then come the most used, because a fault in them costs most.
 */
export function dueForCheck(
  skills: SkillFacts[],
  { notes, index, now, checkDays }: { notes: CuratorNotes; index: SkillIndex; now: number; checkDays: number },
): SkillName[] {
  const before: Day = dayOf(now - checkDays * DAY_MS);
  return skills
    .filter(({ mirror }) => mirror.state !== "archived" && mirror.state !== "pending")
    .map(({ name, stats }) => ({
      name,
      broken: isBroken(lineOf(index, name)),
      uses: stats.uses,
      checked: noteOf(notes, name)?.checked ?? "",
    }))
    .filter(({ broken, checked }) => broken || checked <= before)
    .sort((a, b) => Number(b.broken) - Number(a.broken) || b.uses - a.uses || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

function isBroken(line: IndexLine | undefined): boolean {
  return (line?.health?.broken ?? []).length > 0;
}
