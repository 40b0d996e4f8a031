// Slots that several blueprints have. Data only.
import type { Slot } from "../blueprint.ts";

export const ZONE: Slot = { name: "timeZone", type: "timeZone", ask: "The time zone of that time", default: "UTC" };

export const DELIVER: Slot = {
  name: "deliver",
  type: "deliver",
  ask: "Where the answer goes: none, home, home:PLATFORM, chat:ID or hooks",
  default: "none",
};

export function time(at: string): Slot {
  return { name: "time", type: "time", ask: "At what time", default: at };
}

export function days(of: string): Slot {
  return { name: "days", type: "days", ask: "On which days", default: of };
}

/** Of looks at a page. */
export const HOURS: Slot = {
  name: "hours",
  type: "number",
  ask: "Hours between two looks",
  min: 1,
  max: 168,
  default: 6,
};

export const PAGE: Slot = { name: "url", type: "url", ask: "The address of the page" };
