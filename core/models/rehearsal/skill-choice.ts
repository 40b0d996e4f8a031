// Chooses the listed skills that are about delimited data files, with a broad match of words: authors of skills word them freely.
// Used by worker.ts and reviewer.ts. Pure.
import type { ListedSkill } from "./request.ts";

/** Words for the subject of a skill, with their weights. */
const SUBJECTS: [RegExp, number][] = [
  [/\b(csvs?|tsvs?|psv|tabular|tabulated|spreadsheets?|delimited|delimiters?|separators?|excel|pandas|awk)\b/, 2],
  [/\b(decimals?|thousands?|day-first|unit rows?|data (files?|exports?|dumps?|tables?|sets?)|datasets?)\b/, 2],
  [/\b(\w+-separated|(number|date|file) formats?|(tables?|columns?) of (numbers|figures)|text (files?|tables?))\b/, 2],
  [/\b(columns?|exports?|exported|extracts?|sheets?|dumps?|unloads?|bulletins?|ledgers?|registers?)\b/, 1],
  [/\b(feeds?|deliverables?|listings?|readings?|measurements?|statistics|statistical|inventor(?:y|ies))\b/, 1],
  [/\b(figures|numbers|numeric|data)\b/, 1],
  [/\b(figure|number)\b/, 0.6],
  [/\b(tables?|rows?|cells?|files?|values?|dates?|units?|reports?|records?|summar(?:y|ies))\b/, 0.6],
  [
    /\b(returns?|statements?|accounts?|archives?|surveys?|census|lists?|counts?|results|logs?|loggers?|sensors?|gauges?)\b/,
    0.6,
  ],
  [/\b(claims|budgets?|tariffs?|prices|wages?|telemetry|output|outputs|deliver\w*|instruments?|stations?)\b/, 0.6],
  [/\b(semicolons?|commas?|tabs|pipes?|staging|warehouse|mainframe|import(?:s|ing)?|loading)\b/, 0.3],
];
/** Words for what a skill says about its subject. They count only together with a subject. */
const MANNERS: [RegExp, number][] = [
  [
    /\b(laid out|layout|formats?|formatted|conventions?|notation|structured?|written|quirks?|oddit\w+|peculiar\w*)\b/,
    0.6,
  ],
  [
    /\b(gotchas?|traps?|pitfalls?|surprises|look(?:s|ing)? like|decoded?|interpret\w*|what to know|cheat sheet|how-?to|howto|how \S+( \S+)? works?)\b/,
    0.6,
  ],
  [/\b(reads?|reading|open(?:s|ing)?|pars\w+|load(?:s|ing)?|import\w*|arrange\w*|record(?:s|ed|ing)?)\b/, 0.6],
  [/\b(averag\w+|means?|totals?|sums?|summing|add(?:s|ing)? up|aggregat\w+|comput\w+|calculat\w+|analys\w+)\b/, 0.6],
  [
    /\b(work(?:s|ed|ing)? (?:out|with|on)|process(?:es|ed|ing)?|handl(?:es|ed|ing)|files? (?:from|of|by) (?:the|our)|(?:from|with|in|out of) (?:our|the|their|an?)(?: [\w'’]+){0,4} (?:reports?|files?|tables?|lists?|sheets?|records?))\b/,
    0.4,
  ],
  [/\b(office|accounting|finance|financial|bookkeeping|department|factory|lab|laboratory|sentinels?)\b/, 0.4],
  [
    /\b(monthly|weekly|daily|quarterly|annual|yearly|nightly|notes?|guide|guidance|tips|rules|sends?|sent|missing)\b/,
    0.3,
  ],
];
/** Threshold: the listed line is clearly about this class of files. */
const MIN_CLEAR_SCORE = 1;
/** Threshold: worth loading once a file has proved unusual. */
const MIN_POSSIBLE_SCORE = 0.3;

/** The best match, and its companion if one is listed. Empty when nothing fits. */
export function chooseSkills(skills: ListedSkill[], { unusual = false } = {}): string[] {
  const scored = skills
    .map((skill) => ({ name: skill.name, score: score(skill) }))
    .filter((found) => found.score >= (unusual ? MIN_POSSIBLE_SCORE : MIN_CLEAR_SCORE))
    .sort((a, b) => b.score - a.score);
  return scored.slice(0, unusual ? 1 : 2).map(({ name }) => name);
}

function score({ name, description }: ListedSkill): number {
  const text = `${name.replaceAll("-", " ")} ${description}`.toLowerCase();
  const subject = count(text, SUBJECTS);
  return subject > 0 ? subject + count(text, MANNERS) : 0;
}

/** Counts each different word once, so that a long description does not win by its length. */
function count(text: string, words: [RegExp, number][]): number {
  let points = 0;
  for (const [pattern, weight] of words) {
    const found = new Set([...text.matchAll(new RegExp(pattern, "g"))].map((match) => match[0].replace(/s$/, "")));
    points += weight * Math.min(found.size, 3);
  }
  return points;
}
