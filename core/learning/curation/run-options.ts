// The options of a curation run, and what its steps share. Types only.
import type { Clock, CurationStore, EvidenceStore, Queue, SkillStore } from "../../ports.ts";
import type { CurationId, ProfileId, SkillName } from "../../schemas/ids.ts";
import type { CurationMessage } from "../../schemas/learning/curation.ts";
import type { Grant } from "../../schemas/learning/review.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { IndexLine, SkillIndex, SkillStats } from "../../schemas/skill.ts";
import type { RunChecks } from "../../skills/checks.ts";
import type { Seeds } from "../../skills/library.ts";

export interface CurationOptions {
  profile: ProfileId;
  run: CurationId;
  /** Reports what the run would do. Moves no state and leaves other runs' plans alone. */
  dryRun: boolean;
  /** A person asked which skills should be merged. */
  consolidate?: boolean;
  /** What the profile's Account reserved for this run, if a day's budget is set. */
  allowance?: { id: string; grant: Grant };
  /** Takes this run back instead. */
  undoes?: CurationId;
  curation: CurationStore;
  skills: SkillStore;
  evidence: EvidenceStore;
  /** Where work for a model is sent. Absent: no work is left to a model. */
  work?: { queue: Queue<CurationMessage>; seeds: Seeds };
  /** Runs the checks of skills. Absent: no check runs. */
  runChecks?: RunChecks;
  /** The duplicate check for a head that the index has never held. Returns why the head may not enter; `null`: it may. */
  checkHead(line: { name: SkillName } & IndexLine, index: SkillIndex): string | null;
  /** Whether this invocation may make more requests. Absent: always. */
  hasRoom?(): boolean;
  clock: Clock;
  settings: Settings;
}

/** The options, with what the steps of one run share. */
export interface CurationContext extends CurationOptions {
  /** Stats by skill, counted once a run: counting lists a skill's evidence and writes its stats, and R2 refuses a second write within a second. */
  folded: Map<SkillName, SkillStats>;
  hasRoom(): boolean;
  /** Throws `OutOfRoom`. Called only where everything done so far is stored. */
  assertRoom(): void;
}
