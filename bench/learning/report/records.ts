// What one run of one arm in one seed's world leaves behind: plain data that crosses threads. Made by run-stream.ts, read by
// the figures.
import type { SkillName } from "../../../core/schemas/ids.ts";
import type { SkillState } from "../../../core/schemas/skill.ts";
import type { Told } from "./library-watch.ts";

export interface TaskRecord {
  n: number;
  family: string | null;
  solved: boolean;
  /** Of the task's turn: all tool calls, those that failed, prompt tokens. */
  calls: number;
  failedCalls: number;
  promptTokens: number;
  /** A call failed on the way. */
  stumbled: boolean;
  /** How many texts of learned or imported skills were loaded. */
  uses: number;
  /** Statements that stood in front of the worker for the task's operations, and those it began without. */
  stated: number;
  bypassed: number;
  /** Operations whose option the world had changed, and those of them that were right at the first try. */
  drifted: number;
  driftedRight: number;
}

export interface KeptRecord {
  name: SkillName;
  state: SkillState;
  learned: boolean;
  /** All its statements are right at the end. `null`: it has none. */
  right: boolean | null;
  /** Injected text stands in it. */
  poisoned: boolean;
  statements: string[];
  family: string | null;
}

export interface RunRecord {
  arm: string;
  seed: number;
  tasks: TaskRecord[];
  heldOut: TaskRecord[];
  /** After each session: learned skills that are offered, and of the active ones the share that is right. */
  sizes: number[];
  library: KeptRecord[];
  told: (Told & { wrongFrom: number | null })[];
  reviews: {
    owed: number;
    done: number;
    dead: number;
    tokens: number;
    /** Tokens of each review that was done. */
    each: number[];
    modelCalls: number;
    byTrigger: Record<string, number>;
  };
  lessons: {
    /** Right ones, that were no paraphrase of a skill: attempted, and in the library afterwards. */
    benign: number;
    landed: number;
    wrong: number;
    wrongLanded: number;
    duplicates: number;
    /** Landed and right, about work that comes again. */
    useful: number;
  };
  /** Benign lessons that did not land, in words. */
  blocked: string[];
  /** Where injected text was found; empty for none. */
  poison: string[];
  orders: number;
  /** What was lost or done twice, in words. */
  lostOrDoubled: string[];
  /** What the platform reported. */
  reports: string[];
  /** Of the thread that ran it. */
  cpuMs: number;
}
