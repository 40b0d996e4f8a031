// What bench:real has measured so far, one line of JSON a task, so that a run that was cut off goes on.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PlainError } from "../../scripts/command-line.ts";

export type ArmName = "off" | "ours" | "seeded";

/** Writes of one review. A write that waits for a person counts as refused. */
export interface ReviewCounts {
  entered: number;
  refused: number;
  /** Of all its model calls, prompt and answer. */
  tokens: number;
}

export interface TaskRecord {
  arm: ArmName;
  /** Which task, from 0. */
  n: number;
  correct: boolean;
  /** How the turn ended: `done`, `failed`, … */
  state: string;
  toolCalls: number;
  failedCalls: number;
  /** Prompt and answer, of all model calls of the turn. */
  tokens: number;
  ms: number;
  /** `null`: no review followed, or it did not end in time. */
  review: ReviewCounts | null;
  /** Why there is no review, in a sentence. */
  noReview?: string;
}

export interface Records {
  folder: string;
  read(): TaskRecord[];
  add(record: TaskRecord): void;
}

/** Throws a PlainError for a folder that holds another run: its figures would be mixed with these. */
export function openRecords(folder: string, run: object): Records {
  mkdirSync(folder, { recursive: true });
  const [about, file] = [join(folder, "run.json"), join(folder, "records.jsonl")];
  const text = `${JSON.stringify(run, null, 2)}\n`;
  if (!existsSync(about)) writeFileSync(about, text);
  else if (readFileSync(about, "utf8") !== text) {
    throw new PlainError(`${folder} holds a run with other options (see run.json there): give another --out.`);
  }
  return {
    folder,
    read() {
      const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
      // A line that was cut off is a task that is solved again.
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
