// Dates in the reader's own zone and language. The exact time is in the title, and for programs in `datetime`.
import { signal } from "@preact/signals";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const WEEK_MS = 7 * 86_400_000;
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

const TICK_MS = 30_000;
/** Read by each time that is shown, so that "1 minute ago" stays true on a page that is kept open. */
const now = signal(Date.now());
let clockTimer: ReturnType<typeof setInterval> | undefined;

/** `at` in ms since 1970. Within a week as "2 hours ago", else the day. `isExact`: day and minute. */
export function Time({ at, isExact = false }: { at: number; isExact?: boolean }) {
  const day = new Date(at);
  clockTimer ??= setInterval(() => (now.value = Date.now()), TICK_MS);
  void now.value;
  return (
    <time dateTime={day.toISOString()} title={exact.format(day)}>
      {isExact ? clock.format(day) : describeTime(at, Date.now())}
    </time>
  );
}

/** A time as a person says it, seen from `now`. */
export function describeTime(at: number, now: number): string {
  const ms = at - now;
  if (Math.abs(ms) > WEEK_MS) return date.format(at);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(ms) >= length) ?? ["second", 1_000];
  return unit === "second" ? relative.format(0, "second") : relative.format(Math.trunc(ms / size), unit);
}
