// Reads the values of an answer: its numbers, however they are written, and its dates. Called by compare-answers.ts. Pure.

/**
 * `number`: what it may mean, since `1.234` is a little more than one or more than a thousand; `places`: its decimals in each meaning. `parts`:
 * it has blanks, so it may also be several numbers.
 * `date`: `YYYY-MM-DD`, in each order of day and month that it allows.
 */
export type Value =
  | { kind: "number"; readings: { value: number; places: number }[]; parts?: Value[] }
  | { kind: "date"; readings: string[] };
export type Values = Value[];

const MAX_VALUES = 500;

export const MONTHS = [
  ...["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november"],
  "december",
];
const MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?";
/** Between the words of a date. Bounded: an answer may be all blanks. */
const BLANK = "\\s{1,3}";
const DATES: { form: RegExp; read(parts: string[]): string[] }[] = [
  { form: /\b(\d{4})-(\d{1,2})-(\d{1,2})(?:T[\d:.]+Z?)?\b/giu, read: ([y, m, d]) => days(y, m, d) },
  { form: /\b(\d{4})\/(\d{1,2})\/(\d{1,2})\b/giu, read: ([y, m, d]) => days(y, m, d) },
  { form: /\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b/giu, read: ([d, m, y]) => days(y, m, d) },
  { form: /\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/giu, read: ([a, b, y]) => [...days(y, a, b), ...days(y, b, a)] },
  {
    form: new RegExp(
      `\\b(\\d{1,2})(?:st|nd|rd|th|\\.)?${BLANK}(?:of${BLANK})?${MONTH}\\s?,?${BLANK}(\\d{4})\\b`,
      "giu",
    ),
    read: ([d, m, y]) => days(y, monthOf(m), d),
  },
  {
    form: new RegExp(`\\b${MONTH}${BLANK}(\\d{1,2})(?:st|nd|rd|th)?\\s?,?${BLANK}(\\d{4})\\b`, "giu"),
    read: ([m, d, y]) => days(y, monthOf(m), d),
  },
];

function monthOf(name = ""): string {
  return String(MONTHS.findIndex((month) => month.startsWith(name.toLowerCase().slice(0, 3))) + 1);
}

function days(year = "", month = "", day = ""): string[] {
  const isDay = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
  return isDay ? [`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`] : [];
}

/** Blanks that group digits: no-break, thin and narrow no-break space, figure space. */
const GROUPING = "\u00a0\u2009\u202f\u2007";
/** A number with its sign, groups, decimals and unit; not a part of a word, a version or an address. */
const NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}_.,/:-]|[\\p{L}\\p{N}][-'’])([-−+]?)(?:[$€£¥]\\s?)?([-−]?)(\\d{1,3}(?:[${GROUPING} ]\\d{3})+(?:[.,]\\d+)?|\\d[\\d.,'’]*)` +
    `(?:\\s?(%|k|m|bn|million|thousand|billion|tausend|millionen)(?![\\p{L}\\p{N}]))?(?!\\p{L}*\\d|[\\p{L}_/:]|-\\p{L})`,
  "giu",
);
const SCALES: Record<string, number> = {
  ...{ k: 1e3, thousand: 1e3, tausend: 1e3, m: 1e6, million: 1e6, millionen: 1e6, bn: 1e9, billion: 1e9 },
};

export function readValues(text: string): Values {
  const values: Values = [];
  // `NFKC` would turn the blanks between groups of digits into ordinary ones.
  let left = text.replace(/^[ \t]*(?:#{1,6}\s|\d{1,3}[.)]\s)/gmu, " ").replace(/[*_`~|]/gu, " ");
  for (const { form, read } of DATES) {
    left = left.replace(form, (whole: string, ...parts: unknown[]) => {
      const readings = read(parts.filter((part): part is string => typeof part === "string").slice(0, 3));
      if (readings.length === 0) return whole;
      values.push({ kind: "date", readings });
      return " ; ";
    });
  }
  for (const [, sign = "", inner = "", digits = "", unit = ""] of left.matchAll(NUMBER)) {
    if (values.length >= MAX_VALUES) break;
    const readings = readNumber(withoutEnd(digits));
    if (readings.length === 0) continue;
    const factor = (/[-−]/u.test(sign + inner) ? -1 : 1) * (SCALES[unit.toLowerCase()] ?? 1);
    const places = Math.round(Math.log10(Math.abs(factor)));
    const parts = digits.split(" ");
    values.push({
      kind: "number",
      readings: readings.map((one) => ({ value: one.value * factor, places: one.places - places })),
      ...(parts.length > 1 && {
        parts: parts.map((part) => ({ kind: "number" as const, readings: readNumber(part) })),
      }),
    });
  }
  return values;
}

/** Without the marks of the sentence behind it. */
function withoutEnd(digits: string): string {
  let end = digits.length;
  while (end > 0 && ".,'’".includes(digits[end - 1]!)) end--;
  return digits.slice(0, end);
}

/** Every meaning of digits with commas, points and other separators. Empty: it is no number, such as a version. */
function readNumber(written: string): { value: number; places: number }[] {
  const digits = written.replace(new RegExp(`[${GROUPING} '’]`, "gu"), "");
  const marks = digits.match(/[.,]/gu) ?? [];
  if (marks.length === 0) return [toReading(digits, "")];
  const last = marks.at(-1)!;
  const [whole, decimals] = [digits.slice(0, digits.lastIndexOf(last)), digits.slice(digits.lastIndexOf(last) + 1)];
  const isGrouped = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$/u.test(digits);
  if (new Set(marks).size === 1 && marks.length > 1)
    return isGrouped ? [toReading(digits.replaceAll(last, ""), "")] : [];
  if (marks.length > 1) {
    const group = last === "." ? "," : ".";
    const isNumber = new RegExp(`^\\d{1,3}(?:[${group}]\\d{3})+$`, "u").test(whole);
    return isNumber ? [toReading(whole.replaceAll(group, ""), decimals)] : [];
  }
  const asDecimal = toReading(whole, decimals);
  return isGrouped && whole !== "0" ? [toReading(whole + decimals, ""), asDecimal] : [asDecimal];
}

function toReading(whole: string, decimals: string): { value: number; places: number } {
  return { value: Number(`${whole || "0"}.${decimals || "0"}`), places: decimals.length };
}

/** Whether one of the values says the same. A given number is rounded to the places of the wanted one. */
export function isIn(wanted: Value, given: Values): boolean {
  const all = given.flatMap((value) => (value.kind === "number" ? [value, ...(value.parts ?? [])] : [value]));
  if (all.some((value) => isSame(wanted, value))) return true;
  return wanted.kind === "number" && wanted.parts !== undefined && wanted.parts.every((part) => isIn(part, given));
}

function isSame(wanted: Value, given: Value): boolean {
  if (wanted.kind === "date") {
    return given.kind === "date" && given.readings.some((day) => wanted.readings.includes(day));
  }
  if (given.kind === "date") return false;
  return wanted.readings.some(({ value, places }) =>
    given.readings.some((other) => isRounded(value, places, other.value)),
  );
}

/** 12.35 is given by 12.35, 12.350 and 12.3462, but not by 12.3. */
function isRounded(wanted: number, places: number, given: number): boolean {
  const apart = Math.abs(wanted - given);
  return apart <= 1e-9 * Math.max(1, Math.abs(wanted)) || apart <= 0.5 * 10 ** -places * (1 + 1e-9);
}
