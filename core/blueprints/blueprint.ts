// What a blueprint is: a job or goal that people start from, with typed slots. The catalog is data of this form. Types only.
import type { BlueprintId } from "../schemas/agenda/blueprint.ts";
import type { GoalContract } from "../schemas/agenda/goal.ts";

/** A slot without `default` and `optional` must be filled. Every value is a text as a person writes it, but for `number`. */
export type Slot = { name: string; ask: string; optional?: true } & (
  | { type: "text"; maxChars: number; default?: string }
  /** `time`: 07:30. `weekday`: friday. `days`: weekdays, every day, weekends, or names of days. `deliver`: none, home, chat:ID, hooks. */
  | { type: "time" | "weekday" | "days" | "timeZone" | "url" | "deliver"; default?: string }
  | { type: "number"; min: number; max: number; default?: number }
  | { type: "choice"; options: readonly [string, ...string[]]; default?: string }
);

/**
 * `{slot}` in a line stands for the slot's value. A line that names a slot without a value is left out. Filled once: braces in a value are
 * text. The slots `timeZone` and `deliver` fill the fields of these names.
 */
export interface JobTemplate {
  prompt: readonly string[];
  /** A schedule as people write it. Its slots have no free text. */
  schedule: string;
  /** The slot with the page whose change is the reason to run. */
  gate?: string;
  /** The slot with the number of runs. */
  repeat?: string;
}

export interface GoalTemplate {
  text: readonly string[];
  contract: { [Clause in keyof GoalContract]: string };
  /** The slot with the command that must succeed. */
  check?: string;
}

interface Base {
  id: BlueprintId;
  title: string;
  /** One sentence. */
  purpose: string;
  slots: readonly Slot[];
}

export type JobBlueprint = Base & { kind: "job"; job: JobTemplate };
export type GoalBlueprint = Base & { kind: "goal"; goal: GoalTemplate };
export type Blueprint = JobBlueprint | GoalBlueprint;
