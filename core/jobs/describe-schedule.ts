// Says a schedule as it was understood, in one form of words. Pure.
import type { Phrase } from "./read-phrase.ts";
import { MONTHS, ORDINALS, WEEKDAYS } from "./schedule-words.ts";

const UNITS: [string, number][] = [
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

/** `2 hours 30 minutes`; `hour` for one. */
export function describeDuration(ms: number): string {
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, size] of UNITS) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) parts.push(`${n} ${unit}${n === 1 ? "" : "s"}`);
  }
  const text = parts.join(" ") || `${ms} milliseconds`;
  return /^1 \w+$/.test(text) ? text.slice(2) : text;
}

/** `wall`: what the clocks show then, as `toWall` gives it. */
export function describeOnce(wall: number): string {
  const date = new Date(wall).toISOString();
  const seconds = date.slice(17, 19) === "00" ? "" : date.slice(16, 19);
  return `once, on ${WEEKDAYS[new Date(wall).getUTCDay()]} ${date.slice(0, 10)} at ${date.slice(11, 16)}${seconds}`;
}

/** Of a phrase that recurs. */
export function describePhrase({ times, weekdays, nths, monthDays, months }: Phrase): string {
  const clock = times.map(({ hour, minute }) => hour * 60 + minute).toSorted((a, b) => a - b);
  const at = join([...new Set(clock)].map((of) => `${pad(Math.floor(of / 60))}:${pad(of % 60)}`));
  return `${describeDays()} at ${at}`;

  function describeDays(): string {
    const inMonths = months.size === 0 ? "the month" : join(numbers(months).map((n) => MONTHS[n - 1]!));
    if (weekdays.size > 0) {
      const names = describeWeekdays(numbers(weekdays));
      if (nths.size > 0) return `every ${join(ordered(nths).map(nameNth))} ${names} of ${inMonths}`;
      return months.size === 0 ? `every ${names}` : `every ${names} in ${inMonths}`;
    }
    if (monthDays.size === 0) return months.size === 0 ? "every day" : `every day in ${inMonths}`;
    const days = ordered(monthDays).map((n) => (n === "L" ? "the last day" : `day ${n}`));
    return `on ${join(days)} of ${months.size === 0 ? "every month" : inMonths}`;
  }
}

function describeWeekdays(days: number[]): string {
  const text = days.join("");
  if (text === "12345") return "weekday";
  return text === "0123456" ? "day" : join(days.map((day) => WEEKDAYS[day]!));
}

function nameNth(n: number | "L"): string {
  return n === "L" ? "last" : ORDINALS[n - 1]!;
}

function numbers(values: Set<number>): number[] {
  return [...values].toSorted((a, b) => a - b);
}

/** "L" is last. */
function ordered(values: Set<number | "L">): (number | "L")[] {
  return [...values].toSorted((a, b) => (a === "L" ? 99 : a) - (b === "L" ? 99 : b));
}

function join(words: string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)!}`;
}

function pad(n: number): string {
  return String(n).padStart(2, "0");
}
