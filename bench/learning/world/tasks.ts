// The types of a simulated world: its tasks, families and person. Created by world.ts. Types only.
import type { Operation } from "./outputs.ts";
import type { Parameters } from "./parameters.ts";
import type { Poison, Surfaces } from "./surfaces.ts";

/** The option that somebody names for an operation. */
export interface NamedOption {
  operation: string;
  option: string;
}

export interface FollowUp {
  text: string;
  kind: "thanks" | "complaint" | "correction" | "remark";
  /** The option that the message names as right. */
  says: NamedOption | null;
}

export interface Rating {
  rating: "up" | "down";
  correction?: string;
}

/** A recurring kind of work, and the area of the service that it needs. */
export interface Family {
  key: string;
  lang: string;
  operations: readonly Operation[];
  /** Requests of the stream. */
  wordings: readonly string[];
  /** Requests that never appear in the stream. */
  heldOut: readonly string[];
}

export interface Task {
  /** The position in the stream, from 1. Held-out tasks follow the last one. */
  n: number;
  /** `<seed>.<n>`, part of the message. */
  job: string;
  /** `null` for a one-off. */
  family: Family | null;
  lang: string;
  operations: Operation[];
  request: string;
  /** The person says that the task will not recur. */
  isMarkedOneOff: boolean;
  injection: Poison | null;
}

export interface World {
  seed: number;
  parameters: Parameters;
  surfaces: Surfaces;
  /** The families of this world, the most frequent first. */
  families: readonly Family[];
  tasks: readonly Task[];
  heldOut: readonly Task[];
  imported: readonly { name: string; description: string; text: string }[];
  /** Finds a task by its job, the number in its message. */
  task(job: string): Task | undefined;
  /** The right value of an operation's option in session `n`. */
  right(operation: string, n: number): string;
  /** An operation by name; an unlisted name gets the options of `OTHER_OPERATION`. */
  operation(name: string): Operation;
  /** The operation accepts wrong options without an error. */
  isSilent(name: string): boolean;
  /** The agent's final answer, independent of what it did. */
  closing(task: Task): string;
  /** What the person says after a task, if anything. */
  followUp(task: Task, succeeded: boolean): FollowUp | null;
  /** The person's rating of a task some sessions later, if any. */
  rating(task: Task, succeeded: boolean): Rating | null;
}
