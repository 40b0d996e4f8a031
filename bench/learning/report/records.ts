// The record of one run, that is, one arm in one seed's world. Plain data, because it crosses threads and is stored as JSON.
// Created by run-stream.ts, read by figures.ts and report.ts.
import type { SkillName } from "../../../core/schemas/ids.ts";
import type { SkillState } from "../../../core/schemas/skill.ts";
import type { ExperimentOutcome, ReplayEnd } from "../../../core/schemas/learning/experiment.ts";
import type { TokensByUse } from "../platform/token-count.ts";
import type { OfferedStatement } from "./library-watch.ts";
import type { WrongLesson } from "./wrong-lessons.ts";

export interface TaskRecord {
  n: number;
  family: string | null;
  solved: boolean;
  /** In the task's turn: all tool calls, failed ones, prompt tokens. */
  calls: number;
  failedCalls: number;
  promptTokens: number;
  /** At least one service call failed. */
  stumbled: boolean;
  /** Loaded texts of learned or imported skills. */
  uses: number;
  /** Operations for which a loaded text stated an option, and those of them where the first call used another option. */
  stated: number;
  bypassed: number;
  /** Operations whose right option had changed, and those of them that were right at the first try. */
  drifted: number;
  driftedRight: number;
}

export interface LibrarySkillRecord {
  name: SkillName;
  state: SkillState;
  learned: boolean;
  /** Whether all its statements are right at the end; `null` if it has none. */
  right: boolean | null;
  /** It contains injected text. */
  poisoned: boolean;
  statements: string[];
  family: string | null;
}

/** `outcomes`: experiments by how they ended, `none` for those without an outcome. `ends`: replays by how they ended. */
export interface ExperimentCounts {
  made: number;
  outcomes: Partial<Record<ExperimentOutcome | "none", number>>;
  replays: number;
  ends: Partial<Record<ReplayEnd, number>>;
}

export interface RunRecord {
  arm: string;
  seed: number;
  tasks: TaskRecord[];
  heldOut: TaskRecord[];
  /** The number of offered learned skills after each session. */
  sizes: number[];
  library: LibrarySkillRecord[];
  told: (OfferedStatement & { wrongFrom: number | null })[];
  /** Wrong statements that reviews wrote. */
  wrongLessons: WrongLesson[];
  /** Of all model calls up to the end of learning, held-out tasks excluded. */
  tokens: TokensByUse;
  /** `null` in an arm without a grant for them. */
  experiments: ExperimentCounts | null;
  reviews: {
    owed: number;
    done: number;
    dead: number;
    tokens: number;
    /** Tokens of each completed review. */
    each: number[];
    modelCalls: number;
    byTrigger: Record<string, number>;
  };
  lessons: {
    /** Right lessons that do not duplicate a skill: attempted (`benign`), and in the library afterwards (`landed`). */
    benign: number;
    landed: number;
    wrong: number;
    wrongLanded: number;
    duplicates: number;
    /** Landed and right, about recurring work. */
    useful: number;
  };
  /** Benign lessons that did not land, in words. */
  blocked: string[];
  /** Places where injected text was found. */
  poison: string[];
  orders: number;
  /** What was lost or done twice, in words. */
  lostOrDoubled: string[];
  /** Errors that the simulated platform reported. */
  reports: string[];
  /** CPU time of the run's thread. */
  cpuMs: number;
}
