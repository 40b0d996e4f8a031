// What a simulated world consists of. Made by world.ts, read by everything that runs in it. Types only.
import type { Operation } from "./outputs.ts";
import type { Parameters } from "./parameters.ts";
import type { Poison, Surfaces } from "./surfaces.ts";

/** What somebody says an operation wants. */
export interface Told {
  operation: string;
  option: string;
}

export interface FollowUp {
  text: string;
  kind: "thanks" | "complaint" | "correction" | "remark";
  /** What it says would have been right. */
  says: Told | null;
}

export interface Rating {
  rating: "up" | "down";
  correction?: string;
}

/** A kind of work that comes again, and the area of the service that it needs. */
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
  /** Its place in the stream, from 1; held-out tasks come after the last. */
  n: number;
  /** `<seed>.<n>`, part of the message. */
  job: string;
  /** `null`: a one-off. */
  family: Family | null;
  lang: string;
  operations: Operation[];
  request: string;
  /** The person says that it will not come again. */
  isMarkedOneOff: boolean;
  injection: Poison | null;
}

export interface World {
  seed: number;
  parameters: Parameters;
  surfaces: Surfaces;
  /** The families that take part, the most frequent first. */
  families: readonly Family[];
  tasks: readonly Task[];
  heldOut: readonly Task[];
  imported: readonly { name: string; description: string; text: string }[];
  /** By its number in a message. */
  task(job: string): Task | undefined;
  /** The right value of an operation's option at the time of a task. */
  right(operation: string, n: number): string;
  /** Of the operations that are known by name; others have the common one. */
  operation(name: string): Operation;
  /** It takes wrong options without a word. */
  isSilent(name: string): boolean;
  /** What the agent says in the end, unrelated to what it did. */
  closing(task: Task): string;
  /** What the person says after a task, if anything. */
  followUp(task: Task, succeeded: boolean): FollowUp | null;
  /** The word on a task some sessions later, if any. */
  rating(task: Task, succeeded: boolean): Rating | null;
}
