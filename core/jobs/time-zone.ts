// Between instants and what the clocks of a time zone show, by the runtime's copy of the IANA database. Used by the schedules of jobs. Pure.
// A wall time is the milliseconds that `Date.UTC` gives for what the clock shows.
import { DAY_MS } from "../schemas/ids.ts";

/** A formatter costs more to make than to use. A profile's jobs name a handful of zones. */
const MAX_FORMATTERS = 16;
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Whether the runtime knows the zone. Fixed offsets such as `+02:00` are no zones: they do not say when clocks change. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    formatterOf(zone);
    return true;
  } catch {
    return false; // a RangeError: there is no such zone
  }
}

const REGIONS = ["Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian"];

/** The zone that is named after a city: `Europe/Berlin` for `Berlin`, `America/New_York` for `new york`. `null`: there is none. */
export function findCityZone(city: string): string | null {
  const name = city
    .split(" ")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("_");
  return REGIONS.map((region) => `${region}/${name}`).find(isTimeZone) ?? null;
}

/** What the clocks of the zone show at an instant, to the second. */
export function toWall(instant: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year, month, day, hour, minute, second } = parts;
  return Date.UTC(year!, month! - 1, day, hour, minute, second);
}

/**
 * The instant at which the clocks of the zone first show a wall time of whole seconds. They show it twice where they are put back: the first. They
 * never show it where they are put forward: the first instant after the gap.
 */
export function toInstant(wall: number, zone: string): number {
  const before = offsetAt(wall - DAY_MS, zone);
  const after = offsetAt(wall + DAY_MS, zone);
  const fits = [wall - before, wall - after].filter((instant) => toWall(instant, zone) === wall);
  if (fits.length > 0) return Math.min(...fits);
  return findChange(wall - Math.max(before, after), wall - Math.min(before, after), zone);
}

/** Milliseconds to add to an instant for what the clocks show. */
function offsetAt(instant: number, zone: string): number {
  return toWall(instant, zone) - instant;
}

/** The first instant with another offset than that of `from`, to the second. It is at `to` at the latest. */
function findChange(from: number, to: number, zone: string): number {
  const offset = offsetAt(from, zone);
  let [low, high] = [from, to];
  while (high - low > 1_000) {
    const middle = low + Math.floor((high - low) / 2_000) * 1_000;
    if (offsetAt(middle, zone) === offset) low = middle;
    else high = middle;
  }
  return high;
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const formatter = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, hourCycle: "h23", era: undefined },
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
  });
  if (formatters.size >= MAX_FORMATTERS) formatters.delete(formatters.keys().next().value!);
  formatters.set(zone, formatter);
  return formatter;
}
