// The options and the possible results of one piece of a curation's work. Types only.
import type { ModelChain } from "../../../agent/contract.ts";
import type { Failure, Result } from "../../../errors.ts";
import type { Clock, CurationStore, EvidenceStore, Random, ReviewStore, SkillStore } from "../../../ports.ts";
import type { CurationId, ProfileId } from "../../../schemas/ids.ts";
import type { CurationWork, WorkId } from "../../../schemas/learning/curation.ts";
import type { Settings } from "../../../schemas/settings.ts";
import type { RunChecks } from "../../../skills/checks.ts";
import type { Seeds } from "../../../skills/library.ts";

/** Identifies the work, and has the stores from which its request to the model is built. */
export interface RequestOptions {
  profile: ProfileId;
  run: CurationId;
  work: WorkId;
  curation: CurationStore;
  skills: SkillStore;
  evidence: EvidenceStore;
  reviews: Pick<ReviewStore, "list" | "job">;
  seeds: Seeds;
}

export interface WorkOptions extends RequestOptions {
  /** The primary model, then its fallbacks. Called only when there is something to do. */
  models(): Result<ModelChain>;
  /** Runs the checks of a skill. Absent: no check runs. */
  runChecks?: RunChecks;
  clock: Clock;
  random: Random;
  settings: Settings;
  /** Aborts at the time limit of a run. */
  signal: AbortSignal;
}

export type WorkEnd =
  | { state: "finished"; result: CurationWork }
  /** The profile is paused or erased. The work remains to be done. */
  | { state: "waits" }
  /** Another run holds the profile's lease. Deliver again later; this is not a failed delivery. */
  | { state: "held"; delayMs: number }
  /** Another delivery starts or continues the work. Not a failure. */
  | { state: "again"; delayMs: number }
  | { state: "failed"; failure: Failure; final: boolean };
