// Reads a phrase of days and times, such as `every weekday at 8`, into its parts. Each word is read once. Called by schedule.ts. Pure.
import {
  type TimeOfDay,
  DAY_PARTS,
  DEFAULT_HOUR,
  type WordReader,
  readMonth,
  readOrdinal,
  readTime,
  readWeekday,
  toHalf,
} from "./schedule-words.ts";

export interface Phrase {
  /** It names every such day, not the next one. */
  recurs: boolean;
  /** 0 for Sunday. */
  weekdays: Set<number>;
  /** Which of the weekdays of a month; empty: each. */
  nths: Set<number | "L">;
  monthDays: Set<number | "L">;
  /** 1 for January. */
  months: Set<number>;
  /** Days from today. */
  relative: number | null;
  /** `YYYY-MM-DD`. */
  date: string | null;
  times: TimeOfDay[];
  /** `next Monday`: not today. */
  isNext: boolean;
}

/** The word that was not understood; empty: the phrase says too little, or two things that do not fit. */
export interface Unread {
  stuck: string;
  why?: string;
}

const WORKDAYS = [1, 2, 3, 4, 5];
const GLUE = new Set(["on", "the", "of", "and", "at", "in", "a", "each", "every", "this", "next"]);

export function readPhrase(words: WordReader): Phrase | Unread {
  const phrase: Phrase = {
    ...{ recurs: false, weekdays: new Set(), nths: new Set(), monthDays: new Set(), months: new Set() },
    ...{ relative: null, date: null, times: [], isNext: false },
  };
  let part: string | null = null;
  /** Ordinals that no noun has followed yet. */
  let open: { n: number | "L"; isWord: boolean }[] = [];
  let hasMonth = false;
  let isEachNth = false;
  let isYearly = false;
  let isWeekly = false;
  /** Days and months in the order of the text: `dm` for `1st and 15th of March and May`, `dmdm` for `3 March and 5 May`. */
  let dateOrder = "";
  let before = "";
  const closeAsDays = () => {
    for (const { n } of open) phrase.monthDays.add(n);
    open = [];
  };
  while (!words.isDone) {
    const time = readTime(words, before === "and" && phrase.times.length > 0);
    const word = time ? "" : words.next();
    const timeAfterAt = word === "at" || word === "@" ? readTime(words, true) : null;
    if (time ?? timeAfterAt) {
      phrase.times.push((time ?? timeAfterAt)!);
      before = "time";
      continue;
    }
    if ((word === "at" || word === "@") && DAY_PARTS[words.peek()] === undefined)
      return { stuck: words.peek() || word };
    const ordinal = readOrdinal(word);
    const weekday = readWeekday(word);
    const month = readMonth(word);
    if (before === "next" && (ordinal ?? weekday ?? month) !== null) phrase.isNext = true;
    if (ordinal) {
      open.push(ordinal);
      noteDate("d");
      if (before === "every" || before === "each") isEachNth = ordinal.isWord || words.peek() === "day";
    } else if (weekday) {
      for (const { n } of open) phrase.nths.add(n);
      if (open.some(({ n }) => typeof n === "number" && n > 5)) return { stuck: word };
      open = [];
      if (weekday.isPlural) phrase.recurs = true;
      if (words.accept("to", "through", "thru", "till", "until", "-", "–")) {
        const last = readWeekday(words.peek());
        if (!last) return { stuck: words.peek() };
        words.next();
        for (let day = weekday.day; ; day = (day + 1) % 7) {
          phrase.weekdays.add(day);
          if (day === last.day) break;
        }
        phrase.recurs = true;
      } else phrase.weekdays.add(weekday.day);
    } else if (month !== null) {
      closeAsDays();
      phrase.months.add(month);
      noteDate("m");
      const day = /^\d{1,2}$/.test(words.peek()) ? Number(words.peek()) : 0;
      if (day >= 1 && day <= 31) {
        words.next();
        phrase.monthDays.add(day);
        noteDate("d");
      }
    } else if (/^\d{1,2}$/.test(word) && readMonth(words.peek()) !== null && Number(word) >= 1 && Number(word) <= 31) {
      phrase.monthDays.add(Number(word));
      noteDate("d");
    } else if (/^\d{4}-\d\d-\d\d$/.test(word) && phrase.date === null) {
      phrase.date = word;
    } else if (DAY_PARTS[word] !== undefined && part === null) {
      part = word;
    } else if (!readCalendarWord(word)) {
      return { stuck: word };
    }
    before = word;
  }
  closeAsDays();
  return finish();

  function noteDate(kind: "d" | "m"): void {
    if (!dateOrder.endsWith(kind)) dateOrder += kind;
  }

  function readCalendarWord(word: string): boolean {
    switch (word) {
      case "every":
      case "each":
        phrase.recurs = true;
        return words.peek() !== "" && words.peek() !== word;
      case "weekday":
      case "weekdays":
      case "workday":
      case "workdays":
      case "weekend":
      case "weekends":
        if (open.length > 0 || before === "next" || before === "this") return false;
        for (const day of word.startsWith("weekend") ? [6, 0] : WORKDAYS) phrase.weekdays.add(day);
        phrase.recurs = true;
        return true;
      case "day":
      case "days":
      case "daily":
        if (word !== "daily" && open.length > 0) closeAsDays();
        else if (word === "daily" || before === "every" || before === "each") phrase.recurs = true;
        else return word === "day" && before === "of";
        return true;
      case "week":
      case "weekly":
        if (open.length > 0 || (word === "week" && before !== "every" && before !== "each")) return false;
        phrase.recurs = true;
        isWeekly = true;
        return true;
      case "month":
      case "monthly":
        closeAsDays();
        if (before === "next" || before === "this") return false;
        hasMonth = true;
        phrase.recurs = true;
        return true;
      case "year":
      case "yearly":
      case "annually":
        closeAsDays();
        if (before === "next" || before === "this") return false;
        phrase.recurs = true;
        isYearly = true;
        return true;
      case "today":
      case "tomorrow":
      case "tonight":
        if (phrase.relative !== null) return false;
        phrase.relative = word === "tomorrow" ? 1 : 0;
        if (word === "tonight") part ??= "night";
        return true;
      default:
        return GLUE.has(word) || word === "&";
    }
  }

  function finish(): Phrase | Unread {
    const { weekdays, monthDays, months, nths, relative, date } = phrase;
    if (part !== null) phrase.times = phrase.times.map((time) => toHalf(time, part!));
    const hasDay = phrase.recurs || weekdays.size + monthDays.size > 0 || relative !== null || date !== null;
    if (phrase.times.length === 0) {
      if (!hasDay && part === null) return { stuck: "" };
      phrase.times = [{ hour: part === null ? DEFAULT_HOUR : DAY_PARTS[part]!, minute: 0, isOpen: false }];
    }
    if (isEachNth && !hasMonth && months.size === 0 && !nths.has("L") && !(nths.size === 1 && nths.has(1))) {
      return {
        stuck: "",
        why: "Does it mean each month, or each so many weeks or days? Add `of the month`, or write `every 2 weeks`",
      };
    }
    if (isYearly && months.size === 0) months.add(1);
    if (isWeekly && weekdays.size === 0) weekdays.add(1);
    if (dateOrder.length > 2 && months.size > 1 && monthDays.size > 1)
      return { stuck: "", why: "Make a job for each of these dates" };
    if ((hasMonth || months.size > 0) && weekdays.size === 0 && monthDays.size === 0) monthDays.add(1);
    if (hasMonth && weekdays.size > 0 && nths.size === 0)
      return { stuck: "", why: "Which of the month's? Write `first` or `last`" };
    if (weekdays.size > 0 && monthDays.size > 0)
      return { stuck: "", why: "A day of the week and one of the month do not fit together" };
    const dayKinds = [weekdays.size + monthDays.size > 0 || phrase.recurs, relative !== null, date !== null];
    if (dayKinds.filter(Boolean).length > 1) return { stuck: "", why: "It names two days that do not fit together" };
    const isOneDay = weekdays.size + monthDays.size > 0 || relative !== null || date !== null;
    if (isOneDay && (part === "night" || part === "evening") && phrase.times.some(({ hour }) => hour < 6))
      return { stuck: "", why: "Which day do the clocks show then? Name that day, without `night`" };
    if (!phrase.recurs && (phrase.times.length > 1 || weekdays.size > 1 || monthDays.size > 1)) {
      return { stuck: "", why: "Say `every` for what comes again, or name one day and one time" };
    }
    return phrase;
  }
}
