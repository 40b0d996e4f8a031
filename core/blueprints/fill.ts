// Fills a blueprint: what a person wrote in its slots becomes the form of a job or a goal, as `POST /v1/jobs` and `POST /v1/goals` take it.
// The same schema is the form, the command and the body of a request. Pure.
import * as z from "zod";
import { type Result, err, ok } from "../errors.ts";
import { findClosest } from "../near.ts";
import type { BlueprintInfo, SlotValues } from "../schemas/agenda/blueprint.ts";
import { GoalSpec } from "../schemas/agenda/goal.ts";
import { JobSpec } from "../schemas/agenda/job.ts";
import type { Blueprint, GoalBlueprint, JobBlueprint, Slot } from "./blueprint.ts";
import { showInPrompt, showInSchedule, toAddress, toSlotInfo, toSlotSchema, toTarget } from "./slots.ts";

export type FilledJob = { kind: "job"; spec: JobSpec };
export type FilledGoal = { kind: "goal"; spec: GoalSpec };

type Values = Record<string, string | number | undefined>;

/** Failure: `slots_invalid`, which names the slot and what to write. */
export function fillBlueprint(blueprint: JobBlueprint, given: SlotValues): Result<FilledJob>;
export function fillBlueprint(blueprint: Blueprint, given: SlotValues): Result<FilledJob | FilledGoal>;
export function fillBlueprint(blueprint: Blueprint, given: SlotValues): Result<FilledJob | FilledGoal> {
  const read = readSlots(blueprint, given);
  if (!read.ok) return read;
  return ok(blueprint.kind === "job" ? fillJob(blueprint, read.value) : fillGoal(blueprint, read.value));
}

export function toBlueprintInfo(blueprint: Blueprint): BlueprintInfo {
  const { id, title, purpose, kind, slots } = blueprint;
  const { $schema: _, ...form } = z.toJSONSchema(toSchema(blueprint), { io: "input" }) as Record<string, unknown>;
  return { id, title, purpose, kind, slots: slots.map(toSlotInfo), form, example: toExample(blueprint) };
}

function toSchema({ slots }: Blueprint) {
  return z.strictObject(Object.fromEntries(slots.map((slot) => [slot.name, toSlotSchema(slot)])));
}

function readSlots(blueprint: Blueprint, given: SlotValues): Result<Values> {
  const { id, slots } = blueprint;
  const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, read(name, value)]));
  const parsed = toSchema(blueprint).safeParse(values);
  if (parsed.success) return ok(parsed.data as Values);
  const [issue] = parsed.error.issues;
  if (issue!.code === "unrecognized_keys") {
    const [unknown = ""] = issue!.keys;
    const names = slots.map(({ name }) => name);
    const near = findClosest(unknown, names);
    const hint = near === null ? "" : ` Did you mean ${near}?`;
    return err("slots_invalid", `The blueprint ${id} has no slot '${unknown}'.${hint} It has: ${names.join(", ")}.`);
  }
  const name = String(issue!.path[0]);
  const isMissing = given[name] === undefined;
  const slot = slots.find((one) => one.name === name);
  const why = isMissing ? `needs the slot ${name}: ${slot?.ask}` : `cannot use the slot ${name}: ${issue!.message}`;
  return err("slots_invalid", `The blueprint ${id} ${why}. Write it as ${name}=VALUE.`, { slot: name });

  /** A command has no numbers, and people write days with capitals. */
  function read(name: string, value: string | number): string | number {
    const type = slots.find((one) => one.name === name)?.type;
    if (typeof value === "number") return value;
    if (type === "number" && /^\d{1,9}$/.test(value.trim())) return Number(value);
    return type === "days" || type === "weekday" ? value.trim().toLowerCase() : value.trim();
  }
}

function fillJob({ slots, job }: JobBlueprint, values: Values): FilledJob {
  const { timeZone, deliver } = values;
  const spec = JobSpec.parse({
    schedule: render(slots, [job.schedule], values, showInSchedule),
    prompt: render(slots, job.prompt, values, showInPrompt),
    ...(timeZone !== undefined && { timeZone }),
    ...(deliver !== undefined && { deliver: toTarget(String(deliver)) }),
    ...(job.gate !== undefined && { gate: { url: toAddress(String(values[job.gate])) } }),
    ...(job.repeat !== undefined && { repeat: values[job.repeat] }),
  });
  return { kind: "job", spec };
}

function fillGoal({ slots, goal }: GoalBlueprint, values: Values): FilledGoal {
  const clauses = Object.entries(goal.contract).flatMap(([name, line]) => {
    const clause = render(slots, [line], values, showInPrompt);
    return clause === "" ? [] : [[name, clause]];
  });
  const command = goal.check === undefined ? undefined : values[goal.check];
  const text = render(slots, goal.text, values, showInPrompt);
  const checks = command === undefined ? [] : [{ command }];
  return { kind: "goal", spec: GoalSpec.parse({ text, contract: Object.fromEntries(clauses), checks }) };
}

/** One pass: what looks like a slot inside a value stays as it is. */
function render(
  slots: readonly Slot[],
  lines: readonly string[],
  values: Values,
  show: (slot: Slot, value: string | number) => string,
): string {
  const filled = lines.flatMap((line) => {
    let isWhole = true;
    const text = line.replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) isWhole = false;
      return value === undefined
        ? ""
        : show(
            slots.find((one) => one.name === name)!,
            value,
          );
    });
    return isWhole ? [text] : [];
  });
  return filled.join("\n");
}

const SAMPLES: Record<Slot["type"], string> = {
  ...{ text: '"…"', time: "08:00", weekday: "friday", days: "weekdays", timeZone: "Europe/Berlin" },
  ...{ url: "https://…", deliver: "home", number: "1", choice: "…" },
};

function toExample({ id, slots }: Blueprint): string {
  const shown = slots.filter((slot) => slot.default === undefined && !slot.optional);
  const words = (shown.length > 0 ? shown : slots.slice(0, 1)).map(({ name, type }) => `${name}=${SAMPLES[type]}`);
  return `/blueprint ${id} ${words.join(" ")}`;
}
