// Finds in sentences which part of a date comes first. Used by prose.ts. Pure.
import type { DateOrder } from "../conventions.ts";
import { AFFIRMED, ELSEWHERE } from "./text.ts";

const DAY = "(?:days?|dd?|tag|tt|jour|jj|giorno|gg|d[ií]a)";
const MONTH = "(?:months?|mm?|mon|monat|mois|mese|mes)";
const YEAR = "(?:years?|yyyy|yy?|jahr|jjjj|ann[ée]e|aaaa|anno|a[ñn]o)";
/** The text between two date parts that are named in a row. */
const THEN = "\\s?(?:[./,-]|,? ?(?:and )?(?:then|after|before|followed by)(?: the)?|,? and|\\s)\\s?(?:the )?";
const inOrder = (...parts: string[]) => new RegExp(`(?<![a-z])${parts.join(`(?: first)?${THEN}`)}(?![a-z])`);

const NAMED: [DateOrder, RegExp][] = [
  ["ymd", inOrder(YEAR, MONTH, DAY)],
  ["dmy", inOrder(DAY, MONTH, YEAR)],
  ["mdy", inOrder(MONTH, DAY, YEAR)],
  ["dmy", /\bd[./ -]?m[./ -]?y\b/],
  ["mdy", /\bm[./ -]?d[./ -]?y\b/],
];
const TOLD: [DateOrder, RegExp][] = [
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
/** Advice about the output form of a date says nothing about the form in the file. */
const TURNED =
  /\b(?:to|into|as|in|convert\w*|compare|rewrite|turn\w*|rearrang\w*|reorder\w*)(?: (?:a|an|the|proper|plain|order|form|format|standard))*\W*$/;

export function readDates(sentences: string[]): DateOrder | undefined {
  for (const [order, words] of [...NAMED.slice(0, 1), ...TOLD, ...NAMED.slice(1)]) {
    if (sentences.some((sentence) => says(sentence.toLowerCase(), order, words))) return order;
  }
  return readExample(sentences);
}

function says(sentence: string, order: DateOrder, words: RegExp): boolean {
  const match = words.exec(sentence);
  if (!match) return false;
  // "The European way" alone may be about numbers.
  if (/\b(?:way|style|form|format|fashion|convention)$/.test(match[0]) && !/\bdates?\b/.test(sentence)) return false;
  const before = sentence.slice(0, match.index).replace(AFFIRMED, "");
  const clause = before.split(/[,;:?!—]\s|\bbut\b|\bwhile\b/).at(-1)!;
  if (/\b(?:not|never|no|neither|instead of|rather than|unlike|isn't|aren't|don't|wrong)\b/.test(clause)) return false;
  if (order === "ymd" && TURNED.test(clause) && /\b(?:convert|rewrit|turn|rearrang|reorder|compar|into)/.test(before))
    return false;
  if (order === "mdy" && /\?\s*$/.test(sentence)) return false;
  return order === "dmy" || !ELSEWHERE.test(sentence);
}

/** Points between the parts mean day first. Otherwise a part above twelve is the day. */
function readExample(sentences: string[]): DateOrder | undefined {
  for (const sentence of sentences) {
    if (ELSEWHERE.test(sentence)) continue;
    if (/(?<![\d.])\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})(?!\d|\.\d)/.test(sentence)) return "dmy";
    const example = /(?<!\d)(\d{1,2})[/-](\d{1,2})[/-]\d{4}(?!\d)/.exec(sentence);
    if (example && Number(example[1]) > 12) return "dmy";
    if (example && Number(example[2]) > 12) return "mdy";
    const order = toldByMonth(sentence);
    if (order) return order;
    if (/(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/.test(sentence)) return "ymd";
  }
  return undefined;
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** "01/02/2014 is the first of February": the named month shows which part it is. */
function toldByMonth(sentence: string): DateOrder | undefined {
  const example =
    /(?<!\d)(\d{1,2})[/-](\d{1,2})[/-]\d{4},?(?: (?:is|means|stands for)|\s?=)?\s(?!not\b)[^,;]{0,24}?\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/.exec(
      sentence,
    );
  if (!example) return undefined;
  const [first, second, month] = [Number(example[1]), Number(example[2]), MONTHS.indexOf(example[3]!) + 1];
  if (first === second) return undefined;
  const denied = /\b(?:not|never|don't)\b[^,;:]*$/.test(sentence.slice(0, example.index));
  if (second === month) return denied ? "mdy" : "dmy";
  return first === month ? (denied ? "dmy" : "mdy") : undefined;
}
