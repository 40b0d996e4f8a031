// The words of messages and of queries, as the message index has them. Used by message-archive.ts and message-ranking.ts. Pure, and
// the same on every runtime. A change of words needs a new version of the index in message-tables.ts.
import { stemmer } from "stemmer";
import { foldCase } from "../../skills/search/words.ts";

/** Words that say nothing of what a message or a question is about. */
const STOP_WORDS = new Set(
  (
    "a about after all also am an and any are as at be because been before being between both but by can could did do does doing " +
    "during each few for from had has have having he her hers herself him himself his how i if in into is it its just me more most " +
    "must my myself no nor not now of on only or other our ours out over own same shall she should so some such than that the their " +
    "theirs them then there these they this those through to too under until up very was we were what when where which while who " +
    "whom whose why will with would you your yours"
  ).split(" "),
);

/** Characters of a message that are indexed. The whole text stays in the session's log. */
export const MAX_INDEXED_CHARS = 16_000;
/** Words of a query that are searched for. */
const MAX_QUERY_WORDS = 24;
/** A longer run of letters and digits is data, not a word. */
const MAX_WORD_CHARS = 60;
const WITHOUT_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const RUNS = /[\p{L}\p{M}\p{N}]+/gu;

/** The indexed words of a text in their order, with repetitions, parted by blanks. */
export function toIndexedWords(text: string): string {
  return toWords(text.slice(0, MAX_INDEXED_CHARS)).join(" ");
}

/** The distinct words of a query in their order. */
export function toQueryWords(query: string): string[] {
  const withoutPossessives = query.slice(0, MAX_INDEXED_CHARS).replace(/['’]s\b/g, "");
  return [...new Set(toWords(withoutPossessives))].slice(0, MAX_QUERY_WORDS);
}

const MONTHS = "january february march april may june july august september october november december".split(" ");
const DAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/** Words by which people name a day, as in "Thursday 26 November 2026". `at`: Unix time in ms, read as UTC. */
export function toDateWords(at: number): string {
  const date = new Date(at);
  const [day, month] = [DAYS[date.getUTCDay()], MONTHS[date.getUTCMonth()]];
  return toIndexedWords(`${day} ${date.getUTCDate()} ${month} ${date.getUTCFullYear()}`);
}

/** English stems. Chinese, Japanese and Korean text gives pairs of neighbouring characters. */
function toWords(text: string): string[] {
  return [...foldCase(text).matchAll(RUNS)].flatMap(([run]) => {
    if (WITHOUT_BLANKS.test(run)) return toPairs(run);
    return STOP_WORDS.has(run) ? [] : [run.length > MAX_WORD_CHARS ? run.slice(0, MAX_WORD_CHARS) : stemmer(run)];
  });
}

function toPairs(run: string): string[] {
  const signs = [...run];
  return signs.length === 1 ? signs : signs.slice(1).map((sign, i) => `${signs[i]}${sign}`);
}
