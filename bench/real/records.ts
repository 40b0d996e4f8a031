// Stores the results of bench:real, one line of JSON per task, so that an interrupted run can resume.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PlainError } from "../../scripts/command-line.ts";

/** In the order in which they run. */
export const ARMS = ["off", "ours", "replay", "seeded"] as const;
export type ArmName = (typeof ARMS)[number];

/** The writes of one review. A write that awaits approval counts as refused. */
export interface ReviewCounts {
  entered: number;
  refused: number;
  /** Prompt and answer tokens of all its model calls. */
  tokens: number;
}

/** The experiments that followed a task's review. */
export interface ExperimentCounts {
  made: number;
  /** By their outcome; `none` for those without one. */
  outcomes: Record<string, number>;
  tokens: number;
  /** They did not all end in time. */
  cutOff?: true;
}

export interface TaskRecord {
  arm: ArmName;
  /** The index of the task, from 0. */
  n: number;
  correct: boolean;
  /** How the turn ended: `done`, `failed`, … */
  state: string;
  toolCalls: number;
  failedCalls: number;
  /** Prompt and answer tokens of all model calls of the turn. */
  tokens: number;
  ms: number;
  /** `null` if no review followed or the review did not end in time. */
  review: ReviewCounts | null;
  /** Why `review` is null, as a sentence. */
  noReview?: string;
  /** Only in the arm `replay`. */
  experiments?: ExperimentCounts;
}

export interface TaskRecords {
  folder: string;
  read(): TaskRecord[];
  add(record: TaskRecord): void;
}

/** Throws a PlainError if the folder has results of a run with other options, so that their figures are not mixed. */
export function openRecords(folder: string, run: object): TaskRecords {
  mkdirSync(folder, { recursive: true });
  const [about, file] = [join(folder, "run.json"), join(folder, "records.jsonl")];
  const text = `${JSON.stringify(run, null, 2)}\n`;
  if (!existsSync(about)) writeFileSync(about, text);
  else if (readFileSync(about, "utf8") !== text) {
    throw new PlainError(`${folder} has results of a run with other options (see run.json there): give another --out.`);
  }
  return {
    folder,
    read() {
      const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
      // Skip a truncated line: its task runs again.
      return lines.flatMap((line) => parse(line) ?? []);
    },
    add(record) {
      const isCut = existsSync(file) && !/(?:^|\n)$/.test(readFileSync(file, "utf8"));
      appendFileSync(file, `${isCut ? "\n" : ""}${JSON.stringify(record)}\n`);
    },
  };
}

function parse(line: string): TaskRecord | null {
  try {
    return JSON.parse(line) as TaskRecord;
  } catch {
    return null;
  }
}
