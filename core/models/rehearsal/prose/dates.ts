// Finds the order of day, month and year that sentences state. Used by prose.ts. Pure.
import type { DateOrder } from "../conventions.ts";
import { AFFIRMED, ELSEWHERE } from "./text.ts";

const DAY = "(?:days?|dd?|tag|tt|jour|jj|giorno|gg|d[ií]a)";
const MONTH = "(?:months?|mm?|mon|monat|mois|mese|mes)";
const YEAR = "(?:years?|yyyy|yy?|jahr|jjjj|ann[ée]e|aaaa|anno|a[ñn]o)";
/** What may stand between two named date parts. */
const THEN = "\\s?(?:[./,-]|,? ?(?:and )?(?:then|after|before|followed by)(?: the)?|,? and|\\s)\\s?(?:the )?";
const inOrder = (...parts: string[]) => new RegExp(`(?<![a-z])${parts.join(`(?: first)?${THEN}`)}(?![a-z])`);

const NAMED: [DateOrder, RegExp][] = [
  ["ymd", inOrder(YEAR, MONTH, DAY)],
  ["dmy", inOrder(DAY, MONTH, YEAR)],
  ["mdy", inOrder(MONTH, DAY, YEAR)],
  ["dmy", /\bd[./ -]?m[./ -]?y\b/],
  ["mdy", /\bm[./ -]?d[./ -]?y\b/],
];
const STATED: [DateOrder, RegExp][] = [
  [
    "dmy",
    /\bdays? ?-?(?:first|before|ahead|leading|leads|(?:in|at the|up) front)\b|\bdays? ?-?(?:then|\/|\.|-|,) ?-?(?:the |of )?(?:months?|mon)\b|\bdd?\s?[./-]\s?mm?\s?[./-]\s?y+|\b(?:the )?days? (?:comes?|stands?|goes|go|is|are|precedes?|written)\b|\b(?:first|leading) (?:number|figure|part|pair|two digits|component|digits)[^.;]{0,25}\bday\b|\b(?:start|begin)(?:s|ning|ing)? with the day\b|\b(?:european|british|continental|german) (?:dates?|order|way|style|form|format|fashion|convention)(?! (?:of|to) numbers?)|\bdayfirst\b/,
  ],
  [
    "mdy",
    /\bmonths? ?-?(?:first|before|leading|then|\/|-) ?-?(?:the )?(?:days?)?|\bmm?\s?[./-]\s?dd?\s?[./-]\s?y+|\bthe month (?:comes?|stands?|goes|precedes|leads)\b|\b(?:us|american)(?:-style)? (?:dates?|order)/,
  ],
  [
    "ymd",
    /\biso(?:[ -]?8601)?\b|\byyyy[-/]mm[-/]dd\b|\byears? ?-?(?:first|leads|leading)\b|\b(?:start|begin)(?:s|ning|ing)? with the year\b/,
  ],
];
/** The clause is about the output format of a date, which says nothing about the format in the file. */
const ABOUT_OUTPUT =
  /\b(?:to|into|as|in|convert\w*|compare|rewrite|turn\w*|rearrang\w*|reorder\w*)(?: (?:a|an|the|proper|plain|order|form|format|standard))*\W*$/;

export function readDates(sentences: string[]): DateOrder | undefined {
  for (const [order, words] of [...NAMED.slice(0, 1), ...STATED, ...NAMED.slice(1)]) {
    if (sentences.some((sentence) => states(sentence.toLowerCase(), order, words))) return order;
  }
  return readExample(sentences);
}

function states(sentence: string, order: DateOrder, words: RegExp): boolean {
  const match = words.exec(sentence);
  if (!match) return false;
  // "The European way" may be about numbers, unless the sentence mentions dates.
  if (/\b(?:way|style|form|format|fashion|convention)$/.test(match[0]) && !/\bdates?\b/.test(sentence)) return false;
  const before = sentence.slice(0, match.index).replace(AFFIRMED, "");
  const clause = before.split(/[,;:?!—]\s|\bbut\b|\bwhile\b/).at(-1)!;
  if (/\b(?:not|never|no|neither|instead of|rather than|unlike|isn't|aren't|don't|wrong)\b/.test(clause)) return false;
  if (
    order === "ymd" &&
    ABOUT_OUTPUT.test(clause) &&
    /\b(?:convert|rewrit|turn|rearrang|reorder|compar|into)/.test(before)
  )
    return false;
  if (order === "mdy" && /\?\s*$/.test(sentence)) return false;
  return order === "dmy" || !ELSEWHERE.test(sentence);
}

/** Reads an example date: dots mean day first, and a part above 12 is the day. */
function readExample(sentences: string[]): DateOrder | undefined {
  for (const sentence of sentences) {
    if (ELSEWHERE.test(sentence)) continue;
    if (/(?<![\d.])\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})(?!\d|\.\d)/.test(sentence)) return "dmy";
    const example = /(?<!\d)(\d{1,2})[/-](\d{1,2})[/-]\d{4}(?!\d)/.exec(sentence);
    if (example && Number(example[1]) > 12) return "dmy";
    if (example && Number(example[2]) > 12) return "mdy";
    const order = orderByMonthName(sentence);
    if (order) return order;
    if (/(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/.test(sentence)) return "ymd";
  }
  return undefined;
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** "01/02/2014 is the first of February": the month's name shows which part is the month. */
function orderByMonthName(sentence: string): DateOrder | undefined {
  const example =
    /(?<!\d)(\d{1,2})[/-](\d{1,2})[/-]\d{4},?(?: (?:is|means|stands for)|\s?=)?\s(?!not\b)[^,;]{0,24}?\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/.exec(
      sentence,
    );
  if (!example) return undefined;
  const [first, second, month] = [Number(example[1]), Number(example[2]), MONTHS.indexOf(example[3]!) + 1];
  if (first === second) return undefined;
  const isNegated = /\b(?:not|never|don't)\b[^,;:]*$/.test(sentence.slice(0, example.index));
  if (second === month) return isNegated ? "mdy" : "dmy";
  return first === month ? (isNegated ? "dmy" : "mdy") : undefined;
}
