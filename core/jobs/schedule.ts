// Reads a schedule as a person or a model writes it. Called where a job is made or changed, and by forms that show what was understood. Linear in
// the text's length, which is limited. Pure.
import { type Result, err, ok } from "../errors.ts";
import { findClosest } from "../near.ts";
import { MAX_SCHEDULE_CHARS, type SchedulePlan } from "../schemas/agenda/job.ts";
import { describeDuration, describeOnce, describePhrase } from "./describe-schedule.ts";
import { isCron, nextSlot } from "./next-slot.ts";
import { type Phrase, readPhrase } from "./read-phrase.ts";
import { MONTHS, ORDINALS, WEEKDAYS, WordReader, readDuration, toTable } from "./schedule-words.ts";
import { findCityZone, isTimeZone, toInstant, toWall } from "./time-zone.ts";

export interface ReadSchedule {
  plan: SchedulePlan;
  /** The one that the text names, or the given one. */
  zone: string;
  /** For a person: `every weekday at 08:00`. */
  understood: string;
  nextAt: number;
}

export interface ScheduleDeps {
  /** Milliseconds since 1970. */
  now: number;
  /** Where the text names none. */
  zone: string;
  /** A schedule that runs more often is refused. */
  minEveryMs: number;
}

/** Shown where a schedule was not understood: one of each kind. */
export const SCHEDULE_EXAMPLES = [
  ...[
    "in 30m",
    "every 2h",
    "every weekday at 8",
    "on Fridays at 17:30",
    "every first Monday of the month at 9",
    "tomorrow at noon",
  ],
  ...["0 8 * * mon-fri Europe/Berlin", "2026-12-24T18:00"],
];

const NICKNAMES = toTable({
  ...{ "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0" },
  ...{ "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *" },
});
/** A calendar has no two slots within less. */
const CRON_STEP_MS = 60_000;
/** Slots of a calendar whose distances are compared with `minEveryMs`. */
const COMPARED_SLOTS = 24;
/** [own] Ten years: later times are mistakes. */
const MAX_AHEAD_MS = 10 * 366 * 24 * 60 * 60_000;
/** The last day that a `Date` can be, less two. */
const MAX_DATE_MS = 8.64e15 - 2 * 24 * 60 * 60_000;

/**
 * Failures: `schedule_unreadable`, with what would be understood; `time_zone_unknown`; `schedule_past`, it has no time after now; and
 * `schedule_too_often`.
 */
export function readSchedule(text: string, deps: ScheduleDeps): Result<ReadSchedule> {
  const { now, minEveryMs } = deps;
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > MAX_SCHEDULE_CHARS) return unreadable(text, "");
  const zoned = takeZone(trimmed.split(/\s+/), deps.zone);
  if (!zoned.ok) return zoned;
  const { words, zone } = zoned.value;
  const read = readPlan(words, zone, now);
  if ("stuck" in read) return unreadable(text, read.stuck, read.why);
  const nextAt = nextSlot(read.plan, zone, now);
  if (nextAt === null || nextAt > now + MAX_AHEAD_MS) {
    const why =
      nextAt === null ? "has no time after now. Give a later" : "is more than ten years away. Give an earlier";
    return err("schedule_past", `The schedule '${trimmed}' (${read.understood}) ${why} time.`);
  }
  const mayBeTooOften = read.plan.kind === "every" || minEveryMs > CRON_STEP_MS;
  if (mayBeTooOften && shortest(read.plan, zone, nextAt) < minEveryMs) {
    const least = describeDuration(minEveryMs).replace(/^(?=[a-z])/, "one ");
    return err(
      "schedule_too_often",
      `The schedule '${trimmed}' runs more often than once in ${least}. Leave at least ${least} between two runs.`,
    );
  }
  return ok({ plan: read.plan, zone, understood: read.understood, nextAt });
}

type Read = { plan: SchedulePlan; understood: string } | { stuck: string; why?: string };

function readPlan(given: string[], zone: string, now: number): Read {
  const nickname = given.length === 1 ? NICKNAMES[given[0]!.toLowerCase()] : undefined;
  const expression = nickname ?? (given.length === 5 ? given.join(" ") : "");
  if (expression !== "" && isCron(expression)) {
    return {
      plan: { kind: "calendar", crons: [expression] },
      understood: `at the times of the cron expression ${expression}`,
    };
  }
  if (given.length === 5 && /^[\d*]/.test(given[0]!)) {
    return {
      stuck: "",
      why: "A cron expression has five fields: minute 0-59, hour 0-23, day 1-31, month, and day of the week",
    };
  }
  const moment = readMoment(given.join(" "), zone);
  if (moment !== null) return once(moment, zone);
  // Commas separate as spaces do; a range of days is written with a hyphen.
  const plain = given
    .join(" ")
    .toLowerCase()
    .replaceAll(",", " ")
    .replaceAll(/([a-z])-([a-z])/g, "$1 - $2");
  const split = plain.split(/\s+/).filter((word) => word !== "");
  return readElapsed(split, zone, now) ?? readCalendar(split, zone, now);
}

/** `in 30m`: once. `30m`, `every 30m`, `hourly`: again and again. */
function readElapsed(split: string[], zone: string, now: number): Read | null {
  const words = new WordReader(split);
  const isOnce = words.accept("in");
  const isEvery = !isOnce && words.accept("every", "each");
  const ms =
    !isOnce && !isEvery && split.length === 1 && split[0] === "hourly" ? 3_600_000 : readDuration(words, isEvery);
  if (isOnce && /^(?:an?|one|\d+)$/.test(split[1] ?? "") && /^(?:month|year)s?$/.test(split[2] ?? "")) {
    return { stuck: split[2]!, why: "Months and years differ in length: name a date, or write `in 30 days`" };
  }
  if (ms === null || (!words.isDone && split[0] !== "hourly")) return null;
  if (ms < 1) return { stuck: "", why: "It takes no time" };
  if (isOnce) return once(now + ms, zone);
  return { plan: { kind: "every", everyMs: ms, from: now }, understood: `every ${describeDuration(ms)}` };
}

function readCalendar(split: string[], zone: string, now: number): Read {
  const phrase = readPhrase(new WordReader(split));
  if ("stuck" in phrase) return phrase;
  if (phrase.recurs) return { plan: { kind: "calendar", crons: toCrons(phrase) }, understood: describePhrase(phrase) };
  const { date, relative, times } = phrase;
  const { hour, minute } = times[0]!;
  if (date === null && relative === null) {
    const after = phrase.isNext ? endOfDay(now, zone) : now;
    const next = nextSlot({ kind: "calendar", crons: toCrons(phrase) }, zone, after);
    return next === null ? { stuck: "", why: "There is no such day" } : once(next, zone);
  }
  if (date !== null) return once(readMoment(`${date} ${pad(hour)}:${pad(minute)}`, zone), zone);
  return once(toInstant(startOfDay(now, zone, relative!) + (hour * 60 + minute) * 60_000, zone), zone);
}

/** As a wall time. */
function startOfDay(now: number, zone: string, daysAhead: number): number {
  const today = new Date(toWall(now, zone));
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + daysAhead);
}

/** The last instant of today. */
function endOfDay(now: number, zone: string): number {
  return toInstant(startOfDay(now, zone, 1), zone) - 1;
}

function once(at: number | null, zone: string): Read {
  if (at === null) return { stuck: "", why: "There is no such day" };
  return { plan: { kind: "once", at }, understood: at > MAX_DATE_MS ? "once" : describeOnce(toWall(at, zone)) };
}

/** One expression for each minute at which it runs. */
function toCrons({ times, weekdays, nths, monthDays, months }: Phrase): string[] {
  const list = (values: Iterable<number | string>) => [...values].join(",") || "*";
  const days = [...weekdays]
    .toSorted()
    .flatMap((day) => (nths.size === 0 ? [`${day}`] : [...nths].map((nth) => `${day}#${nth}`)));
  const byMinute = Map.groupBy(times, ({ minute }) => minute);
  return [...byMinute].map(([minute, same]) => {
    const hours = [...new Set(same.map(({ hour }) => hour))].toSorted((a, b) => a - b);
    return `${minute} ${list(hours)} ${list(monthDays)} ${list(months)} ${list(days)}`;
  });
}

const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?: ?([Zz]|[+-](?:0\d|1[0-4]):?[0-5]\d))?$/;

/** An ISO timestamp; without an offset in the zone. `null`: it is none, or there is no such day or time. */
function readMoment(text: string, zone: string): number | null {
  const found = MOMENT.exec(text);
  if (!found) return null;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0));
  const wall = Date.UTC(year!, month! - 1, day, hour, minute, second);
  const isReal = new Date(wall).getUTCMonth() === month! - 1 && new Date(wall).getUTCDate() === day && hour! < 24;
  if (!isReal || minute! > 59 || second! > 59) return null;
  const offset = found[7];
  if (offset === undefined) return toInstant(wall, zone);
  if (offset.toUpperCase() === "Z") return wall;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  const ms = (hours * 60 + minutes) * 60_000;
  return offset.startsWith("-") ? wall + ms : wall - ms;
}

/** `… Europe/Berlin`, `… in Europe/Berlin`, `… Berlin`, `TZ=Europe/Berlin …`. Also checks the zone that is used where none is named. */
function takeZone(words: string[], fallback: string): Result<{ words: string[]; zone: string }> {
  const first = /^(?:CRON_)?TZ=(.+)$/i.exec(words[0]!)?.[1];
  if (first !== undefined) return isTimeZone(first) ? ok({ words: words.slice(1), zone: first }) : unknownZone(first);
  const last = words.at(-1)!.replaceAll(/[()]/g, "");
  const isNamed = /^(?:UTC|GMT)$/i.test(last) || /^[A-Za-z][\w+-]*\/[\w+/-]+$/.test(last);
  if (isNamed && words.length > 1) {
    if (!isTimeZone(last)) return unknownZone(last);
    return ok({ words: withoutPlace(words, 1), zone: last });
  }
  for (let n = MAX_CITY_WORDS; n > 0; n--) {
    const city = words.slice(-n);
    const isPlace = !NO_PLACE_AFTER.test(words.at(-n - 1) ?? "") && city.every(isCityWord);
    const zone = words.length > n && isPlace ? findCityZone(city.join(" ")) : null;
    if (zone !== null) return ok({ words: withoutPlace(words, n), zone });
  }
  return isTimeZone(fallback) ? ok({ words, zone: fallback }) : unknownZone(fallback);
}

/** `Port-au-Prince`, `Ho Chi Minh`. */
const MAX_CITY_WORDS = 3;

/** What follows is a day: there are zones named Christmas and Easter. */
const NO_PLACE_AFTER = /^(?:on|every|each|next|this)$/i;

/** Cheap, as most words of schedules are no cities. */
function isCityWord(word: string): boolean {
  return /^[a-z][a-z-]{1,30}$/i.test(word) && !KNOWN_WORDS.includes(word.toLowerCase());
}

/** Without the last `n` words, and an `in` before them. */
function withoutPlace(words: string[], n: number): string[] {
  const rest = words.slice(0, -n);
  return rest.length > 1 && rest.at(-1)!.toLowerCase() === "in" ? rest.slice(0, -1) : rest;
}

function unknownZone(zone: string) {
  return err(
    "time_zone_unknown",
    `There is no time zone '${zone}'. Name one of the IANA database, such as Europe/Berlin or UTC.`,
  );
}

/** The shortest time between two of the next slots. */
function shortest(plan: SchedulePlan, zone: string, nextAt: number): number {
  if (plan.kind === "every") return plan.everyMs;
  let [least, last] = [Infinity, nextAt];
  for (let n = 0; plan.kind === "calendar" && n < COMPARED_SLOTS; n++) {
    const next = nextSlot(plan, zone, last);
    if (next === null) break;
    least = Math.min(least, next - last);
    last = next;
  }
  return least;
}

const KNOWN_WORDS = [
  ...WEEKDAYS.flatMap((name) => [name.toLowerCase(), `${name.toLowerCase()}s`]),
  ...MONTHS.map((name) => name.toLowerCase()),
  ...ORDINALS,
  ...[
    "every",
    "weekday",
    "weekend",
    "daily",
    "weekly",
    "monthly",
    "month",
    "tomorrow",
    "tonight",
    "today",
    "morning",
    "afternoon",
    "evening",
  ],
  ...["night", "noon", "midnight", "hours", "minutes", "days"],
];

function unreadable(text: string, stuck: string, why?: string) {
  const shown =
    text.length > MAX_SCHEDULE_CHARS ? `A schedule of ${text.length} characters` : `The schedule '${text.trim()}'`;
  const near = stuck.length > 3 ? findClosest(stuck.slice(0, 40), KNOWN_WORDS) : null;
  const hint = near !== null && near !== stuck ? ` (did you mean ${near}?)` : "";
  const where = why ?? (stuck === "" ? "" : `The word '${stuck}' does not fit there${hint}`);
  const examples = SCHEDULE_EXAMPLES.map((example) => `\`${example}\``).join(", ");
  return err(
    "schedule_unreadable",
    `${shown} was not understood.${where === "" ? "" : ` ${where}.`} Write it like one of these: ${examples}.`,
    { examples: SCHEDULE_EXAMPLES },
  );
}

function pad(n: number): string {
  return String(n).padStart(2, "0");
}
