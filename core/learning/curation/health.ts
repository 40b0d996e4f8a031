// The weekly look at skills' health: their scripts are parsed, their checks run, and what differs from what is known is a finding.
// Called by run-curation.ts before it makes its plan. Changes no skill.
import type { Clock, CurationStore, SkillStore } from "../../ports.ts";
import type { CuratorNotes, HealthFinding } from "../../schemas/learning/curation.ts";
import { DAY_MS, type ProfileId, type SkillName } from "../../schemas/ids.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { SkillIndex } from "../../schemas/skill.ts";
import { type RunChecks, hasPrograms } from "../../skills/checks.ts";
import { inspectHealth } from "../../skills/health.ts";
import type { SkillFacts } from "./curate.ts";
import { dueForCheck } from "./work.ts";

/** Checks run programs: what has no time left in this run is looked at in the next one. */
const CHECK_MS = 60_000;
const NEVER_ENDED = "checks: they took so long that whoever ran them was ended";

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
 * Weekly, the most used first, as many as a run may change; only what differs from what is known is a finding. Checks
 * that no counter ends are ended with the Worker, and it is begun again: they are not run twice in a week, so that the other
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
    const isRun = runChecks !== undefined && hasPrograms(files);
    const begun = { text: head.text, now: began, since: began - checkDays * DAY_MS };
    const mayRun = !isRun || (await curation.beginCheck(profile, name, begun));
    const run = mayRun ? runChecks : undefined;
    const { broken } = await inspectHealth({ files, now: began, run, standing: head.health });
    if (!mayRun) broken.push(NEVER_ENDED);
    else if (isRun) await curation.endCheck(profile, name);
    checked.push(name);
    const known = head.health?.broken ?? [];
    if (JSON.stringify(known) !== JSON.stringify(broken)) health.push({ skill: name, text: head.text, broken });
  }
  return { health, checked };
}
