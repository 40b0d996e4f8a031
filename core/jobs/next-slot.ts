// When a schedule runs next. `croner` finds the next time that a calendar shows; time-zone.ts finds when the clocks of the zone show it. Pure.
import { Cron } from "croner";
import type { SchedulePlan } from "../schemas/agenda/job.ts";
import { toInstant, toWall } from "./time-zone.ts";

/** [own] An expression for each minute meets a gap of a whole day at most: a zone that changes sides of the date line. */
const MAX_STEPS = 3_000;

/**
 * The first slot after an instant; `null`: there is none. A time that the clocks skip is a slot at the first instant after the gap; one that they
 * show twice is one slot, at the first. Throws for a cron expression that `isCron` refuses.
 */
export function nextSlot(plan: SchedulePlan, zone: string, after: number): number | null {
  switch (plan.kind) {
    case "once":
      return plan.at > after ? plan.at : null;
    case "every":
      return plan.from + plan.everyMs * Math.max(1, Math.floor((after - plan.from) / plan.everyMs) + 1);
    case "calendar": {
      const slots = plan.crons.flatMap((cron) => nextOfCron(cron, zone, after) ?? []);
      return slots.length === 0 ? null : Math.min(...slots);
    }
  }
}

function nextOfCron(expression: string, zone: string, after: number): number | null {
  const cron = toCron(expression);
  // A slot's wall time is after the wall time of every instant before the slot, so what the clocks show now is where to begin.
  let wall = toWall(after, zone);
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = cron.nextRun(new Date(wall));
    if (next === null) return null;
    wall = next.getTime();
    const slot = toInstant(wall, zone);
    if (slot > after) return slot;
  }
  return null;
}

/** Whether the text is a cron expression of five fields that we can read. */
export function isCron(expression: string): boolean {
  try {
    toCron(expression);
    return true;
  } catch {
    return false; // a TypeError: croner says which field
  }
}

/** Over wall times, which are as regular as UTC. */
function toCron(expression: string): Cron {
  return new Cron(expression, { timezone: "UTC", mode: "5-part", paused: true });
}
