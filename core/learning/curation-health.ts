// The weekly look at skills' health: their checks run, and what differs from what is known is a finding. Called by
// run-curation.ts before it makes its plan. Changes nothing.
import type { Clock, SkillStore } from "../ports.ts";
import type { CuratorNotes, HealthFinding } from "../schemas/curation.ts";
import type { SkillName } from "../schemas/ids.ts";
import type { Settings } from "../schemas/settings.ts";
import type { SkillIndex } from "../schemas/skill.ts";
import type { RunChecks } from "../skills/checks.ts";
import { inspectHealth } from "../skills/health.ts";
import type { SkillFacts } from "./curate.ts";
import { dueForCheck } from "./curation-work.ts";

/** Checks run programs: what has no time left in this run is looked at in the next one. */
const CHECK_MS = 60_000;

interface HealthOptions {
  skills: SkillStore;
  clock: Clock;
  settings: Settings;
  runChecks?: RunChecks;
}

/** Weekly, the longest unchecked first, as many as a run may change; only what differs from what is known is a finding. */
export async function checkHealth(
  { skills, clock, settings, runChecks: run }: HealthOptions,
  facts: { skills: SkillFacts[]; notes: CuratorNotes; index: SkillIndex },
): Promise<{ health: HealthFinding[]; checked: SkillName[] }> {
  const health: HealthFinding[] = [];
  const checked: SkillName[] = [];
  const began = clock.now();
  const { checkDays, maxChanges } = settings.curation;
  const due = dueForCheck(facts.skills, { ...facts, now: began, checkDays });
  for (const name of due.slice(0, maxChanges)) {
    if (clock.now() - began > CHECK_MS) break;
    const snapshot = await skills.open(name);
    if (!snapshot) continue;
    const { files, head } = snapshot;
    const { broken } = await inspectHealth({ files, now: began, run, standing: head.health });
    checked.push(name);
    const known = head.health?.broken ?? [];
    if (JSON.stringify(known) !== JSON.stringify(broken)) health.push({ skill: name, text: head.text, broken });
  }
  return { health, checked };
}
