// Chooses from the skills listed in a prompt those that are about delimited data files. A broad lexical match: whoever
// writes a skill chooses the words. Pure.
import type { ListedSkill } from "./request.ts";

/** Words of the class and how much each says. One and a half points make a match. */
const VOCABULARY: [RegExp, number][] = [
  [/\b(csv|tsv|psv|tabular|spreadsheets?|delimited|delimiters?|separators?|excel)\b/, 2],
  [/\b(decimals?|thousands?|day-first|unit rows?|data (files?|exports?|dumps?|tables?|sets?)|datasets?)\b/, 2],
  [/\b(\w+-separated|(number|date|file) formats?|(tables?|columns?) of (numbers|figures))\b/, 2],
  [/\b(columns?|tables?|exports?|exported|extracts?|sheets?|rows?|cells?|dumps?|semicolons?)\b/, 1],
  [/\b(files?|outputs?|figures?|numbers?|numeric|values?|dates?|missing|sentinels?|units?|reports?|records?)\b/, 0.6],
  [/\b(averages?|means?|totals?|sums?|aggregat\w+|statistics|awk|comput\w+|calculat\w+|parsing|parse|data)\b/, 0.6],
  [/\b(office|accounting|finance|bookkeeping|instruments?|measurements?)\b/, 0.4],
];
const THRESHOLD = 1.5;

/** The best match, and its companion if one is listed. Empty when nothing fits. */
export function chooseSkills(skills: ListedSkill[]): string[] {
  const scored = skills
    .map((skill) => ({ name: skill.name, score: score(skill) }))
    .filter((found) => found.score >= THRESHOLD)
    .sort((a, b) => b.score - a.score);
  return scored.slice(0, 2).map(({ name }) => name);
}

/** Different words count once each, so that a long description is no better than a telling one. */
function score({ name, description }: ListedSkill): number {
  const text = `${name.replaceAll("-", " ")} ${description}`.toLowerCase();
  let points = 0;
  for (const [words, weight] of VOCABULARY) {
    const found = new Set([...text.matchAll(new RegExp(words, "g"))].map((match) => match[0].replace(/s$/, "")));
    points += weight * Math.min(found.size, 3);
  }
  return points;
}
