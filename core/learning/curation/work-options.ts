// What a piece of a curation's work is given, and how it ends. Types only.
import type { ModelChain } from "../../agent/contract.ts";
import type { Failure, Result } from "../../errors.ts";
import type { Clock, CurationStore, EvidenceStore, Random, ReviewStore, SkillStore } from "../../ports.ts";
import type { CurationId, ProfileId } from "../../schemas/ids.ts";
import type { CurationWork, WorkId } from "../../schemas/learning/curation.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { RunChecks } from "../../skills/checks.ts";
import type { Seeds } from "../../skills/library.ts";

/** Which work, and what its request to the model is written from. */
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
  /** The profile is paused or gone. The work stays owed. */
  | { state: "waits" }
  /** Another run holds the profile. Deliver again later; this does not count as a try. */
  | { state: "held"; delayMs: number }
  /** Not a failure: another delivery begins the work or continues it. */
  | { state: "again"; delayMs: number }
  | { state: "failed"; failure: Failure; final: boolean };
