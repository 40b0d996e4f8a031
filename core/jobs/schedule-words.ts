// The words of schedules: units, weekdays, months, times of day, and a reader that goes over a phrase's words once. Used by the parser of
// schedules. Pure.

/** Without a prototype: people may write `constructor`. */
export function toTable<T>(rows: Record<string, T>): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, rows);
}

const UNITS_MS = toTable<number>({});
for (const [names, ms] of [
  ["s sec secs second seconds", 1_000],
  ["m min mins minute minutes", 60_000],
  ["h hr hrs hour hours", 3_600_000],
  ["d day days", 86_400_000],
  ["w wk wks week weeks", 604_800_000],
] as const) {
  for (const name of names.split(" ")) UNITS_MS[name] = ms;
}
/** Alone, as in `every day`, these are of the calendar. With a number they are elapsed time. */
const CALENDAR_UNITS = new Set(["d", "day", "w", "week", "wk"]);

const NUMBERS = toTable({
  ...{
    a: 1,
    an: 1,
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    ten: 10,
    eleven: 11,
  },
  ...{ twelve: 12, fifteen: 15, twenty: 20, thirty: 30, forty: 40, sixty: 60, ninety: 90, half: 0.5 },
});

export const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
export const MONTHS = [
  ...["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"],
  "December",
];
const SHORT_WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat", "tues", "weds", "thur", "thurs"];
const SHORT_INDEX = toTable({ tues: 2, weds: 3, thur: 4, thurs: 4 });

export const ORDINALS = ["first", "second", "third", "fourth", "fifth"];

/** Hours of the day, where no time is given. */
export const DAY_PARTS = toTable({ morning: 9, afternoon: 15, evening: 18, night: 21 });
/** [own] Where not even a part of the day is given. */
export const DEFAULT_HOUR = 9;

export interface TimeOfDay {
  hour: number;
  minute: number;
  /** `8`, not `8am` or `08:00`: a part of the day may say which half it is of. */
  isOpen: boolean;
}

export class WordReader {
  readonly #words: string[];
  #at = 0;
  constructor(words: string[]) {
    this.#words = words;
  }
  get isDone(): boolean {
    return this.#at >= this.#words.length;
  }
  peek(ahead = 0): string {
    return this.#words[this.#at + ahead] ?? "";
  }
  next(): string {
    return this.#words[this.#at++] ?? "";
  }
  accept(...words: string[]): boolean {
    if (!words.includes(this.peek())) return false;
    this.#at += 1;
    return true;
  }
  /** Runs `read`; goes back to where it began if that finds nothing. */
  attempt<T>(read: () => T | null): T | null {
    const from = this.#at;
    const found = read();
    if (found === null) this.#at = from;
    return found;
  }
}

/** `2h`, `2h30m`, `90 minutes`, `an hour`, `half an hour`; with `bare` also a unit alone, such as `hour`. Milliseconds; `null`: no duration. */
export function readDuration(words: WordReader, bare: boolean): number | null {
  return words.attempt(() => {
    let total = 0;
    let any = false;
    for (;;) {
      if (any) words.accept("and");
      const piece = words.attempt(() => readPiece(words, bare && !any));
      if (piece === null) break;
      total += piece;
      any = true;
    }
    return any ? Math.round(total) : null;
  });
}

function readPiece(words: WordReader, bare: boolean): number | null {
  const word = words.next();
  if (bare && UNITS_MS[word] !== undefined && word.length > 1 && !CALENDAR_UNITS.has(word)) return UNITS_MS[word];
  let number = NUMBERS[word];
  if (number === undefined) {
    if (!/^\d/.test(word)) return null;
    const fused = readFused(word);
    if (fused === null || typeof fused === "number") return fused;
    number = fused.number;
  }
  if (word === "half") words.accept("a", "an");
  const unit = UNITS_MS[words.next()];
  return unit === undefined ? null : number * unit;
}

/** `2h30m` → milliseconds; `90` → the number, whose unit is the next word; `null`: something else. */
function readFused(word: string): number | { number: number } | null {
  let total = 0;
  let at = 0;
  while (at < word.length) {
    const number = /^\d{1,6}(?:\.\d{1,3})?/.exec(word.slice(at, at + 11))?.[0];
    if (number === undefined) return null;
    at += number.length;
    if (at === word.length) return total === 0 ? { number: Number(number) } : null;
    const unit = /^[a-z]{1,7}/.exec(word.slice(at, at + 8))?.[0] ?? "";
    if (UNITS_MS[unit] === undefined) return null;
    total += Number(number) * UNITS_MS[unit];
    at += unit.length;
  }
  return total;
}

/** 0 for Sunday; `isPlural` for `Fridays`; `null`: no weekday. */
export function readWeekday(word: string): { day: number; isPlural: boolean } | null {
  const long = WEEKDAYS.findIndex((name) => word === name.toLowerCase() || word === `${name.toLowerCase()}s`);
  if (long >= 0) return { day: long, isPlural: word.endsWith("days") };
  const short = SHORT_WEEKDAYS.indexOf(word.replace(/\.$/, ""));
  return short < 0 ? null : { day: SHORT_INDEX[word.replace(/\.$/, "")] ?? short, isPlural: false };
}

/** 1 for January; `null`: no month. */
export function readMonth(word: string): number | null {
  const bare = word.replace(/\.$/, "");
  if (bare.length < 3) return null;
  const at = MONTHS.findIndex((name) => {
    const lower = name.toLowerCase();
    return bare === lower || bare === lower.slice(0, 3) || (bare === "sept" && lower === "september");
  });
  return at < 0 ? null : at + 1;
}

/** `first` or `1st` → 1, `last` → "L"; `isWord`: `first`, which alone is no day of a month. `null`: no ordinal. */
export function readOrdinal(word: string): { n: number | "L"; isWord: boolean } | null {
  if (word === "last") return { n: "L", isWord: true };
  const at = ORDINALS.indexOf(word);
  if (at >= 0) return { n: at + 1, isWord: true };
  const n = Number(/^(\d{1,2})(?:st|nd|rd|th)$/.exec(word)?.[1] ?? 0);
  return n >= 1 && n <= 31 ? { n, isWord: false } : null;
}

/** `8:30`, `17.30`, `8am`, `8 pm`, `noon`, `midnight`, `8 o'clock`; after `at` also `8`. `null`: no time. */
export function readTime(words: WordReader, afterAt: boolean): TimeOfDay | null {
  return words.attempt(() => {
    const word = words.next();
    if (word === "noon" || word === "midday") return { hour: 12, minute: 0, isOpen: false };
    if (word === "midnight") return { hour: 0, minute: 0, isOpen: false };
    const found = /^(\d{1,2})(?:[:.](\d\d))?([ap]\.?m\.?)?$/.exec(word);
    if (!found) return null;
    const [, digits = "", minutes] = found;
    const half = found[3] ?? (/^[ap]\.?m\.?$/.test(words.peek()) ? words.next() : undefined);
    const isClock = words.accept("o'clock", "oclock");
    if (minutes === undefined && half === undefined && !isClock && !afterAt) return null;
    let hour = Number(digits);
    const minute = Number(minutes ?? 0);
    if (half !== undefined) {
      if (hour < 1 || hour > 12) return null;
      hour = (hour % 12) + (half.startsWith("p") ? 12 : 0);
    }
    if (hour > 23 || minute > 59) return null;
    return { hour, minute, isOpen: half === undefined && hour >= 1 && hour <= 12 && !digits.startsWith("0") };
  });
}

/** `7 in the evening` → 19. */
export function toHalf(time: TimeOfDay, part: string): TimeOfDay {
  if (!time.isOpen) return time;
  const { hour } = time;
  const isLate = part === "afternoon" || part === "evening" || (part === "night" && hour >= 6 && hour < 12);
  if (hour === 12) return { ...time, hour: part === "afternoon" ? 12 : 0 };
  return { ...time, hour: isLate ? hour + 12 : hour };
}
