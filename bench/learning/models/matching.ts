// Which skills fit a kind of work, judged as a model would judge their index lines: by the words that a skill's name and
// description share with any wording of that work. Used by the worker and the reviewer. Pure.
import { wordsOf } from "../../../core/skills/search/words.ts";

export interface SkillLineText {
  name: string;
  description: string;
}

/** A single shared word may be coincidence. */
const MIN_SHARED = 2;

/** Best first. A match with one wording is enough. A skill and its companion appear once, under the base's name. */
export function findFittingSkills(
  lines: readonly SkillLineText[],
  wordings: readonly string[],
): (SkillLineText & { score: number })[] {
  const wordingWords = wordings.map(splitWords);
  const best = new Map<string, SkillLineText & { score: number }>();
  for (const line of lines) {
    const name = line.name.replace(/-local$/, "");
    const own = splitWords(`${name.replaceAll("-", " ")} ${line.description}`);
    const score = Math.max(...wordingWords.map((words) => [...words].filter((word) => own.has(word)).length));
    if (score < MIN_SHARED || score <= (best.get(name)?.score ?? 0)) continue;
    best.set(name, { name, description: line.description, score });
  }
  return [...best.values()].sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
}

/** A cache, because every request repeats the library's lines. */
const known = new Map<string, Set<string>>();
const MAX_KNOWN = 5_000;

function splitWords(text: string): Set<string> {
  let words = known.get(text);
  if (words) return words;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, (words = wordsOf(removeCodeAndNumbers(text))));
  return words;
}

/** Without code spans and task numbers, which do not describe the subject. */
function removeCodeAndNumbers(text: string): string {
  return text.replace(/`[^`]*`/g, " ").replace(/#\S+/g, " ");
}

const LINE = /^\s*- ([a-z0-9-]+): (.*)$/gm;

/** The lines of an index of skills, or of a note about new ones. */
export function readSkillLines(text: string): SkillLineText[] {
  return Array.from(text.matchAll(LINE), ([, name, description]) => ({ name: name!, description: description! }));
}
